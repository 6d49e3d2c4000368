"""The policy's page and the example file are true."""

import re
from pathlib import Path

import pytest

from bot import catalog
from bot.reviews import policy_file
from bot.reviews.explain import explain, written
from bot.reviews.gate_policy import Tier
from bot.reviews.policy_rules import GateOf

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "policy.md").read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
GATES = (
    GateOf(flow_name="refund", flow_class="RefundFlow", method="review", emit=("approved", "rejected")),
    GateOf(flow_name="mail", flow_class="MailFlow", method="send", emit=("approved", "rejected")),
)


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_each_example_of_the_page_is_a_complete_policy(text):
    policies = policy_file.read(text.encode(), "reviews.yml", GATES)

    written_about = {name for name in policies.gates if name in text}
    assert written_about
    assert [row for row, _ in explain(policies).empty if row.gate in written_about] == []


def test_the_page_names_every_key():
    keys = [*policy_file.GATE_KEYS, "tier"]

    assert [key for key in keys if f"\n| `{key}` |" not in PAGE] == []


@pytest.mark.parametrize("tier", Tier)
def test_the_page_gives_each_tiers_time(tier):
    gate = GateOf(flow_name="a", flow_class="A", method="b", metadata={"tier": tier.value, "reviewers": ["@a"]})
    policy = policy_file.read(b"", "reviews.yml", (gate,)).in_tier("a.b", tier)
    reminders = ", ".join(written(each) for each in policy.reminders) or "none"

    assert f"| {tier} | {written(policy.review_time)} | {reminders} |" in PAGE


def test_the_example_file_fits_the_shipped_flows():
    flows = catalog.load("flows.examples", folder=ROOT)
    path = ROOT / "reviews.example.yml"

    policies = policy_file.load(path, flows.gates(), flows=[entry.name for entry in flows])

    assert policies.names() == {"@editors", "#content-reviews"}
    assert explain(policies).empty == ()
