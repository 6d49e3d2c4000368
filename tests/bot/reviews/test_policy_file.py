"""What a policy file may say, how it is merged, and everything for which it is refused."""

import contextlib
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.reviews import policy_file
from bot.reviews.gate_policy import Tier, Who
from bot.reviews.model import Gate
from bot.reviews.policy_faults import PolicyError
from bot.reviews.policy_layers import REASON_CODES
from bot.reviews.policy_rules import MISSING, GateOf, Policies

REFUND = GateOf(
    flow_name="refund", flow_class="RefundFlow", method="review", emit=("approved", "rejected"), question="Pay?"
)
NOTE = GateOf(flow_name="note", flow_class="NoteFlow", method="check", emit=("publish", "discard"))

RULED = """
    operators: ["@ops"]
    pager: https://hooks.slack.com/services/x
    gates:
      RefundFlow.review:
        tier:
          field: amount
          currency: USD
          bands:
            - {up_to: 50, tier: low}
            - {up_to: 500, tier: medium, risk_score: 40}
            - {tier: high}
        autonomy: auto
        limit: {field: amount, up_to: 20, sum_up_to: 60, window: 1d, currency: USD}
        reason: Small refunds cost more to read than to pay.
        pool: ["@editors", "#money", bo@example.test]
        escalate_to:
          - "@ops"
          - {ask: ["@boss", U0BACKUP], review_time: 10m, pager: true}
    """


def read(text: str, *gates: GateOf, **more) -> Policies:
    return policy_file.read(dedent(text).encode(), "reviews.yml", gates or (REFUND, NOTE), **more)


def faults(text: str, *gates: GateOf, **more) -> str:
    with pytest.raises(PolicyError) as refused:
        read(text, *gates, **more)
    return "\n".join(map(str, refused.value.faults))


def amount(value):
    return lambda name: {"amount": value, "currency": "USD"}.get(name, MISSING)


def test_without_the_default_file_every_gate_is_low_and_asks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    policy = policy_file.load(policy_file.DEFAULT, [REFUND]).for_review(REFUND.gate, amount(4_200))

    assert (policy.gate, policy.tier, policy.autonomy, policy.on_timeout) == ("refund.review", "low", "ask", "reject")
    assert (policy.review_time, policy.reminders, policy.ladder, policy.pool) == (timedelta(hours=4), (), (), None)
    assert (policy.self_approval, policy.reason_codes, policy.loop_limit) == (True, (), 10)


def test_another_file_has_to_exist(tmp_path):
    with pytest.raises(PolicyError, match="POLICY_FILE"):
        policy_file.load(tmp_path / "gone.yml", [REFUND])


def test_a_file_on_disk_is_read(tmp_path):
    path = tmp_path / "ours.yml"
    path.write_text("gates: {refund.review: {loop_limit: 3}}")

    policy = policy_file.load(path, [REFUND]).in_tier("refund.review", Tier.LOW)

    assert (policy.loop_limit, policy.sources["loop_limit"]) == (3, "ours.yml:1")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(PolicyError, match="cannot be read"):
        policy_file.load(tmp_path, [REFUND])


@pytest.mark.parametrize(
    ("value", "tier", "score", "autonomy"),
    [
        pytest.param(20, Tier.LOW, None, "auto", id="low"),
        pytest.param(420, Tier.MEDIUM, 40, "ask", id="medium"),
        pytest.param(4_200, Tier.HIGH, None, "ask", id="high"),
        pytest.param(float("nan"), Tier.CRITICAL, 100, "ask", id="nan"),
    ],
)
def test_the_payload_gives_the_tier_and_only_low_may_pass_by_itself(value, tier, score, autonomy):
    policy = read(RULED).for_review(REFUND.gate, amount(value))

    assert (policy.tier, policy.risk_score, policy.autonomy) == (tier, score, autonomy)


def test_a_ladder_names_who_is_asked_then_and_for_how_long():
    ladder = read(RULED).for_review(REFUND.gate, amount(420)).ladder

    assert [[who.name for who in rung.who] for rung in ladder] == [["@ops"], ["@boss", "U0BACKUP"]]
    assert [rung.review_time for rung in ladder] == [timedelta(minutes=30), timedelta(minutes=10)]
    assert [rung.pager for rung in ladder] == [False, True]


def test_a_limit_is_read_to_the_cent():
    limit = read(RULED).in_tier("refund.review", Tier.LOW).limit

    assert limit is not None
    assert (limit.up_to, limit.sum_up_to, limit.window) == (Decimal(20), Decimal(60), timedelta(days=1))


def test_people_are_handles_channels_addresses_and_ids():
    policy = read(RULED).in_tier("refund.review", Tier.HIGH)

    assert [(who.kind, who.name) for who in policy.pool or ()] == [
        ("name", "@editors"),
        ("channel", "#money"),
        ("name", "bo@example.test"),
    ]
    assert policy.ladder[1].who[1].kind == "person"


TIERED = """
    tiers:
      medium: {review_time: 20m, reason_codes: [wrong_person], loop_limit: 2, pool: ["@all"]}
    gates:
      refund.review: {tier: medium, loop_limit: 4}
    """


def test_the_file_wins_over_the_step_the_step_over_the_tier_and_the_tier_over_what_is_built_in():
    gate = GateOf(
        flow_name="refund",
        flow_class="RefundFlow",
        method="review",
        emit=("approved", "rejected"),
        metadata={"tier": "high", "reviewers": ["@mine"], "risk_score": 7},
    )
    policy = read(TIERED, gate).in_tier("refund.review", Tier.MEDIUM)

    assert (policy.loop_limit, policy.risk_score, policy.review_time) == (4, 7, timedelta(minutes=20))
    assert [who.name for who in policy.pool or ()] == ["@mine"]
    assert (policy.reminders, policy.self_approval) == ((timedelta(minutes=10),), False)
    assert {name: policy.sources[name] for name in ("tier", "loop_limit", "pool", "review_time", "reminders")} == {
        "tier": "reviews.yml:5",
        "loop_limit": "reviews.yml:5",
        "pool": "step refund.review",
        "review_time": "reviews.yml:3",
        "reminders": "tier medium",
    }
    assert (policy.sources["self_approval"], policy.sources["former_assignees"]) == ("tier medium", "built-in")


@pytest.mark.parametrize(
    ("tier", "minutes", "alert", "blocks", "codes"),
    [
        pytest.param("low", 240, False, False, (), id="low"),
        pytest.param("medium", 30, False, False, REASON_CODES, id="medium"),
        pytest.param("high", 15, True, False, REASON_CODES, id="high"),
        pytest.param("critical", 5, True, True, REASON_CODES, id="critical"),
    ],
)
def test_each_tier_has_its_clock_and_its_end(tier, minutes, alert, blocks, codes):
    text = f'gates: {{refund.review: {{tier: {tier}, pool: ["@a"]}}}}'
    policy = read(text).in_tier("refund.review", Tier(tier))

    assert (policy.review_time, policy.alert, policy.blocks) == (timedelta(minutes=minutes), alert, blocks)
    assert policy.reason_codes == codes


def test_in_critical_the_operators_are_asked_last_and_paged():
    text = """
        operators: ["@ops"]
        pager: https://hooks.slack.com/x
        gates: {refund.review: {tier: critical, pool: ["@a"]}}
        """
    [rung] = read(text).in_tier("refund.review", Tier.CRITICAL).ladder

    assert ([who.name for who in rung.who], rung.pager, rung.review_time) == (["@ops"], True, timedelta(minutes=5))


@pytest.mark.parametrize(
    ("metadata", "tier"),
    [
        pytest.param({}, Tier.LOW, id="says-nothing"),
        pytest.param({"tier": "high"}, Tier.HIGH, id="says-its-tier"),
        pytest.param({"teir": "low"}, Tier.CRITICAL, id="cannot-be-read"),
    ],
)
def test_a_gate_that_the_catalog_does_not_have_gets_what_its_step_says(metadata, tier):
    gate = Gate(flow_name="old", method="gone", question="?", metadata=metadata)

    policy = read("").for_review(gate, amount(1))

    assert (policy.tier, policy.gate) == (tier, "old.gone")
    assert policy.pool == (None if tier is Tier.LOW else ())


def test_the_digest_follows_what_is_said_and_not_who_it_is():
    known = {"@ops": Who(kind="group", id="S1", name="@ops")}
    one, other = read('operators: ["@ops"]'), read('operators: ["@ops2"]')

    assert one.digest != other.digest
    assert one.with_people(known).digest == one.digest == read('operators:\n  - "@ops"\n').digest


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param("gates: {refund.review: {loop_limit: 3}}", id="gate"),
        pytest.param("gates: {refund.review: {tier: {field: a, values: {x: low}}, pool: ['@a']}}", id="rule"),
        pytest.param("tiers: {low: {review_time: 3h}}", id="tier"),
        pytest.param("pager: https://hooks.slack.com/y", id="pager"),
        pytest.param("channels: {'#a': {language: pt}}", id="channel"),
    ],
)
def test_each_part_is_in_the_digest(changed):
    assert read(changed).digest != read("").digest


def test_people_are_put_in_everywhere():
    policies = read(RULED + '\n    tiers: {high: {pool: ["@tier"]}}\n    channels: {"#money": {language: ko}}')
    names = {"@ops", "@editors", "#money", "bo@example.test", "@boss", "U0BACKUP", "@tier"}
    known = {name: Who(kind="person", id=f"U{at}", name=name) for at, name in enumerate(sorted(names))}

    found = policies.with_people(known)

    policy = found.for_review(REFUND.gate, amount(420))
    assert policies.names() == names
    assert {who.id for who in (*found.operators, *(policy.pool or ()))} <= {who.id for who in known.values()}
    assert [who.id for rung in policy.ladder for who in rung.who] == [
        known[name].id for name in ("@ops", "@boss", "U0BACKUP")
    ]
    assert found.channels[known["#money"].id].language == "ko"


def test_all_unknown_names_are_told_at_once_with_the_nearest():
    policies = read(RULED)

    with pytest.raises(PolicyError) as refused:
        policies.with_people({"@editor": Who(kind="group", id="S1", name="@editor")})

    told = [str(fault) for fault in refused.value.faults]
    assert len(told) == 6
    assert any(line.startswith("reviews.yml:16: '@editors'") and "'@editor'?" in line for line in told)


def test_a_steps_unknown_reviewer_is_told_with_its_step():
    gate = GateOf(flow_name="a", flow_class="A", method="b", metadata={"reviewers": ["@gone"]})

    with pytest.raises(PolicyError, match=r"step a\.b: '@gone'"):
        read("", gate).with_people({})


def test_every_fault_is_told_at_once_with_its_line():
    told = faults(
        """
        operator: ["@ops"]
        tiers:
          hihg: {review_time: 5m}
          medium: {review_time: 5}
        gates:
          refund.reveiw: {tier: high}
          note.check: {tier: enormous, pol: ["@a"]}
        """
    )

    assert [line.split(" ")[0] for line in told.splitlines()] == [
        "reviews.yml:2:",
        "reviews.yml:4:",
        "reviews.yml:5:",
        "reviews.yml:7:",
        "reviews.yml:8:",
        "reviews.yml:8:",
    ]
    assert "'operators'?" in told
    assert "'refund.review'?" in told
    assert "'high'?" in told
    assert "'pool'?" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("a: [1, 2", "no YAML", id="broken"),
        pytest.param("operators: [@ops]", "in quotes", id="bare-handle"),
        pytest.param("operators: [ #ops\n]", "begins a comment", id="bare-channel"),
        pytest.param("operators:\n  - #ops", "begins a comment", id="comment"),
        pytest.param("pager: https://a\npager: https://b", "again, after line 1", id="twice"),
        pytest.param("operators: &a ['@x']\ntiers: *a", "anchors", id="anchor"),
        pytest.param("operators: " + "[" * 60, "nested too deep", id="deep"),
        pytest.param("operators: !!python/object:os.system ['x']", "no YAML|has a tag|names nobody", id="tag"),
        pytest.param("pager: !secret x", "has a tag", id="scalar-tag"),
        pytest.param("? [a, b]\n: c", "a key is no word", id="key"),
        pytest.param("--- a\n--- b", "no YAML", id="two-documents"),
        pytest.param("- a", "has to be a mapping", id="list"),
        pytest.param("\0", "no YAML", id="null-byte"),
        pytest.param("<<: {pager: x}", "'<<'", id="merge"),
    ],
)
def test_yaml_that_a_policy_has_no_use_for_is_refused(text, told):
    with pytest.raises(PolicyError, match=told):
        policy_file.read(text.encode(), "reviews.yml", (REFUND,))


def test_text_that_is_not_utf8_is_refused_with_its_line():
    with pytest.raises(PolicyError, match=r"reviews\.yml:2: this is no UTF-8"):
        policy_file.read(b"# fine\n\xff", "reviews.yml", ())


def test_a_file_of_more_than_a_megabyte_is_refused(tmp_path: Path):
    path = tmp_path / "huge.yml"
    path.write_bytes(b"#" * 1_000_001)

    with pytest.raises(PolicyError, match="1 MB"):
        policy_file.load(path, ())


@pytest.mark.parametrize(
    ("gate", "told"),
    [
        pytest.param("tier: high", "is high and nobody may decide it", id="no-people"),
        pytest.param("{tier: high, pool: []}", "is high and nobody may decide it", id="empty-pool"),
        pytest.param("tier: {field: a, bands: [{tier: low}]}", "can get critical and nobody", id="rule-without-people"),
        pytest.param("{tier: {field: a, bands: []}}", "has no bands", id="no-bands"),
        pytest.param("{tier: {field: a, values: {}}}", "has no values", id="no-values"),
        pytest.param("{tier: {field: a, values: }}", "has no values", id="nothing-as-values"),
        pytest.param("{tier: {field: a, values: {yes: low, true: high}}}", "twice", id="yes-is-true"),
        pytest.param("{tier: {field: a}}", "either bands or values", id="neither"),
        pytest.param("{tier: {bands: [{tier: low}]}}", "names no field", id="no-field"),
        pytest.param("{tier: {field: a, currency: USD, values: {x: low}}}", "belongs to a rule with bands", id="mixed"),
        pytest.param(
            "{tier: {field: a, bands: [{tier: low}, {up_to: 5, tier: high}]}}", "no amount is left", id="rest"
        ),
        pytest.param(
            "{tier: {field: a, bands: [{up_to: 5, tier: low}, {up_to: 5, tier: high}]}}", "not above", id="same-bound"
        ),
        pytest.param(
            "{tier: {field: a, bands: [{up_to: 5, tier: high}, {tier: low}]}}",
            "lower tier here",
            id="cheaper-when-more",
        ),
        pytest.param("{tier: {field: a, bands: [{up_to: -5, tier: high}]}}", "no amount", id="negative"),
        pytest.param("{tier: {field: a, bands: [{up_to: .nan, tier: high}]}}", "no amount", id="nan"),
        pytest.param("{tier: {field: a, bands: [{up_to: 5}]}}", "gives no tier", id="no-tier"),
        pytest.param("{autonomy: auto}", "without a limit", id="auto-without-limit"),
        pytest.param("{on_timeout: auto_approve}", "without a limit", id="silence-without-limit"),
        pytest.param(
            "{autonomy: auto, limit: {field: a, up_to: 1, sum_up_to: 2, window: 1d}}", "for no reason", id="no-reason"
        ),
        pytest.param("{autonomy: auto, tier: high, pool: ['@a']}", "is never low", id="auto-above-low"),
        pytest.param("{on_timeout: auto_approve, tier: medium, pool: ['@a']}", "is never low", id="silence-above-low"),
        pytest.param("{limit: {field: a, up_to: 1}}", "lacks sum_up_to, window", id="half-a-limit"),
        pytest.param(
            "{limit: {field: a, up_to: 3, sum_up_to: 2, window: 1d}}", "bounded below one amount", id="sum-below-one"
        ),
        pytest.param("{review_time: 0m}", "no time span", id="no-time"),
        pytest.param("{review_time: 999999d}", "no time span", id="forever"),
        pytest.param("{reminders: [5h]}", "after its low review time", id="late-reminder"),
        pytest.param("{pool: [bruno]}", "names nobody", id="bare-name"),
        pytest.param("{escalate_to: [[]]}", "asks nobody", id="empty-rung"),
        pytest.param("{pool: ['@a'], escalate_to: ['@a']}", "asked before", id="same-people"),
        pytest.param("{escalate_to: [{ask: '@a', pager: true}]}", "pager is called", id="no-pager"),
        pytest.param("{reason_codes: [timeout]}", "nobody picks", id="own-code"),
        pytest.param("{reason_codes: ['Wrong amount']}", "no reason code", id="words-as-code"),
        pytest.param("{reason_codes: [a, a]}", "twice", id="same-code"),
        pytest.param("{risk_score: 101}", "0 to 100", id="score"),
        pytest.param("{loop_limit: 0}", "1 to 1000", id="no-round"),
        pytest.param("{self_approval: maybe}", "neither true nor false", id="maybe"),
        pytest.param("{escalation_shows: all}", "no way to show it", id="shows"),
        pytest.param("{autonomy: atuo}", "'auto'?", id="near-word"),
    ],
)
def test_what_no_gate_may_be_is_refused(gate, told):
    assert told in faults(
        f"gates:\n  refund.review: {gate}" if gate[0] == "{" else f"gates: {{refund.review: {{{gate}}}}}"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("tiers: {medium: {on_timeout: auto_approve}}", "may not be approved by silence", id="tier"),
        pytest.param("tiers: {low: {on_timeout: auto_approve}}", "without a limit", id="whole-low-tier"),
        pytest.param("pager: http://hooks.slack.com/x", "no https URL", id="plain-http"),
        pytest.param("pager: https://hooks.slack.com@evil.test/x", "no https URL", id="user-in-url"),
        pytest.param("pager: https://evil.test/x", "WEBHOOK_ALLOW_HOSTS", id="host"),
        pytest.param("pager: 'https://[x/'", "no URL", id="no-url"),
        pytest.param("channels: {'@a': {language: pt}}", "is no channel", id="person-as-channel"),
        pytest.param("channels: {'#a': {language: fr}}", "no language", id="language"),
        pytest.param("channels: {'#a': {flow: refnud}}", "'refund'?", id="flow"),
        pytest.param(
            "gates: {refund.review: {loop_limit: 2}, RefundFlow.review: {loop_limit: 3}}", "by another name", id="twice"
        ),
    ],
)
def test_what_no_file_may_say_is_refused(text, told):
    assert told in faults(text, flows={"refund", "note"})


@pytest.mark.parametrize(
    ("metadata", "emit", "told"),
    [
        pytest.param({"confirm": ["approved"]}, ("approved", "rejected"), "cannot be undone", id="irreversible"),
        pytest.param({"confirm": True}, ("approved", "rejected"), "cannot be undone", id="all-irreversible"),
        pytest.param({}, ("ship", "rejected"), "no outcome that is known to approve", id="unknown-label"),
        pytest.param({}, (), "no outcome that is known to approve", id="no-outcomes"),
        pytest.param({"dispositions": {"approved": "reject"}}, ("approved",), "known to approve", id="restated"),
    ],
)
@pytest.mark.parametrize("way", ["autonomy: auto", "on_timeout: auto_approve"])
def test_only_what_surely_approves_and_can_be_undone_may_pass_unseen(metadata, emit, told, way):
    gate = GateOf(flow_name="a", flow_class="A", method="b", emit=emit, metadata=metadata)
    limit = "limit: {field: a, up_to: 1, sum_up_to: 2, window: 1d}, reason: small"

    assert told in faults(f"gates: {{a.b: {{{way}, {limit}}}}}", gate)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        pytest.param({"tier": "hihg"}, "'high'?", id="tier"),
        pytest.param({"tier": "high"}, "is high and nobody may decide it", id="no-people"),
        pytest.param({"tier": "high", "reviewers": []}, "nobody may decide it", id="empty-people"),
        pytest.param({"reviewers": ["bruno"]}, "names no reviewer", id="bare-name"),
        pytest.param({"reviewers": 3}, "no list", id="no-list"),
        pytest.param({"risk_score": 101}, "no risk score", id="score"),
        pytest.param({"risk_score": True}, "no risk score", id="yes-as-score"),
        pytest.param({"teir": "high"}, "'tier'?", id="swapped"),
        pytest.param({"Risk-Score": 3}, "'risk_score'?", id="spelled-otherwise"),
        pytest.param({"reviewer": "@a"}, "'reviewers'?", id="one-letter"),
        pytest.param({"dispostion": {}}, "'dispositions'?", id="two-letters"),
    ],
)
def test_a_step_that_cannot_be_read_refuses_to_start_and_names_itself(metadata, told):
    gate = GateOf(flow_name="a", flow_class="A", method="b", metadata=metadata)

    assert told in faults("", gate)
    assert "a.b" in faults("", gate)


def test_an_authors_own_metadata_is_left_alone():
    gate = GateOf(flow_name="a", flow_class="A", method="b", metadata={"team": "x", "title": 1, "ticket": 2})

    assert read("", gate).in_tier("a.b", Tier.LOW).tier is Tier.LOW


def test_a_class_name_that_two_flows_share_has_to_be_spelled_out():
    twins = [GateOf(flow_name=name, flow_class="Same", method="b") for name in ("one", "two")]

    assert "write one.b or two.b" in faults("gates: {Same.b: {loop_limit: 2}}", *twins)


KEYS = st.sampled_from(
    [
        "operators", "pager", "tiers", "gates", "channels", "refund.review", "#a", "high", "low", "tier", "field",
        "bands", "values", "up_to", "pool", "escalate_to", "ask", "limit", "reminders", "autonomy", "on_timeout",
    ]
)  # fmt: skip
VALUES = st.one_of(
    KEYS, st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["@a", "4h", "auto", "USD"]), st.text()
)
TREES = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


@given(data=st.binary(max_size=60) | TREES.map(lambda tree: yaml.safe_dump(tree).encode()))
def test_whatever_the_file_holds_is_read_or_refused(data):
    with contextlib.suppress(PolicyError):
        assert set(policy_file.read(data, "reviews.yml", (REFUND,)).gates) == {"refund.review"}


GATE_TREES = st.dictionaries(st.sampled_from([*policy_file.GATE_KEYS, "tier"]), TREES, max_size=5)


@given(gate=GATE_TREES)
def test_no_gate_above_low_is_without_people_and_none_passes_unseen_without_a_limit(gate):
    text = yaml.safe_dump({"gates": {"refund.review": gate}})

    with contextlib.suppress(PolicyError):
        for policy in policy_file.read(text.encode(), "reviews.yml", (REFUND,)).shown():
            is_low = policy.tier is Tier.LOW
            assert is_low or policy.pool
            assert (policy.autonomy, policy.on_timeout) == ("ask", "reject") or (is_low and policy.limit is not None)


def test_a_host_that_the_operators_allow_may_be_paged():
    assert read("pager: https://pager.test/x", hosts={"pager.test"}).pager == "https://pager.test/x"
