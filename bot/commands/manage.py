"""Commands about reviews: who waits, what happened, and moving a review without deciding it."""

from __future__ import annotations

from collections.abc import Mapping, Set

from bot.commands.asker import Asker
from bot.commands.parse import ID, About, Halt, Pending, Reassign, Verb
from bot.commands.waiting import Sight, waiting
from bot.dispatch import Dispatcher
from bot.errors import SlackRefused, SlackUnavailable
from bot.render import commands as drawn
from bot.render import reviews as pages
from bot.render.mrkdwn import Mrkdwn, fill, join, one_line, say
from bot.render.people import people
from bot.render.told import name
from bot.reviews.gate_policy import Who
from bot.reviews.machine import By
from bot.reviews.model import Review, Transition
from bot.reviews.policy import Action, Role, Standing, may_be_assigned, may_manage, roles_for
from bot.reviews.policy_rules import Policies
from bot.reviews.repeats import may_be_asked_again
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.host import SessionHost
from bot.sessions.standing import Standings
from bot.slack.directory import Directory
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import Message, MessageRef, ReviewId, UserId

ReviewCommand = Pending | About | Reassign | Halt
_MOVES: Mapping[Verb, Action] = {"remind": "remind", "escalate": "escalate", "cancel": "cancel", "lift": "lift"}


class Managing:
    """Does what `/flows pending`, `show`, `history`, `remind` and their kin say. Authority is asked each time."""

    def __init__(
        self,
        *,
        host: SessionHost,
        reviews: ReviewService,
        cards: Cards,
        people: People,
        directory: Directory,
        standings: Standings,
        outbound: Outbound,
        dispatcher: Dispatcher,
        policies: Policies,
    ) -> None:
        self._host, self._reviews, self._cards = host, reviews, cards
        self._people, self._directory, self._standings = people, directory, standings
        self._outbound, self._dispatcher, self._policies = outbound, dispatcher, policies

    async def do(self, command: ReviewCommand, asker: Asker) -> Message:
        """Do it, and say what was done or why not."""
        match command:
            case Pending():
                return await self._pending(asker)
            case Halt(halted=halted):
                return drawn.note(await self._halt(asker, halted=halted))
            case Reassign(id=wanted):
                review = await self._find(wanted, asker, is_open=True)
                return (
                    self._missing(wanted, "reassign", asker)
                    if review is None
                    else await self._to(command, review, asker)
                )
            case About(id=wanted, verb=verb):
                review = await self._find(wanted, asker, is_open=verb in ("remind", "escalate", "cancel"))
                return self._missing(wanted, verb, asker) if review is None else await self._about(verb, review, asker)

    async def again(self, review_id: ReviewId, card: MessageRef, asker: Asker) -> Message:
        """Do what the button on the card of an expired review says: the same as the command, for the same person."""
        review = await self._reviews.store.get(asker.team, review_id)
        if review is None or await self._cards.find(asker.team, review_id, card) is None:
            if review is not None:
                await self._reviews.note(review, "denied", await self._by(asker, reason="wrong_card"))
            return drawn.note(say("note.unknown_review", asker.language))
        return drawn.note(await self._again(review, asker))

    async def is_elsewhere(self, command: ReviewCommand, asker: Asker) -> bool:
        """Whether the answer tells of another channel than the one it would be shared in."""
        if isinstance(command, Halt):
            return False
        if isinstance(command, Pending):
            return True
        review = await self._find(command.id, asker, is_open=False)
        return review is not None and review.thread.channel != asker.channel

    async def _pending(self, asker: Asker) -> Message:
        sight = Sight(asker.team, asker.user, await self._people.person(asker.user), self._people, self._directory)
        found = await waiting(self._reviews.store, asker.team, sight, self._policies.operators, limit=pages.LISTED)
        shown = [(review, is_mine, await self._url(review)) for review, is_mine in found.shown]
        return pages.pending(shown, found.more, asker.language)

    async def _about(self, verb: Verb, review: Review, asker: Asker) -> Message:
        language = asker.language
        match verb:
            case "show":
                return pages.whole(review, await self._url(review), language)
            case "history":
                entries = await self._reviews.store.audit(review.team, review.id)
                return pages.history(review, entries, language)
            case "again":
                return drawn.note(await self._again(review, asker))
            case _:
                return drawn.note(await self._move(_MOVES[verb], review, asker))

    async def _move(self, action: Action, review: Review, asker: Asker) -> Mrkdwn:
        language, id_ = asker.language, name(review)
        refused = await self._refused(action, review, asker)
        if refused is not None:
            return refused
        by = await self._by(asker)
        change: Transition | None
        match action:
            case "remind":
                if review.is_pending and review.posted_at is None:
                    return say("manage.not_posted", language, id=id_)
                change = await self._reviews.remind(review.team, review.id, by)
                told = say("manage.reminded", language, id=id_)
            case "escalate":
                if review.is_pending and review.level >= len(review.policy.ladder):
                    return say("manage.no_rung", language, id=id_)
                change = await self._reviews.escalate(review.team, review.id, by)
                asked = people(change.after.asked or ()) if change is not None else fill("")
                told = say("manage.escalated", language, id=id_, people=asked)
            case "cancel":
                change = await self._reviews.cancel(review.team, review.id, by)
                told = say("manage.cancelled", language, id=id_)
            case _:
                change = await self._reviews.lift(review.team, review.id, by)
                if change is None:
                    return say("manage.not_blocked", language, id=id_)
                told = say("manage.lifted", language, id=id_)
        if change is None:
            return say("manage.not_open", language, id=id_)
        self._dispatcher.kick(review.thread.lane)
        return told

    async def _to(self, command: Reassign, review: Review, asker: Asker) -> Message:
        language = asker.language
        refused = await self._refused("reassign", review, asker)
        if refused is not None:
            return drawn.note(refused)
        person = await self._person(command.to)
        if person is None:
            return drawn.note(say("manage.nobody_called", language, name=one_line(command.to)))
        user, policy = UserId(person.id), review.policy
        who = await self._people.person(user)
        rungs = [each for rung in policy.ladder for each in rung.who]
        named = await self._directory.people((*(policy.pool or ()), *rungs), asking=user)
        standing = await self._standings.of(review, user)
        roles = await self._roles(review, asker.user)
        if who is None or named is None or standing is None:
            return drawn.note(say("manage.not_sure", language))
        is_fit = not (who.is_bot or who.is_guest or who.is_stranger or who.is_deleted)
        if not is_fit or not may_be_assigned(review, user, standing, by_operator="operator" in roles, named=named):
            await self._reviews.note(review, "denied", await self._by(asker, reason="reassign"))
            return drawn.note(say("manage.not_assignable", language, id=name(review), people=people([person])))
        change = await self._reviews.reassign(review.team, review.id, (person,), await self._by(asker))
        if change is None:
            return drawn.note(say("manage.not_open", language, id=name(review)))
        self._dispatcher.kick(review.thread.lane)
        return drawn.note(say("manage.reassigned", language, id=name(review), people=people([person])))

    async def _again(self, review: Review, asker: Asker) -> Mrkdwn:
        language, id_ = asker.language, name(review)
        if review.is_pending or review.source != "timeout":
            return say("manage.not_expired", language, id=id_)
        refused = await self._refused("ask_again", review, asker)
        if refused is not None:
            return refused
        if not may_be_asked_again(review):
            return say("manage.was_approved", language, id=id_)
        is_new = await self._host.add_run(
            review.thread,
            f"again:{review.id}",
            flow_name=review.gate.flow_name,
            user=review.requester,
            inputs=review.inputs,
            root_is_ours=False,
            said=review.said,
        )
        if not is_new:
            return say("manage.again_already", language, id=id_)
        await self._reviews.note(review, "asked_again", await self._by(asker))
        return say("manage.again", language, id=id_)

    async def _halt(self, asker: Asker, *, halted: bool) -> Mrkdwn:
        language = asker.language
        if not self._policies.operators:
            return say("manage.no_operators", language)
        if not await self._standings.is_operator(asker.user, self._policies.operators):
            await self._reviews.denied_halt(asker.team, await self._by(asker, reason="halt"))
            return _for(roles_for("halt"), asker)
        changed = await self._reviews.halt(asker.team, await self._by(asker), halted=halted)
        if halted:
            go_on = fill("`{}continue`", asker.prefix)
            return say("manage.halted", language, command=go_on) if changed else say("manage.already_halted", language)
        return say("manage.continued" if changed else "manage.not_halted", language)

    async def _refused(self, action: Action, review: Review, asker: Asker) -> Mrkdwn | None:
        """Why this person may not do this, kept in the record; None when they may."""
        if may_manage(action, await self._roles(review, asker.user), review):
            return None
        await self._reviews.note(review, "denied", await self._by(asker, reason=action))
        allowed = roles_for(action, review)
        if allowed == frozenset[Role]({"operator"}) and not self._policies.operators:
            return say("manage.no_operators", asker.language)
        return _for(allowed, asker)

    async def _roles(self, review: Review, user: UserId) -> Set[Role]:
        """What this person is to the review. Slack's silence gives nobody a role."""
        roles: set[Role] = set()
        person = await self._people.person(user)
        if person is None or person.is_bot or person.is_deleted or person.is_stranger or person.team != review.team:
            return roles
        if user == review.requester:
            roles.add("requester")
        if await self._standings.is_operator(user, self._policies.operators):
            roles.add("operator")
        standing = await self._standings.of(review, user)
        if standing is not None and not person.is_guest and user in _asked(standing):
            roles.add("asked")
        return roles

    async def _sees(self, review: Review, user: UserId) -> bool:
        try:
            return user in await self._people.members(review.thread.channel, asking=user)
        except SlackUnavailable:
            return False

    async def _find(self, wanted: str | None, asker: Asker, *, is_open: bool) -> Review | None:
        """The review that is meant, if this person may know of it: never by number alone."""
        if wanted is None:
            if asker.thread is None:
                return None
            found = await self._reviews.store.in_thread(asker.thread)
            meant = [review for review in found if review.is_pending or not is_open]
            review = meant[-1] if meant else None
        else:
            id_ = ID.fullmatch(wanted)
            if id_ is None or id_[1].casefold() != "r":
                return None
            review = await self._reviews.store.by_number(asker.team, int(id_[2]))
        if review is None:
            return None
        known = await self._sees(review, asker.user) or await self._roles(review, asker.user)
        return review if known else None

    async def _person(self, said: str) -> Who | None:
        found = await self._directory.find([said])
        who = found.get(said)
        return who if who is not None and who.kind == "person" else None

    async def _by(self, asker: Asker, *, reason: str = "") -> By:
        person = await self._people.person(asker.user)
        return By(person=person, source=asker.source, reason_code=reason)

    async def _url(self, review: Review) -> str | None:
        ref = await self._reviews.cards.main(review.team, review.id)
        try:
            return await self._outbound.permalink(ref or MessageRef(channel=review.thread.channel, ts=review.thread.ts))
        except (SlackRefused, SlackUnavailable):
            return None

    @staticmethod
    def _missing(wanted: str | None, verb: str, asker: Asker) -> Message:
        if wanted is None:
            return drawn.note(say("manage.which", asker.language, p=asker.prefix, verb=one_line(verb)))
        return drawn.note(say("status.missing", asker.language, id=one_line(wanted)))


def _asked(standing: Standing) -> Set[UserId]:
    return standing.seeing if standing.asked is None else standing.asked


def _for(roles: Set[Role], asker: Asker) -> Mrkdwn:
    words = join([say(f"role.{role}", asker.language) for role in sorted(roles)], ", ")
    return say("manage.not_allowed", asker.language, roles=words)
