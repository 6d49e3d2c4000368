"""What a review is: its states, what may happen to it, and who did what, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

from bot.reviews.content import Content
from bot.reviews.gate_policy import GatePolicy, Who
from bot.types import ChannelId, Language, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId


class ReviewState(StrEnum):
    """Where a review stands."""

    PENDING = "pending_review"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    ANSWERED = "answered"
    AUTO_REJECTED = "auto_rejected"
    AUTO_APPROVED = "auto_approved"
    ESCALATED = "escalated"
    EXECUTING = "executing"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    ROLLBACK_PENDING = "rollback_pending"
    ROLLED_BACK = "rolled_back"
    MANUAL = "manual_intervention"


Disposition = Literal["approve", "reject", "send_back", "answer"]
"""What an outcome means for the review. A gate without outcomes is only answered."""

Source = Literal["button", "modal", "words", "skip", "command", "timeout", "auto"]
"""By which way a decision came. An explicit Skip is told apart: it took the gate's default. Nobody decided a `timeout`
or an `auto`: the policy did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What the flow asks, and what its author said about the answers."""

    flow_name: str
    method: str
    question: str
    emit: tuple[str, ...] = ()
    default_outcome: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReview:
    """A review that is about to be opened."""

    id: ReviewId
    run: RunId
    thread: ThreadKey
    """The thread of the run. Its card may stand elsewhere."""
    requester: Person
    gate: Gate
    content: Content
    language: Language
    target_channel: ChannelId
    """Where the card goes; the name as the flow gave it, as long as no such channel is known."""
    target_thread: Ts | None
    """None: the card is a root message of `target_channel`."""
    payload_hash: str
    policy: GatePolicy
    amount: Decimal | None = None
    """What counts against the policy's limit; None where there is no limit or no readable amount."""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the run was started with."""
    said: str = ""
    """The message that started the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A review as stored."""

    id: ReviewId
    n: int
    """Its number for people, per workspace: R-n. It proves nothing."""
    run: RunId
    thread: ThreadKey
    requester: UserId
    requester_name: str
    gate: Gate
    content: Content
    round: int
    """The round of the draft, 1 for the first: how often this step has asked in this run."""
    policy: GatePolicy
    """The policy it opened with. Later changes of the file leave it as it is."""
    amount: Decimal | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    said: str = ""
    language: Language
    target_channel: ChannelId
    target_thread: Ts | None
    payload_hash: str
    state: ReviewState
    version: int
    """Counts changes of this review."""
    content_version: int
    """The version since which a reviewer sees what is shown now; a click made before it is stale."""
    outcome: str | None = None
    decided_by: UserId | None = None
    decided_by_name: str | None = None
    decided_at: datetime | None = None
    source: Source | None = None
    note: str = ""
    result: str | None = None
    """What the flow ended with, once it has, in words for people."""
    opened_at: datetime
    posted_at: datetime | None = None
    """When Slack confirmed the card; None: nobody has seen it and no clock runs."""
    post_tries: int = 0
    started_at: datetime | None = None
    """When the one runner of this review's branch took it."""
    level: int = 0
    """How often it has moved up its ladder."""
    asked: tuple[Who, ...] | None = None
    """Who is asked now; None: every full member of the card's channel."""
    passed_over: tuple[Who, ...] = ()
    """Who was asked before and is not any more."""
    asked_at: datetime | None = None
    """When those who are asked now were told: the card's confirmation, or the last move."""
    reminded: int = 0
    """How many reminders those who are asked now have had."""
    expires_at: datetime | None = None
    """When those who are asked now have let it pass; None while the card is not confirmed."""
    blocked: bool = False
    """Whether nobody answered in time and an operator has to lift the block of its gate."""
    reason_code: str = ""

    @property
    def team(self) -> TeamId:
        """The workspace."""
        return self.thread.team

    @property
    def pages(self) -> bool:
        """Whether the rung that it stands on calls the pager."""
        ladder = self.policy.ladder
        return 0 < self.level <= len(ladder) and ladder[self.level - 1].pager

    @property
    def is_pending(self) -> bool:
        """True while a decision is waited for."""
        return self.state is ReviewState.PENDING


CardKind = Literal["card", "old", "ask", "copy", "notice"]
"""`card` is the review's card, `old` one whose content has changed since; `ask` repeats the buttons under a reply that
nobody could read; `copy` is the card once more, for somebody who is asked and does not see it; `notice` tells such a
person without the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One message that shows a review."""

    review: ReviewId
    ref: MessageRef
    kind: CardKind
    thread_ts: Ts | None
    user: UserId | None = None
    """Whose reply an `ask` is about."""
    note: str = ""
    """The reply itself: it goes with the button that the same person presses there."""
    shown_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Somebody wants to decide."""

    team: TeamId
    review: ReviewId
    version: int | None = None
    """The version that the person saw; None for words, which answer what is open."""
    label: str | None = None
    """An outcome of the gate, in words; None answers a gate without outcomes."""
    choice: int | None = None
    """An outcome of the gate, by its place in `emit`: what a button carries."""
    skip: bool = False
    """An explicit Skip: it takes the gate's default outcome."""
    user: UserId
    user_team: TeamId
    source: Source
    card: MessageRef | None = None
    """The message that was clicked."""
    note: str = ""
    reason_code: str = ""
    """Why it is rejected, where the policy asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of the record: a transition, a change that keeps the state, or an attempt that was refused."""

    review: ReviewId | None
    """None: a line about the whole workspace, such as a new policy."""
    version: int | None
    """The version that the transition made; None for what changed nothing."""
    kind: str
    actor: str
    """`T…/U…` of a person, `cli/<account>` of somebody at the command line, or `system`."""
    actor_name: str
    from_state: ReviewState | None
    to_state: ReviewState | None
    outcome: str | None = None
    source: Source | None = None
    reason_code: str = ""
    text: str = ""
    """Free words: a comment, a reply. Their hash is sealed, so they can be removed and the chain still verifies."""
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON: who is asked, who was passed over and why, what changed. No free words."""
    payload_hash: str
    policy_hash: str = ""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A review before and after one event, and the lines that record it."""

    before: Review
    after: Review
    entries: tuple[AuditEntry, ...]


RefusalReason = Literal[
    "bot",
    "guest",
    "stranger",
    "deleted",
    "not_member",
    "unknown_person",
    "wrong_card",
    "not_asked",
    "passed_over",
    "own_request",
    "blocked",
    "loop_limit",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """This person may not decide this review."""

    reason: RefusalReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Won:
    """This call decided the review."""

    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyResolved:
    """Somebody was first; the review says who and when."""

    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """What the person saw has changed since; nothing was decided."""

    review: Review
    payload_changed: bool = False
    """Whether what would be run is no more what the card shows: it is to be asked for anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The person may not decide; nothing was decided."""

    review: Review
    refusal: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonMissing:
    """The policy asks for a reason code, and none of its codes was given; nothing was decided."""

    review: Review
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """The label is none of the gate's; nothing was decided."""

    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """There is no such review in this workspace."""


Verdict = Won | AlreadyResolved | Stale | Refused | ReasonMissing | Unreadable | Unknown
