"""The settings, and the only place of the bot that reads the environment."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, cast
from urllib.parse import urlparse

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import BotError, SettingsError
from bot.types import LANGUAGES, Language

_REAL_TOKEN = re.compile(r"xoxb-\d+-\d+-|xapp-\d-A[A-Z0-9]+-\d+-")
T = TypeVar("T")
SLACK_API = "https://slack.com/api/"
SLACK_HOOKS = "hooks.slack.com"
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", re.ASCII)


class Settings(BaseSettings):
    """What an operator can set, each by the environment variable of that name or a line in `.env`."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True, env_ignore_empty=True)

    slack_bot_token: SecretStr = Field(
        default=SecretStr(""), description="The bot token of your Slack app. It begins with xoxb-.", examples=["xoxb-…"]
    )
    slack_app_token: SecretStr = Field(
        default=SecretStr(""),
        description="The app-level token for Socket Mode, with connections:write. It begins with xapp-.",
        examples=["xapp-…"],
    )
    slack_api_url: str = Field(
        default=SLACK_API, description="The base of Slack's Web API. Change it only for a stand-in such as the sandbox."
    )
    flows_app: str = Field(
        default="flows.examples",
        description="Your flows: a module, a package, or the path of a folder or file.",
        examples=["my_flows", "./my_flow.py"],
    )
    database: Path = Field(
        default=Path("placet.db"), description="The file that keeps reviews, runs and the record. One process owns it."
    )
    audit_key: SecretStr | None = Field(
        default=None,
        description="The key that signs the record: 32 bytes, as hex or base64. Unset, a file beside DATABASE has it.",
    )
    policy_file: Path = Field(
        default=Path("reviews.yml"),
        description="Your policy: who is asked, for how long, and what happens then. Unset, reviews.yml may be absent.",
    )
    webhook_allow_hosts: str = Field(
        default="",
        description="Hosts besides Slack's that messages may be sent to, such as your pager's; commas between them.",
        examples=["events.pagerduty.com"],
    )
    bot_language: str = Field(default="en", description="The language of messages that a channel shares: en, pt or ko.")
    clock_file: Path | None = Field(
        default=None,
        description="A file by which a sandbox moves the clock. Refused unless SLACK_API_URL is on this machine.",
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")

    @property
    def webhook_hosts(self) -> tuple[str, ...]:
        """The hosts of WEBHOOK_ALLOW_HOSTS, in small letters."""
        return tuple(host.strip().casefold() for host in self.webhook_allow_hosts.split(",") if host.strip())


def language_of(settings: Settings) -> Language:
    """The language of messages that a channel shares."""
    for known in LANGUAGES:
        if known == settings.bot_language:
            return known
    raise SettingsError((f"BOT_LANGUAGE is {settings.bot_language!r}.",))


def load() -> Settings:
    """The settings, or SettingsError with every fault."""
    return load_with(lambda _: None)[0]


def load_with(load_flows: Callable[[str], T]) -> tuple[Settings, T]:
    """The settings and what `load_flows` makes of FLOWS_APP, or SettingsError with every fault of both."""
    settings, faults = Settings(), list[str]()
    flows: T | None = None
    try:
        flows = load_flows(settings.flows_app)
    except BotError as error:
        faults.append(str(error))
    faults += _faults(settings)
    if faults:
        raise SettingsError(tuple(faults))
    return settings, cast("T", flows)  # it was loaded: else there is a fault


def _faults(settings: Settings) -> list[str]:
    faults: list[str] = []
    # A copied .env.example that nobody has filled in.
    bot, app = settings.slack_bot_token.get_secret_value(), settings.slack_app_token.get_secret_value()
    if not bot.startswith("xoxb-") or "…" in bot:
        faults.append(
            "SLACK_BOT_TOKEN is missing or no bot token. Copy it from your app's page, OAuth & Permissions; "
            "it looks like xoxb-…. To try Placet without Slack: placet sandbox, or make sandbox in a checkout."
        )
    if not app.startswith("xapp-") or "…" in app:
        faults.append(
            "SLACK_APP_TOKEN is missing or no app-level token. Make one under Basic Information, with the scope "
            "connections:write; it looks like xapp-…."
        )
    url = urlparse(settings.slack_api_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        faults.append(f"SLACK_API_URL is {settings.slack_api_url!r}; it should look like {SLACK_API}.")
    elif url.scheme == "http" and not is_loopback(url.hostname):
        faults.append(
            f"SLACK_API_URL is {settings.slack_api_url!r}: over plain http the tokens would cross the network in the "
            "clear. Use https, or an address on this machine."
        )
    if settings.clock_file is not None and not is_loopback(url.hostname or ""):
        faults.append(
            f"CLOCK_FILE is {os.fspath(settings.clock_file)!r}, but SLACK_API_URL is not on this machine: "
            "only a sandbox may move the clock. Unset it."
        )
    if not settings.database.absolute().parent.is_dir():
        faults.append(f"DATABASE is {str(settings.database)!r}: the folder {settings.database.parent} does not exist.")
    if settings.audit_key is not None and audit_seed(settings.audit_key.get_secret_value()) is None:
        faults.append(
            "AUDIT_KEY is no key: it should be 32 bytes, as 64 hex characters or as base64. "
            "Make one with: openssl rand -hex 32"
        )
    if "policy_file" in settings.model_fields_set and not settings.policy_file.is_file():
        faults.append(f"POLICY_FILE is {str(settings.policy_file)!r}: there is no such file.")
    faults += [
        f"WEBHOOK_ALLOW_HOSTS names {host!r}; write bare host names with commas between, such as events.pagerduty.com."
        for host in settings.webhook_hosts
        if not _HOST.fullmatch(host)
    ]
    if settings.bot_language not in LANGUAGES:
        faults.append(f"BOT_LANGUAGE is {settings.bot_language!r}; it should be {', '.join(LANGUAGES)}.")
    if settings.log_level.casefold() not in ("debug", "info", "warning", "error"):
        faults.append(f"LOG_LEVEL is {settings.log_level!r}; it should be debug, info, warning or error.")
    return faults


def audit_seed(text: str) -> bytes | None:
    """The 32 bytes of a private key that is written as 64 hex characters or as base64; None when it is neither."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    try:
        seed = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return seed if len(seed) == 32 else None


def outgoing_hosts(settings: Settings) -> frozenset[str]:
    """The hosts that anything may be sent to: Slack's hooks, the one of SLACK_API_URL, and those that are allowed."""
    api = urlparse(settings.slack_api_url).hostname or ""
    return frozenset({SLACK_HOOKS, api, *settings.webhook_hosts}) - {""}


def environment_with(values: Mapping[str, str]) -> dict[str, str]:
    """The environment of a child process: this one's, with these values laid over it."""
    return {**os.environ, **values}  # noqa: TID251 - the one module that may


def real_tokens_set() -> tuple[str, ...]:
    """Faults: tokens in the environment that look like a real workspace's, which the sandbox must never see."""
    return tuple(
        f"{name} holds what looks like a real token. The sandbox needs none; start it with {name} unset."
        for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")
        if _REAL_TOKEN.match(os.environ.get(name, ""))  # noqa: TID251
    )


def is_loopback(host: str) -> bool:
    """True for an address that never leaves this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def env_example() -> str:
    """The text of `.env.example`, made from the descriptions above."""
    lines = ["# Copy to .env and fill in. Every line here is optional but the two tokens."]
    for name, field in Settings.model_fields.items():
        default = field.default
        example = (field.examples or [""])[0]
        secret = isinstance(default, SecretStr)
        value = example if secret else ("" if default is None else str(default))
        lines += ["", f"# {field.description}", f"{'' if secret else '# '}{name.upper()}={value}"]
    return "\n".join(lines) + "\n"
