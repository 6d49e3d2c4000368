"""Clicks on cards, and the form that answers a gate without outcomes."""

# pyright: reportUnknownMemberType=false
# Slack's SDK and Bolt annotate their arguments with bare Dict and **kwargs.

from __future__ import annotations

import re
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.commands.run import Commands
from bot.render.mrkdwn import say
from bot.render.review_card import ASK_AGAIN, DECIDE, READ_ALL, REPLY, SKIP
from bot.render.review_forms import ANSWER_BLOCK, REASON_BLOCK, REASON_MODAL, REPLY_MODAL
from bot.reviews.model import ReasonMissing
from bot.sessions.host import SessionHost
from bot.sessions.notes import Notes
from bot.slack import inbound
from bot.slack.inbound import Ignored

log = structlog.get_logger(__name__)


@contextmanager
def stored_already() -> Generator[None, None, None]:
    """Keep what fails in showing a decision from looking as if the decision had failed.

    The decision is stored and acknowledged; the ticker draws its card again.
    """
    try:
        yield
    except Exception:
        log.exception("verdict_not_shown")


def register(app: AsyncApp, *, host: SessionHost, notes: Notes, answers: Commands) -> None:
    """Hear buttons, menus and forms."""

    @app.action(re.compile(rf"^({DECIDE}(:.*)?|{SKIP})$", re.DOTALL))
    async def decide(ack: AsyncAck, body: dict[str, Any]) -> None:
        click = inbound.click(body)
        if isinstance(click, Ignored):
            log.warning("click_ignored", reason=click.reason)
            await ack()
            return
        # One short transaction, then the ack: an acknowledged click is a stored one. When it fails nothing is
        # acknowledged, Slack shows a warning sign, and the person presses again.
        verdict = await host.answer(click.decision)
        await ack()
        if isinstance(verdict, ReasonMissing):
            # Nothing is decided yet: the form's own button decides.
            await host.ask_reason(verdict, click.decision, trigger_id=click.trigger_id)
            return
        with stored_already():
            await host.show(verdict, click.decision, channel=click.channel, thread_ts=click.thread_ts)

    @app.action(re.compile(rf"^({REPLY}|{READ_ALL})$"))
    async def open_form(ack: AsyncAck, body: dict[str, Any]) -> None:
        click = inbound.click(body)
        await ack()
        if isinstance(click, Ignored):
            log.warning("click_ignored", reason=click.reason)
            return
        decision = click.decision
        assert decision.card is not None, "a click comes from a message"
        await host.open_form(
            decision.team,
            decision.review,
            decision.user,
            card=decision.card,
            thread_ts=click.thread_ts,
            trigger_id=click.trigger_id,
            read_all=body["actions"][0]["action_id"] == READ_ALL,
        )

    @app.action(ASK_AGAIN)
    async def ask_again(ack: AsyncAck, body: dict[str, Any]) -> None:
        click = inbound.click(body)
        if isinstance(click, Ignored):
            log.warning("click_ignored", reason=click.reason)
            await ack()
            return
        decision = click.decision
        assert decision.card is not None, "a click comes from a message"
        said = await answers.again(
            team=decision.team, user=decision.user, channel=click.channel, review=decision.review, card=decision.card
        )
        await ack()
        await notes.whisper(click.channel, decision.user, said.text, click.thread_ts)

    @app.view(REPLY_MODAL)
    async def answer(ack: AsyncAck, body: dict[str, Any]) -> None:
        decision = inbound.answer(body)
        if isinstance(decision, Ignored):
            log.warning("form_ignored", reason=decision.reason)
            await ack()
            return
        if not decision.note:
            language = await notes.language_of(decision.user)
            await ack(response_action="errors", errors={ANSWER_BLOCK: say("modal.reply_missing", language)})
            return
        verdict = await host.answer(decision)
        await ack()
        with stored_already():
            await host.show_where_it_stands(verdict, decision)

    @app.view(REASON_MODAL)
    async def reason(ack: AsyncAck, body: dict[str, Any]) -> None:
        decision = inbound.reason(body)
        if isinstance(decision, Ignored):
            log.warning("form_ignored", reason=decision.reason)
            await ack()
            return
        verdict = await host.answer(decision)
        if isinstance(verdict, ReasonMissing):
            language = await notes.language_of(decision.user)
            await ack(response_action="errors", errors={REASON_BLOCK: say("modal.reason_missing", language)})
            return
        await ack()
        with stored_already():
            await host.show_where_it_stands(verdict, decision)

    @app.error
    async def failed(error: Exception, body: dict[str, Any]) -> None:
        reference = uuid.uuid4().hex[:8]
        log.error("listener_failed", kind=body.get("type"), reference=reference, exc_info=error)
        click = inbound.click(body) if body.get("type") == "block_actions" else Ignored(reason="no click")
        if not isinstance(click, Ignored):
            await host.own_up(click.decision.user, click.channel, click.thread_ts, reference)

    del decide, open_form, ask_again, answer, reason, failed
