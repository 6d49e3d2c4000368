"""Who is meant and until when, in words that Slack turns into names and local times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.render.mrkdwn import Mrkdwn, channel_link, group_mention, join, mention, moment, one_line
from bot.reviews.gate_policy import Who
from bot.types import ChannelId, GroupId, UserId

_SHOWN = 6


def people(who: Sequence[Who]) -> Mrkdwn:
    """Everybody who is meant, mentioned; beyond six only how many more."""
    shown = [_one(each) for each in who[:_SHOWN]]
    more = len(who) - len(shown)
    return join([*shown, one_line(f"+{more}")] if more > 0 else shown, ", ")


def deadline(at: datetime) -> Mrkdwn:
    """A moment with its day, in the reader's own zone: "today at 15:30" where Slack can say so."""
    return moment(at, "{date_short_pretty} {time}")


def _one(who: Who) -> Mrkdwn:
    match who.kind:
        case "person":
            return mention(UserId(who.id))
        case "group":
            return group_mention(GroupId(who.id))
        case "channel":
            return channel_link(ChannelId(who.id))
        case "name":
            return one_line(who.name)
