"""The bot's errors, by what the caller can do about them.

BotError
├── SettingsError     the process cannot start as configured; every fault is listed at once
├── CatalogError      FLOWS_APP cannot be loaded; names the file and the fault
├── DatabaseInUse     another process owns this database
├── SlackRefused      Slack said no for good: trying the same call again cannot help
└── TryLater          the same work may go through in a while; it keeps its place
    └── SlackUnavailable  Slack did not answer, or said later
"""

from __future__ import annotations


class BotError(Exception):
    """Base of every error that `bot` raises on purpose."""


class SettingsError(BotError):
    """The settings do not allow a start."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.faults = faults
        super().__init__("The settings do not allow a start:\n" + "\n".join(f"  - {fault}" for fault in faults))


class CatalogError(BotError):
    """The user's flows cannot be loaded."""


class DatabaseInUse(BotError):
    """A second process asked for a database that one process must own."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path} is in use by another Placet. Stop that one first, or name another file with DATABASE."
        )


class SlackRefused(BotError):
    """Slack refused a call for good."""

    def __init__(self, *, method: str, error: str) -> None:
        self.method, self.error = method, error
        super().__init__(f"Slack refused {method}: {error}.")


class TryLater(BotError):
    """Nothing is wrong with the work; something that it needs is not there yet."""


class SlackUnavailable(TryLater):
    """Slack could not be reached, or its answer was lost."""

    def __init__(self, *, method: str, reason: str) -> None:
        self.method, self.reason = method, reason
        super().__init__(f"Slack did not answer {method}: {reason}.")
