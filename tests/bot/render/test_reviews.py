"""A review whole, and its history, as people read them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from bot.render.reviews import history, history_line, whole
from bot.reviews.gate_policy import GatePolicy, Limit, Tier, Who
from bot.reviews.model import AuditEntry, ReviewState
from bot.testing import text_of
from bot.types import Message

BRUNO = Who(kind="person", id="UBRUNO", name="@bruno")


def line(kind: str, **changes) -> AuditEntry:
    entry = AuditEntry(
        review=None,
        version=None,
        kind=kind,
        actor="T1/UCARLA",
        actor_name="Carla",
        from_state=None,
        to_state=None,
        payload_hash="h",
        at=datetime(2026, 11, 30, 14, 7, tzinfo=UTC),
    )
    return replace(entry, **changes)


def words(message: Message) -> str:
    return text_of({"text": message.text, "blocks": list(message.blocks)})


@pytest.fixture
def review(make_review):
    """A review of the high tier that Bruno is asked about."""
    return make_review(policy=GatePolicy(gate="a.b", tier=Tier.HIGH, pool=(BRUNO,)), asked=(BRUNO,))


@pytest.mark.parametrize(
    ("entry", "language", "says"),
    [
        pytest.param(line("denied", reason_code="not_asked"), "ko", "거부 · Carla · 담당이 아님", id="not-asked"),
        pytest.param(line("denied", reason_code="lift"), "pt", "tentou liberar o bloqueio", id="an-action"),
        pytest.param(line("denied", reason_code="loop_limit"), "pt", "devolvido vezes demais", id="too-many-rounds"),
        pytest.param(line("auto_rejected", reason_code="never_posted"), "ko", "카드를 올리지 못함", id="never-posted"),
        pytest.param(line("decided", reason_code="not_allowed"), "pt", "Não permitido", id="reason-of-a-rejection"),
        pytest.param(line("denied", reason_code="of_tomorrow"), "en", "refused · Carla · Of tomorrow", id="unknown"),
    ],
)
def test_why_it_was_is_in_the_readers_language(entry, language, says, review) -> None:
    assert history_line(entry, review, language).endswith(says)


def test_a_change_of_the_content_is_said_once(review) -> None:
    said = history_line(line("payload_changed", reason_code="payload_changed"), review, "pt")

    assert said.endswith("o conteúdo mudou · Carla")


@pytest.mark.parametrize(
    ("why", "language", "says"),
    [
        pytest.param("timeout", "en", "was asked before: <@UBRUNO> · no answer in time", id="nobody-answered"),
        pytest.param("manual", "en", "was asked before: <@UBRUNO> · moved on by Carla", id="somebody-moved-it"),
        pytest.param("manual", "pt", "antes com <@UBRUNO> · encaminhado por Carla", id="in-portuguese"),
        pytest.param("manual", "ko", "이전 담당: <@UBRUNO> · Carla님이 넘김", id="in-korean"),
        pytest.param("never_posted", "en", "was asked before: <@UBRUNO> · its card could not be posted", id="unseen"),
    ],
)
def test_whoever_was_asked_before_is_named_with_the_reason_once(why, language, says, review) -> None:
    entry = line("escalated", reason_code=why, detail={"passed_over": [{"who": "UBRUNO", "why": why}]})

    assert history_line(entry, review, language).endswith(f"Carla · {says}")


@pytest.mark.parametrize(
    ("tier", "language", "says"),
    [
        pytest.param(Tier.HIGH, "pt", "etapa a.b · risco alto · uma pessoa decide", id="high"),
        pytest.param(Tier.LOW, "ko", "단계 a.b · 낮은 위험 · 사람이 결정", id="low"),
    ],
)
def test_the_tier_is_in_the_readers_language(tier, language, says, make_review) -> None:
    shown = words(whole(make_review(policy=GatePolicy(gate="a.b", tier=tier)), None, language))

    assert says in shown.splitlines()


@pytest.fixture
def limit() -> Limit:
    return Limit(field="amount", up_to=Decimal(50), sum_up_to=Decimal(200), window=timedelta(days=1))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({}, "a person decides: it is not within what may pass by itself", id="waiting"),
        pytest.param(
            {"state": ReviewState.COMPLETED, "source": "auto", "outcome": "approved"}, "passed by itself", id="passed"
        ),
        pytest.param(
            {"state": ReviewState.COMPLETED, "source": "button", "outcome": "approved"},
            "a person decides: it is not within what may pass by itself",
            id="decided",
        ),
    ],
)
def test_one_review_and_its_history_say_alike_who_decided(changes, says, make_review, limit) -> None:
    policy = GatePolicy(gate="a.b", autonomy="auto", limit=limit, limit_reason="small sums")
    review = make_review(policy=policy, **changes)

    assert f"gate a.b · low risk · {says}" in words(whole(review, None, "en")).splitlines()
    assert f"gate a.b · low risk · {says}" in words(history(review, [], "en")).splitlines()
