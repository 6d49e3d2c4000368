"""Calling the pager: one POST to an address that the operators allow, once for each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
import structlog

from bot.effects import Effects
from bot.errors import TryLater
from bot.reviews.model import Review

log = structlog.get_logger(__name__)
_TIMEOUT = aiohttp.ClientTimeout(total=10)


class PagerUnavailable(TryLater):
    """The pager's address did not take the call."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The pager did not take the call: {reason}.")


class Pager:
    """POSTs a page: who is needed for what, and never the content of the review."""

    def __init__(self, url: str, session: aiohttp.ClientSession, effects: Effects) -> None:
        self._url, self._session, self._effects = url, session, effects

    async def page(self, review: Review, key: str, text: str) -> None:
        """Call the pager once for this key, with `text` for people; nothing happens where no pager is named.

        Raises PagerUnavailable when it may go through later.
        """
        if not self._url:
            log.warning("no_pager", review=review.id)
            return

        async def call(identity: str) -> str:
            try:
                async with self._session.post(
                    self._url,
                    json=_body(review, text),
                    headers={"Idempotency-Key": identity},
                    timeout=_TIMEOUT,
                    allow_redirects=False,
                ) as answer:
                    if answer.status >= 500 or answer.status == 429:
                        raise PagerUnavailable(f"status {answer.status}")
                    if answer.status >= 300:
                        log.error("pager_refused", review=review.id, status=answer.status)
                    return str(answer.status)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise PagerUnavailable(type(error).__name__) from error

        async def find(_identity: str, _since: float) -> str | None:
            # A pager cannot be asked what it got; being paged twice under one key is better than not at all.
            return None

        await self._effects.once(review.team, key, call=call, find=find)


def _body(review: Review, text: str) -> Mapping[str, Any]:
    return {
        "text": text,
        "review": f"R-{review.n}",
        "flow": review.gate.flow_name,
        "tier": review.policy.tier.value,
        "level": review.level,
        "expires_at": None if review.expires_at is None else review.expires_at.isoformat(),
    }
