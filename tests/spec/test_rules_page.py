"""The page of rules and the tests tell the same story."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "engine-rules.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
RULE = re.compile(r"^\| ([A-Z][A-Za-z]*)-(\d+[a-z]?) \|", flags=re.MULTILINE)


def rules_of(section):
    return [f"{family.lower()}{number}" for family, number in RULE.findall(section)]


def named_in(section):
    (path,) = re.findall(r"`(tests/spec/[a-z_]+\.py)`", section.splitlines()[0])
    return re.findall(r"def test_([a-z]+\d+[a-z]?)_", (HERE / Path(path).name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("section", SECTIONS, ids=[section.splitlines()[0].split(" (")[0] for section in SECTIONS])
def test_every_rule_has_its_test_and_every_test_its_rule(section):
    assert rules_of(section)
    assert sorted(set(named_in(section))) == sorted(set(rules_of(section)))


def test_no_rule_stands_twice():
    rules = [rule for section in SECTIONS for rule in rules_of(section)]

    assert len(rules) == len(set(rules)) > 80
