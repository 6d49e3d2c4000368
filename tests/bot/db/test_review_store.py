"""What reviews promise, on both databases, also where two processes share one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.inbox import Inbox
from bot.reviews.audit_check import verify
from bot.reviews.content import Content
from bot.reviews.gate_policy import Limit, Tier, Who
from bot.reviews.machine import By, Event, transition
from bot.reviews.model import AlreadyResolved, Card, Refused, ReviewState, Stale, Unknown, Won
from bot.reviews.record import head, rows
from bot.reviews.service import resume_entry
from bot.types import ChannelId, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId

T1, T2 = TeamId("T1"), TeamId("T2")
HOME = ThreadKey(team=T1, channel=ChannelId("C1"), ts=Ts("1.0"))
DAY = timedelta(days=1)
LIMIT = Limit(field="amount", up_to=Decimal(100), sum_up_to=Decimal(100), window=DAY)
AUTO = {"autonomy": "auto", "limit": LIMIT, "limit_reason": "Small sums may pass."}


async def kinds(service, review) -> list[str]:
    return [entry.kind for entry in await service.store.audit(review.team, review.id)]


async def is_whole(db) -> bool:
    async with db.tx() as tx:
        end = await head(tx, T1)
        assert end is not None
        return verify(await rows(tx, T1, 0, 10_000), end, end.public_key) is None


# Opening


async def test_opening_a_review_twice_opens_it_once(reviews, make_new) -> None:
    first, again = await reviews.open(make_new()), await reviews.open(make_new())

    assert first == again
    assert (first.n, first.round, first.version) == (1, 1, 1)
    assert await kinds(reviews, first) == ["opened"]


async def test_two_processes_that_open_one_review_at_once_open_it_once(open_db, make_service, make_new) -> None:
    services = [make_service(await open_db()) for _ in range(2)]

    made = await asyncio.gather(*(each.open(make_new(f"rv{n}")) for n in range(10) for each in services))

    assert made[::2] == made[1::2]
    assert sorted(review.n for review in made[::2]) == list(range(1, 11))


async def test_a_review_is_read_back_as_it_was_opened(reviews, make_new) -> None:
    policy = {**AUTO, "tier": Tier.LOW, "reminders": (timedelta(minutes=5),), "pool": None, "reason_codes": ("a", "b")}
    new = make_new(
        policy={**policy, "sources": {"tier": "built in"}},
        amount=Decimal("101.50"),
        inputs={"order": 7, "text": "승인 %?"},
        said="refund 7",
        target_channel=ChannelId("C2"),
        target_thread=None,
    )

    opened = await reviews.open(new)

    assert await reviews.store.get(T1, opened.id) == opened
    assert await reviews.store.by_number(T1, opened.n) == opened
    assert (opened.policy, opened.amount, opened.inputs, opened.said) == (new.policy, new.amount, new.inputs, new.said)


async def test_a_second_request_of_the_same_step_is_the_next_round(reviews, make_new) -> None:
    await reviews.open(make_new("rv1"))

    second = await reviews.open(make_new("rv2"))

    assert (second.n, second.round) == (2, 2)
    assert [review.n for review in await reviews.store.of_run(T1, RunId("run1"))] == [1, 2]
    assert [review.n for review in await reviews.store.in_thread(HOME)] == [1, 2]
    assert [review.n for review in await reviews.store.pending(T1, limit=1)] == [1]


async def test_what_waits_is_read_page_by_page(reviews, make_new) -> None:
    await reviews.open(make_new("rv1"))
    await reviews.open(make_new("rv2"))

    assert [review.n for review in await reviews.store.pending(T1, limit=1, after_n=1)] == [2]
    assert await reviews.store.pending(T1, after_n=2) == []


async def test_another_workspace_sees_nothing_of_it(reviews, make_new) -> None:
    review = await reviews.open(make_new())

    assert await reviews.store.get(T2, review.id) is None
    assert await reviews.store.by_number(T2, review.n) is None
    assert await reviews.store.pending(T2) == []


# Deciding


async def test_a_flip_its_record_and_its_work_are_one_transaction(db, reviews, opened, clock) -> None:
    review = await opened()
    change = transition(review, Event.APPROVE, By(outcome="approved"), clock.now())
    assert change is not None

    flipped = [await reviews.store.commit(change, resume_entry(change.after, clock.now())) for _ in range(2)]

    assert flipped == [True, False]
    assert await reviews.store.get(T1, review.id) == change.after
    assert await kinds(reviews, review) == ["opened", "posted", "decided"]
    assert await Inbox(db, T1).open_lanes(1.0) == [review.thread.lane]


async def test_a_flip_whose_work_cannot_be_stored_did_not_happen(db, reviews, opened, clock) -> None:
    review = await opened()
    change = transition(review, Event.APPROVE, By(outcome="approved"), clock.now())
    assert change is not None
    async with db.tx() as tx:
        await tx.run("alter table inbox rename to inbox_gone")

    with pytest.raises(Exception, match="inbox"):
        await reviews.store.commit(change, resume_entry(change.after, clock.now()))

    assert await reviews.store.get(T1, review.id) == review
    assert await kinds(reviews, review) == ["opened", "posted"]


async def test_of_many_who_decide_at_once_one_wins_and_the_others_learn_who(
    open_db, make_service, opened, decide
) -> None:
    services = [make_service(await open_db()) for _ in range(2)]
    review = await opened()

    verdicts = await asyncio.gather(
        *(decide(services[n % 2], review, ("approved", "rejected")[n % 3 == 0], user=f"U{n}") for n in range(12))
    )

    [won] = [each for each in verdicts if isinstance(each, Won)]
    others = [each for each in verdicts if each is not won]
    assert others == [AlreadyResolved(review=won.review)] * 11
    assert await kinds(services[0], review) == ["opened", "posted", "decided"]


async def test_a_decision_from_another_workspace_finds_nothing(reviews, opened, decide) -> None:
    review = await opened()
    elsewhere = replace(review, thread=replace(review.thread, team=T2))

    assert await decide(reviews, elsewhere) == Unknown()
    assert await reviews.store.get(T1, review.id) == review


# What is asked changes


async def test_a_changed_payload_is_asked_for_anew(reviews, opened, decide) -> None:
    review = await opened()
    content = Content(kind="text", text="Another draft.")

    changed = await reviews.changed(T1, review.id, "h2", content)

    assert changed is not None
    assert changed == await reviews.store.get(T1, review.id)
    assert (changed.payload_hash, changed.content, changed.posted_at) == ("h2", content, None)
    assert await decide(reviews, changed, version=review.version) == Stale(review=changed)
    assert isinstance(await decide(reviews, changed, version=changed.version), Won)


async def test_a_change_that_changes_nothing_is_none(reviews, opened) -> None:
    review = await opened()

    assert await reviews.changed(T1, review.id, review.payload_hash, review.content) == review


async def test_a_payload_that_changed_after_the_decision_takes_it_back_and_may_be_decided_again(
    db, reviews, opened, decide
) -> None:
    review = await opened()
    await decide(reviews, review)

    changed = await reviews.changed(T1, review.id, "h2", review.content)
    again = await decide(reviews, changed)

    assert (changed.state, changed.outcome, changed.decided_at) == (ReviewState.PENDING, None, None)
    assert isinstance(again, Won)
    async with db.tx() as tx:
        keys = [row[0] for row in await tx.run("select key from inbox where kind = 'resume' order by key")]
    assert keys == ["resume:rv1:2", "resume:rv1:4"]


async def test_what_would_run_is_compared_when_it_is_decided(reviews, opened, decide) -> None:
    review = await opened()

    assert await decide(reviews, review, hash_now="h2") == Stale(review=review, payload_changed=True)
    assert await reviews.store.get(T1, review.id) == review


# The card


async def test_the_clock_starts_once_with_the_first_confirmed_card(reviews, opened, clock) -> None:
    review = await opened()
    clock.advance(timedelta(minutes=1))

    await reviews.posted(review, MessageRef(channel=HOME.channel, ts=Ts("3.0")))

    found = await reviews.store.get(T1, review.id)
    assert found == review
    assert review.expires_at == review.opened_at + timedelta(minutes=30)
    assert [(card.ref.ts, card.kind) for card in await reviews.cards.of(T1, review.id)] == [
        ("2.0", "old"),
        ("3.0", "card"),
    ]
    assert await kinds(reviews, review) == ["opened", "posted"]


async def test_a_card_that_is_confirmed_after_the_end_starts_no_clock(reviews, opened) -> None:
    review = await opened(ts=None)
    await reviews.cancel(T1, review.id, By())

    await reviews.posted(review, MessageRef(channel=HOME.channel, ts=Ts("2.0")))

    found = await reviews.store.get(T1, review.id)
    assert found is not None
    assert (found.posted_at, found.expires_at) == (None, None)
    assert await reviews.cards.main(T1, review.id) == MessageRef(channel=HOME.channel, ts=Ts("2.0"))


async def test_failed_posts_are_counted_until_one_succeeds(reviews, opened) -> None:
    review = await opened(ts=None)

    assert [await reviews.store.failed_to_post(review) for _ in range(3)] == [1, 2, 3]
    await reviews.posted(review, MessageRef(channel=HOME.channel, ts=Ts("2.0")))
    assert await reviews.store.failed_to_post(review) == 0


async def test_a_card_stays_where_it_stands(reviews, opened) -> None:
    named = await opened(ts=None, target_channel=ChannelId("#refunds"), target_thread=None)
    placed = await reviews.store.place(named, ChannelId("C9"))
    assert await reviews.store.get(T1, named.id) == placed

    await reviews.posted(placed, MessageRef(channel=ChannelId("C9"), ts=Ts("2.0")))
    await reviews.store.place(placed, ChannelId("C8"))

    found = await reviews.store.get(T1, named.id)
    assert found is not None
    assert found.target_channel == "C9"


async def test_words_count_only_under_the_card_and_only_when_newer(reviews, opened) -> None:
    review = await opened(ts="7.0", target_channel=ChannelId("C2"), target_thread=None)
    spot = ThreadKey(team=T1, channel=ChannelId("C2"), ts=Ts("7.0"))

    assert await reviews.store.pending_in(HOME, spot, Ts("7.1")) == [review]
    assert await reviews.store.pending_in(HOME, spot, Ts("6.9")) == []
    assert await reviews.store.pending_in(HOME, HOME, Ts("7.1")) == []


# The clock


async def test_what_is_due_is_applied_fifty_at_a_time_the_longest_overdue_first(reviews, make_new, clock) -> None:
    for n in range(60):
        review = await reviews.open(make_new(f"rv{n:02}", policy={"ladder": ()}))
        await reviews.posted(review, MessageRef(channel=HOME.channel, ts=Ts(f"{n}.0")))
        clock.advance(timedelta(seconds=1))
    now = clock.advance(timedelta(hours=1))

    batches = [[change.after.id for change in await reviews.tick(T1, now)] for _ in range(3)]

    assert batches == [[f"rv{n:02}" for n in range(50)], [f"rv{n:02}" for n in range(50, 60)], []]
    [last] = [entry for entry in await reviews.store.audit(T1, ReviewId("rv59")) if entry.kind == "auto_rejected"]
    assert (last.reason_code, last.at) == ("timeout", now)


async def test_nothing_is_applied_before_its_moment_and_everything_at_it(reviews, opened) -> None:
    review = await opened()

    assert await reviews.tick(T1, review.expires_at - timedelta(milliseconds=1)) == []
    [moved] = await reviews.tick(T1, review.expires_at)
    assert (moved.after.level, moved.after.asked) == (1, review.policy.ladder[0].who)


async def test_due_reviews_of_another_workspace_are_left_alone(reviews, make_new, clock) -> None:
    await reviews.open(make_new(thread=ThreadKey(team=T2, channel=ChannelId("C1"), ts=Ts("1.0"))))
    now = clock.advance(DAY)

    assert await reviews.tick(T1, now) == []
    assert await reviews.store.due_in_channels(T1, now) == {}
    assert await reviews.store.due_in_channels(T2, now) == {"C1": 1}


async def test_two_processes_that_tick_and_decide_at_once_move_each_review_once(
    open_db, make_service, opened, decide, clock
) -> None:
    services = [make_service(await open_db()) for _ in range(2)]
    open_reviews = [await opened(f"rv{n:02}", ts=f"{n}.0", policy={"ladder": ()}) for n in range(40)]
    now = clock.advance(timedelta(minutes=30))

    made = await asyncio.gather(
        *(each.tick(T1, now, limit=25) for each in services * 2),
        *(decide(services[n % 2], review) for n, review in enumerate(reversed(open_reviews))),
    )

    ticked = [change.after.id for changes in made[:4] for change in changes]
    won = [verdict.review.id for verdict in made[4:] if isinstance(verdict, Won)]
    assert sorted(ticked + won) == [review.id for review in open_reviews]
    assert await is_whole(await open_db())


class HeldDb:
    """A database that stands still in front of the first statement with these words, until it is let go."""

    def __init__(self, db, words: str) -> None:
        self._db, self._words = db, words
        self.reached, self.let_go = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def tx(self, *, durable: bool = True):
        async with self._db.tx(durable=durable) as tx:
            self._tx = tx
            yield self

    async def run(self, sql: str, *args):
        if self._words in sql:
            self.reached.set()
            await self.let_go.wait()
        return await self._tx.run(sql, *args)


async def test_a_click_waits_for_a_tick_that_has_not_come_to_its_review_yet(
    open_db, make_service, opened, decide, clock
) -> None:
    held, other = HeldDb(await open_db(), "update cards set redraw_at"), make_service(await open_db())
    first, second = [await opened(f"rv{n}", ts=f"{n}.0", policy={"ladder": ()}) for n in range(2)]
    now = clock.advance(timedelta(minutes=30))

    tick = asyncio.create_task(make_service(held).tick(T1, now))
    await held.reached.wait()
    click = asyncio.create_task(decide(other, second))
    await asyncio.wait([click], timeout=0.2)
    held.let_go.set()

    assert [change.after.id for change in await tick] == [first.id, second.id]
    assert isinstance(await click, AlreadyResolved)


async def test_due_reviews_are_counted_by_the_channel_of_their_cards(reviews, opened, clock) -> None:
    await opened("rv1")
    await opened("rv2", ts="3.0")
    await opened("rv3", ts="4.0", target_channel=ChannelId("C2"), target_thread=None)
    assert await reviews.store.due_in_channels(T1, clock.now()) == {}

    assert await reviews.store.due_in_channels(T1, clock.advance(DAY)) == {"C1": 2, "C2": 1}


async def test_what_the_clock_moved_at_one_moment_is_found_by_channel(reviews, opened, clock, decide) -> None:
    moved = [await opened(f"rv{n}", ts=f"{n}.0") for n in range(2)]
    await opened("rv8", ts="8.0", target_channel=ChannelId("C2"), target_thread=None)
    now = clock.advance(timedelta(minutes=30))
    await decide(reviews, await opened("rv9", ts="9.0"))

    await reviews.tick(T1, now)

    assert [review.id for review in await reviews.store.changed_at(T1, HOME.channel, now)] == [
        *(review.id for review in moved),
        "rv9",
    ]
    assert await reviews.store.changed_at(T1, HOME.channel, now + timedelta(microseconds=1)) == []


# Passing unseen


async def test_the_sum_of_what_passed_unseen_is_kept_to_for_its_window(reviews, make_new, clock) -> None:
    ana, bia = (Person(team=T1, user=UserId(name), name=name) for name in ("UANA", "UBIA"))

    async def state(name: str, who: Person) -> str:
        return (await reviews.open(make_new(name, policy=AUTO, amount=Decimal(60), requester=who))).state

    assert await state("rv1", ana) == "auto_approved"
    assert await state("rv2", ana) == "pending_review"
    assert await state("rv3", bia) == "auto_approved"
    clock.advance(DAY + timedelta(seconds=1))
    assert await state("rv4", ana) == "auto_approved"


async def test_two_processes_that_open_at_once_let_no_more_pass_than_the_sum(open_db, make_service, make_new) -> None:
    services = [make_service(await open_db()) for _ in range(2)]

    made = await asyncio.gather(
        *(services[n % 2].open(make_new(f"rv{n}", policy=AUTO, amount=Decimal(40))) for n in range(10))
    )

    assert sorted(review.state for review in made) == ["auto_approved"] * 2 + ["pending_review"] * 8


async def test_a_batch_of_timeouts_lets_no_more_pass_than_the_sum(reviews, opened, clock) -> None:
    policy = {"ladder": (), "on_timeout": "auto_approve", "limit": LIMIT, "limit_reason": "Small sums may pass."}
    for n in range(5):
        await opened(f"rv{n}", ts=f"{n}.0", policy=policy, amount=Decimal(40))

    made = await reviews.tick(T1, clock.advance(timedelta(minutes=30)))

    assert [change.after.state for change in made] == ["auto_approved"] * 2 + ["auto_rejected"] * 3


# The gate, the workspace


async def test_a_gate_that_nobody_answered_stays_shut_until_it_is_lifted(reviews, opened, decide, clock) -> None:
    first = await opened("rv1", policy={"ladder": (), "blocks": True})
    await reviews.tick(T1, clock.advance(timedelta(minutes=30)))
    assert await reviews.store.is_blocked(T1, "f", "m")
    assert not await reviews.store.is_blocked(T1, "f", "other")
    assert not await reviews.store.is_blocked(T2, "f", "m")
    second = await opened("rv2", ts="3.0")

    refused = await decide(reviews, second)
    assert isinstance(refused, Refused)
    assert refused.refusal.reason == "blocked"
    assert await reviews.lift(T1, first.id, By()) is not None
    assert await reviews.lift(T1, first.id, By()) is None
    assert isinstance(await decide(reviews, second), Won)


async def test_reasons_are_counted_the_most_frequent_first(reviews, opened, decide) -> None:
    for n, code in enumerate(["other", "wrong", "wrong", "", "late"]):
        review = await opened(f"rv{n}", ts=f"{n}.0", policy={"reason_codes": ("other", "wrong", "late")})
        await decide(reviews, review, "rejected", reason_code=code)

    assert await reviews.store.reasons(T1) == [
        ("f", "m", "wrong", 2),
        ("f", "m", "late", 1),
        ("f", "m", "other", 1),
    ]
    assert await reviews.store.reasons(T2) == []


async def test_everything_is_paused_once_and_continued_once(reviews) -> None:
    by = By(account="root")

    assert [await reviews.halt(T1, by, halted=True) for _ in range(2)] == [True, False]
    assert await reviews.store.halted(T1) == "cli/root"
    assert await reviews.store.halted(T2) is None
    assert [await reviews.halt(T1, by, halted=False) for _ in range(2)] == [True, False]
    assert await reviews.store.halted(T1) is None


async def test_two_processes_that_pause_at_once_pause_once(open_db, make_service) -> None:
    services = [make_service(await open_db()) for _ in range(2)]

    paused = await asyncio.gather(*(each.halt(T1, By(), halted=True) for each in services * 3))

    assert sorted(paused) == [False] * 5 + [True]


async def test_a_policy_is_noted_when_it_is_another(reviews) -> None:
    assert [await reviews.policy_loaded(T1, digest) for digest in ("a", "a", "b", "a")] == [True, False, True, True]
    assert await reviews.store.last_policy(T1) == "a"
    assert await reviews.store.last_policy(T2) is None


async def test_who_is_asked_instead_is_kept(reviews, opened) -> None:
    review = await opened()
    eva = Who(kind="person", id="UEVA", name="eva")

    change = await reviews.reassign(T1, review.id, (eva,), By())

    assert change is not None
    assert await reviews.store.get(T1, review.id) == change.after
    assert change.after.asked == (eva,)


async def test_a_branch_has_one_runner_and_one_end(open_db, make_service, opened, decide) -> None:
    services = [make_service(await open_db()) for _ in range(2)]
    review = await opened()
    await decide(services[0], review)

    started = await asyncio.gather(*(each.start(T1, review.id) for each in services * 3))
    ended = await asyncio.gather(*(each.settle(T1, review.id, failed=False, result="Sent.") for each in services * 3))

    assert sum(each is not None for each in started) == 1
    assert [each.state for each in ended if each is not None] == ["completed"]


# The record


async def test_the_record_of_a_life_verifies(db, reviews, opened, decide, clock) -> None:
    review = await opened()
    await reviews.remind(T1, review.id, By())
    await reviews.escalate(T1, review.id, By())
    await reviews.cards.add(
        T1,
        Card(
            review=review.id,
            ref=MessageRef(channel=HOME.channel, ts=Ts("4.0")),
            kind="ask",
            thread_ts=None,
            shown_version=1,
        ),
    )
    await decide(reviews, review, "rejected", note="Não, 100 %?")

    assert await kinds(reviews, review) == ["opened", "posted", "reminded", "escalated", "assigned", "decided"]
    assert (await reviews.store.audit(T1, review.id))[-1].text == "Não, 100 %?"
    assert await is_whole(db)
