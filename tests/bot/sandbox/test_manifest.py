"""What the sandbox reads from an app's manifest."""

import pytest

from bot.sandbox import Command, ManifestError, read_manifest

TEXT = """
features:
  slash_commands:
    - command: /flows
      description: Flows
      usage_hint: start
      should_escape: true
oauth_config:
  scopes:
    bot: [chat:write, commands]
settings:
  event_subscriptions:
    bot_events: [app_mention]
"""


def test_scopes_commands_and_events_are_read():
    manifest = read_manifest(TEXT)

    assert manifest.scopes == {"chat:write", "commands"}
    assert manifest.commands == (
        Command(command="/flows", description="Flows", usage_hint="start", should_escape=True),
    )
    assert manifest.bot_events == {"app_mention"}


def test_a_manifest_may_have_neither_commands_nor_events():
    manifest = read_manifest("oauth_config: {scopes: {bot: [chat:write]}}")

    assert (manifest.commands, manifest.bot_events) == ((), frozenset())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("- a", "it is no mapping", id="a list"),
        pytest.param("", "it is no mapping", id="nothing"),
        pytest.param("a: [", "it is no YAML", id="no YAML"),
        pytest.param("a: 1", "oauth_config.scopes.bot names no scope", id="no scopes"),
    ],
)
def test_what_is_no_manifest_is_told(text, problem):
    with pytest.raises(ManifestError) as refused:
        read_manifest(text)

    assert refused.value.problem.startswith(problem)
