"""Our engine beside CrewAI's: every case gives the same values, or its difference is listed with a rule."""

import json
from pathlib import Path

import pytest

from tests.differential.case import perform
from tests.differential.catalog import CASES
from tests.differential.comparison import differences
from tests.differential.deviations import DEVIATIONS
from tests.differential.engine import load_engine

PEER = json.loads(Path(__file__).with_name("peer.json").read_text("utf-8"))["cases"]


RULES = Path(__file__).parents[2].joinpath("docs", "engine-rules.md").read_text("utf-8")


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """Ours, with a storage directory of its own."""
    monkeypatch.setenv("FLOWS_STORAGE_DIR", str(tmp_path / "storage"))
    engine = load_engine("flows", "flows", tmp_path)
    yield engine
    engine.close()


@pytest.mark.parametrize("name", CASES)
def test_ours_is_the_peers_or_the_difference_is_listed(name, engine):
    ours = perform(CASES[name], engine)

    listed = {fact: value for item in DEVIATIONS if item.case == name for fact, value in item.ours.items()}
    assert differences(ours, PEER[name]) == listed


def test_the_peers_file_holds_exactly_these_cases():
    assert sorted(PEER) == sorted(CASES)


def test_there_are_at_least_sixty_cases():
    assert len(CASES) >= 60


@pytest.mark.parametrize("item", DEVIATIONS, ids=lambda item: f"{item.case}-{item.rule}")
def test_a_deviation_names_a_case_a_rule_a_reason_and_our_values(item):
    assert item.case in CASES
    assert f"| {item.rule} |" in RULES
    assert item.reason.endswith(".")
    assert item.ours


@pytest.mark.parametrize(
    ("ours", "peer", "found"),
    [
        pytest.param({"a": 1}, {"a": 1}, {}, id="equal"),
        pytest.param({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": 2}, id="another value"),
        pytest.param({"a": 1}, {"a": True}, {"a": 1}, id="another type"),
        pytest.param({}, {"a": 1}, {"a": "(absent)"}, id="ours is silent"),
        pytest.param({"a": 1}, {}, {"a": 1}, id="the peer is silent"),
    ],
)
def test_a_comparison_gives_our_differing_facts(ours, peer, found):
    assert differences(ours, peer) == found
