"""The settings, and the only place of the bot that reads the environment."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlparse

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import SettingsError
from bot.types import Language

_REAL_TOKEN = re.compile(r"xoxb-\d+-\d+-|xapp-\d-A[A-Z0-9]+-\d+-")
SLACK_API = "https://slack.com/api/"


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
    bot_language: Language = Field(
        default="en", description="The language of messages that a channel shares: en, pt or ko."
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")


def load() -> Settings:
    """The settings, or SettingsError with every fault."""
    try:
        settings = Settings()
    except ValidationError as error:
        raise SettingsError(
            tuple(f"{str(fault['loc'][0]).upper()}: {fault['msg']}." for fault in error.errors())
        ) from error
    faults = tuple(_faults(settings))
    if faults:
        raise SettingsError(faults)
    return settings


def _faults(settings: Settings) -> list[str]:
    faults: list[str] = []
    bot, app = settings.slack_bot_token.get_secret_value(), settings.slack_app_token.get_secret_value()
    if not bot.startswith("xoxb-"):
        faults.append(
            "SLACK_BOT_TOKEN is missing or no bot token. Copy it from your app's page, OAuth & Permissions; "
            "it looks like xoxb-….  To try Placet without Slack: placet sandbox."
        )
    if not app.startswith("xapp-"):
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
    if settings.log_level.casefold() not in ("debug", "info", "warning", "error"):
        faults.append(f"LOG_LEVEL is {settings.log_level!r}; it should be debug, info, warning or error.")
    return faults


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
