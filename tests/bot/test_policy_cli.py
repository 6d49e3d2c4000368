"""`placet policy explain`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli_policy import app
from bot.reviews.policy_faults import PolicyError

FLOW = '''
from flows import Flow, human_feedback, start


class PaymentFlow(Flow):
    """Pays."""

    @human_feedback(message="Pay?", emit=["approved", "rejected"])
    @start()
    def check(self):
        return {"amount": 1}

    @start()
    def details(self):
        return (lambda: self.ask("Which account?"))()
'''
POLICY = 'operators: ["@ops"]\ngates: {payment.check: {tier: medium, pool: ["@a"], escalate_to: ["@b"]}}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POLICY_FILE", raising=False)
    return tmp_path


@pytest.fixture
def asking_flow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "payment.py").write_text(FLOW)
    monkeypatch.setenv("FLOWS_APP", "./payment.py")
    return folder


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["explain", *words])


def test_without_a_file_the_shipped_flows_are_explained(folder):
    result = run()

    assert result.exit_code == 0
    assert "content_review.review_draft · low risk" in result.output
    assert "4h" in result.output


def test_the_file_of_the_settings_is_read(asking_flow, monkeypatch):
    (asking_flow / "ours.yml").write_text(POLICY)
    monkeypatch.setenv("POLICY_FILE", "ours.yml")

    assert "[ours.yml:2]" in run().output


def test_another_file_can_be_tried(asking_flow):
    (asking_flow / "draft.yml").write_text(POLICY)

    told = json.loads(run("--file", "draft.yml", "--json").output)

    assert told["rows"][0]["cells"]["ladder"] == {"says": ["@b (30m)"], "source": "draft.yml:2", "mark": ""}


def test_a_step_that_asks_is_explained(asking_flow):
    told = json.loads(run("--json").output)

    assert [row["gate"] for row in told["rows"] if row["waits"] == "ask"] == ["payment.details"]


def test_a_check_fails_on_an_empty_cell_only_when_it_is_asked_for(folder):
    assert (run().exit_code, run("--check").exit_code) == (0, 1)


def test_a_check_passes_when_every_cell_is_filled(folder):
    (folder / "reviews.yml").write_text('operators: ["@ops"]')

    assert run("--check").exit_code == 0


def test_a_file_that_may_not_start_is_not_explained(folder):
    (folder / "reviews.yml").write_text("gates: {content_review.review_draft: {tier: high}}")

    result = run()

    assert isinstance(result.exception, PolicyError)


def test_a_named_file_has_to_exist(folder):
    assert isinstance(run("--file", "gone.yml").exception, PolicyError)


def test_the_language_of_the_bot_is_spoken(folder, monkeypatch):
    monkeypatch.setenv("BOT_LANGUAGE", "pt")

    assert "uma pessoa decide" in run().output
