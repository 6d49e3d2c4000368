"""What a payload lets the bot do for a while: open one view (trigger_id), answer five times (response_url).

Pure but for the secrets in the ids. Source: Slack's reference, "Handling user interaction": trigger_id, response_url.
"""

import secrets
from dataclasses import dataclass, field
from typing import Final

from bot.sandbox.refusals import RefusedError
from bot.sandbox.vocabulary import ChannelId, Ts, UserId

TRIGGER_SECONDS: Final = 3.0
REPLY_SECONDS: Final = 1_800.0
REPLY_USES: Final = 5


@dataclass(slots=True, kw_only=True)
class Trigger:
    """Leave to show this person one view; `from_view` names the view it came from, if it came from one."""

    user: UserId
    given_at: float
    from_view: str | None = None
    is_spent: bool = False


@dataclass(slots=True, kw_only=True)
class ReplyPermit:
    """Leave to answer one interaction; `message_ts` names the message it came from, if it came from one."""

    user: UserId
    channel: ChannelId
    given_at: float
    message_ts: Ts | None = None
    thread_ts: Ts | None = None
    is_ephemeral: bool = False
    uses: int = 0


@dataclass(slots=True, kw_only=True)
class Permits:
    """All that was given out and may still come back."""

    triggers: dict[str, Trigger] = field(default_factory=dict[str, Trigger])
    replies: dict[str, ReplyPermit] = field(default_factory=dict[str, ReplyPermit])


def new_trigger(permits: Permits, trigger: Trigger) -> str:
    """The trigger_id under which the trigger can be used, once and for three seconds."""
    trigger_id = f"{int(trigger.given_at)}.{len(permits.triggers)}.{secrets.token_hex(16)}"
    permits.triggers[trigger_id] = trigger
    return trigger_id


def checked_trigger(permits: Permits, trigger_id: str, now: float) -> Trigger:
    """The trigger, not yet spent.

    Raises RefusedError: invalid_trigger_id, exchanged_trigger_id or expired_trigger_id.
    """
    trigger = permits.triggers.get(trigger_id)
    if trigger is None:
        raise RefusedError("invalid_trigger_id")
    if trigger.is_spent:
        raise RefusedError("exchanged_trigger_id")
    if now - trigger.given_at > TRIGGER_SECONDS:
        raise RefusedError("expired_trigger_id")
    return trigger


def new_reply(permits: Permits, permit: ReplyPermit) -> str:
    """The key under which the bot may answer; it is the secret part of a response_url."""
    key = secrets.token_urlsafe(24)
    permits.replies[key] = permit
    return key


def use_reply(permits: Permits, key: str, now: float) -> ReplyPermit | None:
    """The permit, with one use less; None when there is no such key.

    Raises RefusedError: expired_url or used_url.
    """
    permit = permits.replies.get(key)
    if permit is None:
        return None
    if now - permit.given_at > REPLY_SECONDS:
        raise RefusedError("expired_url")
    if permit.uses >= REPLY_USES:
        raise RefusedError("used_url")
    permit.uses += 1
    return permit
