from pathlib import Path

import pytest

from bot import manifest, settings
from bot.clock import OffsetClock, clock_of
from bot.errors import SettingsError
from bot.sandbox import read_manifest

GOOD = {"SLACK_BOT_TOKEN": "xoxb-test", "SLACK_APP_TOKEN": "xapp-test"}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)

    def apply(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return apply


def test_the_example_file_is_what_the_settings_say() -> None:
    root = Path(__file__).parents[2]

    assert (root / ".env.example").read_text("utf-8") == settings.env_example()


def test_two_tokens_are_enough(environment) -> None:
    environment(**GOOD)

    assert settings.load().flows_app == "flows.examples"


def test_all_faults_are_named_at_once(environment) -> None:
    environment(SLACK_API_URL="ftp://x", LOG_LEVEL="loud", DATABASE="/no/such/x.db")

    with pytest.raises(SettingsError) as refused:
        settings.load()

    assert [fault.split(" ")[0] for fault in refused.value.faults] == [
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "SLACK_API_URL",
        "DATABASE",
        "LOG_LEVEL",
    ]


def test_tokens_never_travel_in_the_clear(environment) -> None:
    environment(**GOOD, SLACK_API_URL="http://slack.example/api/")

    with pytest.raises(SettingsError, match="plain http"):
        settings.load()


@pytest.mark.parametrize("url", ["https://slack.com/api/", "https://sandbox.example/api/"])
def test_nothing_moves_the_clock_of_a_bot_that_speaks_to_slack(environment, url) -> None:
    environment(**GOOD, SLACK_API_URL=url, CLOCK_FILE="clock.json")

    with pytest.raises(SettingsError) as refused:
        settings.load()

    assert [fault.split(" ")[0] for fault in refused.value.faults] == ["CLOCK_FILE"]


@pytest.mark.parametrize("host", ["127.0.0.1:8900", "localhost:8900", "[::1]:8900"])
def test_a_sandbox_on_this_machine_may_move_the_clock(environment, host) -> None:
    environment(**GOOD, SLACK_API_URL=f"http://{host}/api/", CLOCK_FILE="clock.json")

    assert clock_of(settings.load()).__class__ is OffsetClock


def test_a_secret_is_not_shown_by_the_settings_or_their_errors(environment) -> None:
    environment(SLACK_BOT_TOKEN="xoxb-very-secret", SLACK_APP_TOKEN="wrong-but-secret")

    with pytest.raises(SettingsError) as refused:
        settings.load()

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("token", ["xoxb-123456-7890123-abcDEF", "xapp-1-A012-3456-abc"])
def test_the_sandbox_refuses_to_start_beside_a_real_token(environment, token) -> None:
    environment(SLACK_BOT_TOKEN=token)

    assert settings.real_tokens_set() != ()


def test_the_shipped_manifest_declares_what_the_bot_listens_to() -> None:
    shipped = read_manifest(manifest.text())

    assert {command.command for command in shipped.commands} == {"/flows"}
    assert {"app_mention", "message.channels", "message.groups", "message.im", "message.mpim"} <= shipped.bot_events


def test_a_policy_that_is_named_has_to_exist(environment) -> None:
    environment(**GOOD, POLICY_FILE="ours.yml")

    with pytest.raises(SettingsError, match=r"POLICY_FILE is 'ours\.yml'"):
        settings.load()


def test_messages_go_to_slack_and_to_the_hosts_that_are_allowed(environment) -> None:
    environment(**GOOD, WEBHOOK_ALLOW_HOSTS="Pager.example.test, other.example.test")

    assert settings.outgoing_hosts(settings.load()) == {
        "hooks.slack.com",
        "slack.com",
        "pager.example.test",
        "other.example.test",
    }


@pytest.mark.parametrize("host", ["https://pager.test", "pager.test/x", "*", "a b", "pager.test:443"])
def test_only_bare_hosts_may_be_allowed(environment, host: str) -> None:
    environment(**GOOD, WEBHOOK_ALLOW_HOSTS=host)

    with pytest.raises(SettingsError, match="WEBHOOK_ALLOW_HOSTS"):
        settings.load()


@pytest.mark.parametrize("key", ["ab" * 32, "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="], ids=["hex", "base64"])
def test_the_key_of_the_record_is_hex_or_base64(environment, key) -> None:
    environment(**GOOD, AUDIT_KEY=key)

    loaded = settings.load().audit_key

    assert loaded is not None
    assert settings.audit_seed(loaded.get_secret_value()) == b"\xab" * 32


def test_a_key_of_the_record_that_is_none_is_named_and_not_shown(environment) -> None:
    environment(**GOOD, AUDIT_KEY="too-short-a-secret")

    with pytest.raises(SettingsError) as refused:
        settings.load()

    assert [fault.split(" ")[0] for fault in refused.value.faults] == ["AUDIT_KEY"]
    assert "too-short" not in str(refused.value)
