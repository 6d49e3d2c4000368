"""What Slack sent, as one of our values, or Ignored with the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bot.render.mrkdwn import unescape
from bot.render.review_card import SKIP
from bot.render.review_forms import ANSWER_BLOCK, ANSWER_INPUT, REASON_BLOCK, REASON_INPUT
from bot.reviews.model import Decision
from bot.types import ChannelId, MessageRef, ReviewId, TeamId, ThreadKey, Ts, UserId, UserMessage

Payload = Mapping[str, Any]

# A person's message is one of these; everything else (edits, joins, bots, unfurls) is not something that was said.
_SPOKEN = frozenset({None, "file_share", "thread_broadcast"})
ABOUT_PEOPLE = frozenset(
    {
        "user_change",
        "subteam_updated",
        "subteam_members_changed",
        "channel_archive",
        "channel_unarchive",
        "group_archive",
        "group_unarchive",
        "member_joined_channel",
        "member_left_channel",
    }
)
"""Events after which what is known of people, groups and channels is asked anew."""
_TWINS = frozenset({"message", "app_mention"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Nothing for us, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Somebody pressed something on a review's message."""

    decision: Decision
    channel: ChannelId
    thread_ts: Ts | None
    """Where a private note about it belongs."""
    trigger_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashCommand:
    """Somebody typed the slash command."""

    team: TeamId
    channel: ChannelId
    user: UserId
    text: str
    trigger_id: str


def message(body: Payload, bot_user: UserId) -> UserMessage | Ignored:
    """A person's message, from an `events_api` body.

    `app_mention` and `message` both arrive for one mention, with the same ts and in any order; both give the same
    value here, so that whichever comes first is stored.
    """
    event = _mapping(body.get("event"))
    if event.get("type") not in _TWINS:
        return Ignored(reason=f"event {event.get('type')}")
    if event.get("subtype") not in _SPOKEN:
        return Ignored(reason=f"subtype {event.get('subtype')}")
    if event.get("bot_id") or event.get("app_id") or not event.get("user"):
        return Ignored(reason="not a person")
    user = UserId(str(event["user"]))
    if user == bot_user:
        return Ignored(reason="own message")
    channel, ts = ChannelId(str(event.get("channel", ""))), Ts(str(event.get("ts", "")))
    if not channel or not ts:
        return Ignored(reason="no channel or ts")
    raw = str(event.get("text") or "")
    own_mention = re.compile(rf"<@{re.escape(bot_user)}(\|[^>]*)?>")
    is_direct = event.get("channel_type") == "im" or channel.startswith("D")
    root = event.get("thread_ts")
    return UserMessage(
        thread=ThreadKey(team=_team(body), channel=channel, ts=Ts(str(root or ts))),
        ts=ts,
        user=user,
        text=unescape(own_mention.sub(" ", raw)).strip(),
        addressed=is_direct or own_mention.search(raw) is not None,
        in_thread=root is not None,
        under_bot=event.get("parent_user_id") == bot_user,
    )


def click(body: Payload) -> Click | Ignored:
    """A press on a review's button or menu, from a `block_actions` body."""
    actions = body.get("actions")
    if not isinstance(actions, list) or not actions:
        return Ignored(reason="no action")
    action = _mapping(cast("list[Any]", actions)[0])
    container = _mapping(body.get("container"))
    message = _mapping(body.get("message"))
    option = _mapping(action.get("selected_option"))
    name, _, rest = str(action.get("action_id", "")).partition(":")
    value = str(option.get("value") or action.get("value") or "")
    review, _, tail = value.partition(":")
    version, _, picked = tail.partition(":")
    choice = picked or rest.partition(":")[0]
    if not review or not version.isdecimal():
        return Ignored(reason="no review in the value")
    channel = ChannelId(str(container.get("channel_id") or _mapping(body.get("channel")).get("id") or ""))
    ts = Ts(str(container.get("message_ts") or ""))
    # Bolt reads only message.thread_ts; a private message's click has it in the container alone.
    thread = container.get("thread_ts") or message.get("thread_ts") or ts
    user = _mapping(body.get("user"))
    decision = Decision(
        team=_team(body),
        review=ReviewId(review),
        version=int(version),
        choice=int(choice) if choice.isdecimal() else None,
        skip=SKIP in (name, picked),
        user=UserId(str(user.get("id", ""))),
        user_team=TeamId(str(user.get("team_id") or _team(body))),
        source="button",
        card=MessageRef(channel=channel, ts=ts),
    )
    return Click(
        decision=decision,
        channel=channel,
        thread_ts=Ts(str(thread)) if thread else None,
        trigger_id=str(body.get("trigger_id", "")),
    )


def answer(body: Payload) -> Decision | Ignored:
    """The answer typed into the reply form, from a `view_submission` body. An empty one has an empty note."""
    view = _mapping(body.get("view"))
    review, _, version = str(view.get("private_metadata", "")).partition(":")
    if not review or not version.isdecimal():
        return Ignored(reason="no review in the form")
    values = _mapping(_mapping(view.get("state")).get("values"))
    text = _mapping(_mapping(values.get(ANSWER_BLOCK)).get(ANSWER_INPUT)).get("value")
    user = _mapping(body.get("user"))
    return Decision(
        team=TeamId(str(view.get("app_installed_team_id") or _team(body))),
        review=ReviewId(review),
        version=int(version),
        user=UserId(str(user.get("id", ""))),
        user_team=TeamId(str(user.get("team_id") or _team(body))),
        source="modal",
        note=str(text or "").strip(),
    )


def reason(body: Payload) -> Decision | Ignored:
    """A rejection with its reason, from a `view_submission` body."""
    view = _mapping(body.get("view"))
    parts = str(view.get("private_metadata", "")).split(":")
    if len(parts) != 3 or not parts[1].isdecimal() or not parts[2].isdecimal():
        return Ignored(reason="no review in the form")
    values = _mapping(_mapping(view.get("state")).get("values"))
    chosen = _mapping(_mapping(values.get(REASON_BLOCK)).get(REASON_INPUT)).get("selected_option")
    text = _mapping(_mapping(values.get(ANSWER_BLOCK)).get(ANSWER_INPUT)).get("value")
    user = _mapping(body.get("user"))
    return Decision(
        team=TeamId(str(view.get("app_installed_team_id") or _team(body))),
        review=ReviewId(parts[0]),
        version=int(parts[1]),
        choice=int(parts[2]),
        user=UserId(str(user.get("id", ""))),
        user_team=TeamId(str(user.get("team_id") or _team(body))),
        source="modal",
        note=str(text or "").strip(),
        reason_code=str(_mapping(chosen).get("value") or ""),
    )


def slash_command(body: Payload) -> SlashCommand:
    """The slash command, from its form."""
    return SlashCommand(
        team=TeamId(str(body["team_id"])),
        channel=ChannelId(str(body["channel_id"])),
        user=UserId(str(body["user_id"])),
        text=unescape(str(body.get("text") or "")),
        trigger_id=str(body.get("trigger_id", "")),
    )


def event_type(body: Payload) -> str:
    """What kind of event this is, for the log."""
    return str(_mapping(body.get("event")).get("type") or body.get("type") or "unknown")


def _team(body: Payload) -> TeamId:
    return TeamId(str(body.get("team_id") or _mapping(body.get("team")).get("id") or ""))


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
