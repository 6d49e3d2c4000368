"""The explanation of policies: every cell, its source, and which are empty."""

import json
from datetime import timedelta
from decimal import Decimal
from textwrap import dedent

import pytest

from bot.render import policy as render
from bot.render.wording import TEXTS
from bot.reviews import policy_file
from bot.reviews.explain import CELLS, autonomy_words, explain, written
from bot.reviews.gate_policy import GatePolicy, Limit, Tier
from bot.reviews.model import ReviewState
from bot.reviews.policy_rules import GateOf, Policies
from bot.types import LANGUAGES

REFUND = GateOf(flow_name="refund", flow_class="RefundFlow", method="review", emit=("approved", "rejected"))
NOTE = GateOf(flow_name="note", flow_class="NoteFlow", method="check")

COMPLETE = """
    operators: ["@ops"]
    gates:
      refund.review:
        tier: {field: amount, bands: [{up_to: 50, tier: low}, {tier: medium}]}
        pool: ["@editors"]
        escalate_to: [{ask: "@boss", review_time: 90s}]
        autonomy: auto
        limit: {field: amount, up_to: 20, sum_up_to: 60, window: 1d, currency: USD}
        reason: Small.
    """


def read(text: str, *gates: GateOf) -> Policies:
    return policy_file.read(dedent(text).encode(), "reviews.yml", gates)


def cells(policies: Policies, at: int = 0):
    row = explain(policies).rows[at]
    return {cell.name: cell for cell in row.cells}


def words(cell) -> list[str]:
    return [str(render.phrase(said, "en")) for said in cell.says]


def test_each_gate_is_there_in_every_tier_it_can_get():
    explanation = explain(read(COMPLETE, REFUND, NOTE))

    assert [(row.gate, row.tier) for row in explanation.rows if row.gate] == [
        ("note.check", "low"),
        ("refund.review", "low"),
        ("refund.review", "medium"),
        ("refund.review", "critical"),
    ]


def test_everything_else_that_waits_is_there_too():
    explanation = explain(read("", REFUND), asking=["refund.details"])

    assert [(row.gate, row.wait) for row in explanation.rows if row.wait] == [
        ("refund.details", "ask"),
        ("", "unposted"),
        ("", "manual"),
        ("", "paused"),
    ]


def test_every_row_has_every_cell():
    explanation = explain(read(COMPLETE, REFUND), asking=["refund.details"])

    assert {tuple(cell.name for cell in row.cells) for row in explanation.rows} == {CELLS}


def test_a_cell_says_what_holds_and_where_it_comes_from():
    found = cells(read(COMPLETE, REFUND), at=1)

    assert {name: (words(cell), cell.source) for name, cell in found.items()} == {
        "state": (["waiting for review"], "built-in"),
        "timeout": (["30m", "reminder after 15m"], "tier medium"),
        "ladder": (["@boss (1m 30s)"], "reviews.yml:7"),
        "end": (["rejected"], "built-in"),
        "people": (["@editors", "not whoever asked for it"], "reviews.yml:6"),
        "autonomy": (["a person decides"], "tier medium"),
    }


def test_a_complete_policy_has_no_empty_cell():
    assert explain(read(COMPLETE, REFUND)).empty == ()


def test_a_gate_that_nobody_wrote_about_is_complete_but_nobody_runs_it():
    empty = explain(read("", REFUND)).empty

    assert [(row.wait, cell.name) for row, cell in empty] == [
        ("unposted", "people"),
        ("manual", "people"),
        ("paused", "people"),
    ]


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        pytest.param("{tier: medium, pool: ['@a']}", ["ladder"], id="no-ladder"),
        pytest.param("{tier: medium, pool: ['@a'], escalate_to: []}", [], id="no-ladder-on-purpose"),
        pytest.param("{tier: high, pool: ['@a'], escalate_to: ['@b']}", ["end"], id="an-alert-to-nobody"),
        pytest.param("{tier: critical, pool: ['@a'], escalate_to: ['@b']}", ["end"], id="a-block-nobody-lifts"),
    ],
)
def test_what_nobody_said_above_low_is_empty(text, empty):
    found = cells(read(f"gates: {{refund.review: {text}}}", REFUND))

    assert [name for name, cell in found.items() if cell.mark == "empty"] == empty


def test_a_pool_that_is_empty_on_purpose_is_a_warning_in_low():
    cell = cells(read("gates: {refund.review: {pool: []}}", REFUND))["people"]

    assert (words(cell), cell.mark) == (["nobody"], "warning")


@pytest.mark.parametrize(
    ("gate", "text", "end"),
    [
        pytest.param(REFUND, "", ["rejected"], id="rejecting-label"),
        pytest.param(NOTE, "", ["cancelled"], id="no-rejecting-label"),
        pytest.param(
            REFUND,
            "gates: {refund.review: {on_timeout: auto_approve, reason: small, "
            "limit: {field: a, up_to: 5, sum_up_to: 9, window: 12h}}}",
            ["approved up to 5 (9 per person in 12h)", "rejected above that"],
            id="within-a-limit",
        ),
        pytest.param(
            REFUND,
            "{operators: ['@ops'], gates: {refund.review: {tier: critical, pool: ['@a']}}}",
            ["rejected", "@ops are alerted", "approving stays blocked until an operator lifts it"],
            id="critical",
        ),
    ],
)
def test_silence_ends_as_the_machine_ends_it(gate, text, end):
    assert words(cells(read(text, gate))["end"]) == end


LIMIT = Limit(field="a", up_to=Decimal(5), sum_up_to=Decimal(9), window=timedelta(days=1))


@pytest.mark.parametrize(
    ("policy", "state", "key"),
    [
        pytest.param({}, None, "person", id="asks"),
        pytest.param({"autonomy": "auto", "limit": LIMIT, "limit_reason": "x"}, None, "by_itself", id="auto"),
        pytest.param({"autonomy": "auto", "limit_reason": "x"}, None, "person", id="auto-without-limit"),
        pytest.param({"autonomy": "auto", "limit": LIMIT}, None, "person", id="auto-without-reason"),
        pytest.param(
            {"autonomy": "auto", "limit": LIMIT, "limit_reason": "x", "tier": Tier.MEDIUM}, None, "person", id="medium"
        ),
        pytest.param({"on_timeout": "auto_approve", "limit": LIMIT, "limit_reason": "x"}, None, "person", id="silence"),
        pytest.param(
            {"autonomy": "auto", "limit": LIMIT, "limit_reason": "x"},
            ReviewState.PENDING,
            "person_over_limit",
            id="auto-but-it-queues",
        ),
        pytest.param({}, ReviewState.PENDING, "person", id="queues"),
        pytest.param({"autonomy": "auto"}, ReviewState.AUTO_APPROVED, "passed", id="passed"),
    ],
)
def test_nothing_says_auto_that_queues_nor_the_reverse(policy, state, key):
    assert autonomy_words(GatePolicy(gate="a.b", **policy), state).key == f"autonomy.{key}"


@pytest.mark.parametrize(
    ("seconds", "text"), [(90, "1m 30s"), (1_800, "30m"), (5_400, "1h 30m"), (14_400, "4h"), (172_800, "2d")]
)
def test_a_time_span_reads_as_people_write_it(seconds, text):
    assert written(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_has_its_words(language):
    explanation = explain(read(COMPLETE, REFUND, NOTE), asking=["refund.details"])

    assert {said.key for row in explanation.rows for cell in row.cells for said in cell.says} <= set(TEXTS)
    assert "{" not in render.table(explanation, language)


def test_the_table_marks_what_is_missing():
    lines = render.table(explain(read("gates: {refund.review: {pool: []}}", REFUND)), "en").splitlines()

    assert [line for line in lines if line.startswith(("!", "?"))] == [
        "? people     nobody  [reviews.yml:1]",
        *["! people     no operators are named  [nobody has said]"] * 3,
    ]


def test_a_machine_reads_the_same():
    told = json.loads(json.dumps(render.as_json(explain(read(COMPLETE, REFUND)))))

    assert told["rows"][1]["cells"]["ladder"] == {"says": ["@boss (1m 30s)"], "source": "reviews.yml:7", "mark": ""}
    assert (told["rows"][1]["tier"], told["rows"][-1]["waits"], told["empty"]) == ("medium", "paused", 0)
    assert len(told["digest"]) == 64


def test_slack_shows_what_has_a_gap_first_and_mentions_nobody():
    policies = read(COMPLETE.replace("@editors", "@here"), REFUND, NOTE)

    shown = render.message(explain(policies, asking=["note.more"]), "en")

    texts = [json.dumps(block) for block in shown.blocks]

    assert "note.more" in texts[1]
    assert "<!" not in "".join(texts)
    assert "<@" not in "".join(texts)


def test_a_long_explanation_fits_into_one_message():
    gates = [GateOf(flow_name=f"flow{at}", flow_class="F", method="m") for at in range(80)]

    shown = render.message(explain(read("", *gates)), "pt")

    assert len(shown.blocks) <= 50
    assert "placet policy explain" in json.dumps(shown.blocks[-2])
