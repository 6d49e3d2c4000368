"""How Slack says no: every error code the sandbox answers with, when, and where Slack documents it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One row: Slack's error code, the case that earns it, and its page in Slack's reference."""

    code: str
    when: str
    source: str


def _row(code: str, when: str, source: str) -> Refusal:
    return Refusal(code=code, when=when, source=source)


_ROWS = (
    _row("unknown_method", "No method of this name exists (here: is offered).", "Using the Web API: Errors"),
    _row("not_authed", "The call carries no token.", "auth.test: Errors"),
    _row("invalid_auth", "The token is none of this workspace's.", "auth.test: Errors"),
    _row("not_allowed_token_type", "A bot token where an app token is due, or the reverse.", "auth.test: Errors"),
    _row("missing_scope", "The app's manifest does not ask for the scope.", "auth.test: Errors"),
    _row("invalid_json", "The body says it is JSON and is not.", "auth.test: Errors"),
    _row("ratelimited", "More calls in a minute than the method's tier allows.", "Rate limits: Web API rate limits"),
    _row("invalid_arguments", "An argument is missing or has the wrong form.", "views.open: Errors"),
    _row("channel_not_found", "No channel, or none the bot may see, has this id.", "chat.postMessage: Errors"),
    _row("not_in_channel", "The bot is no member of the channel.", "chat.postMessage: Errors"),
    _row("is_archived", "The channel is archived.", "chat.postMessage: Errors"),
    _row("method_not_supported_for_channel_type", "A direct message cannot be joined.", "conversations.join: Errors"),
    _row("no_text", "Neither text nor blocks were given.", "chat.postMessage: Errors"),
    _row("msg_too_long", "Longer than 4,000 characters (update) or 12,000 (markdown).", "chat.update: Errors"),
    _row("invalid_blocks", "A block breaks a rule of Block Kit; `errors` says where.", "chat.postMessage: Errors"),
    _row("invalid_blocks_format", "`blocks` is no JSON array of objects.", "chat.postMessage: Errors"),
    _row("msg_blocks_too_long", "The blocks hold more than 13,200 characters in all.", "chat.postMessage: Errors"),
    _row("markdown_text_conflict", "markdown_text came with text or blocks.", "chat.postMessage: Errors"),
    _row("invalid_metadata_format", "`metadata` is no JSON object.", "chat.postMessage: Errors"),
    _row("invalid_metadata_schema", "`metadata` lacks event_type or event_payload.", "chat.postMessage: Errors"),
    _row("metadata_too_large", "`metadata` is larger than the limit.", "chat.postMessage: Errors"),
    _row("thread_not_found", "No message has this thread_ts.", "chat.postMessage: Errors"),
    _row("cannot_reply_to_message", "The message of this thread_ts takes no replies.", "chat.postMessage: Errors"),
    _row("duplicate_message_not_found", "The message of this client_msg_id was deleted.", "chat.postMessage: Errors"),
    _row("message_not_found", "No stored message has this ts.", "chat.update: Errors"),
    _row("cant_update_message", "The message is not the bot's own.", "chat.update: Errors"),
    _row("cant_delete_message", "The message is not the bot's own.", "chat.delete: Errors"),
    _row("edit_window_closed", "The workspace no longer lets this message be edited.", "chat.update: Errors"),
    _row("block_mismatch", "A rich_text block would be replaced by another kind.", "chat.update: Errors"),
    _row("user_not_in_channel", "The reader of a private note is no member.", "chat.postEphemeral: Errors"),
    _row("user_not_found", "No account has this id.", "users.info: Errors"),
    _row("user_disabled", "The account was deactivated.", "conversations.open: Errors"),
    _row("users_not_found", "No active account has this email address.", "users.lookupByEmail: Errors"),
    _row("no_such_subteam", "No user group, or only a disabled one, has this id.", "usergroups.users.list: Errors"),
    _row("plan_upgrade_required", "The workspace's plan has no user groups.", "usergroups.list: Errors"),
    _row("bot_not_found", "No bot has this id.", "bots.info: Errors"),
    _row("invalid_trigger_id", "The trigger was never given out, or not for this.", "views.open: Errors"),
    _row("expired_trigger_id", "The trigger is older than three seconds.", "views.open: Errors"),
    _row("exchanged_trigger_id", "The trigger has opened a view already.", "views.open: Errors"),
    _row("duplicate_external_id", "Another view carries this external_id.", "views.open: Errors"),
    _row("hash_conflict", "The view has changed since this hash.", "views.update: Errors"),
    _row("view_too_large", "The view is larger than 250 kB.", "views.open: Errors"),
    _row("push_limit_reached", "Three views are stacked already.", "views.push: Errors"),
    _row("not_found", "No open view has this id.", "views.update: Errors"),
    _row("already_reacted", "The bot has given this reaction already.", "reactions.add: Errors"),
    _row("invalid_name", "The reaction's name is no emoji name.", "reactions.add: Errors"),
    _row("expired_url", "The response_url is older than half an hour.", "Handling user interaction: response_url"),
    _row("used_url", "The response_url has been used five times.", "Handling user interaction: response_url"),
    _row("invalid_payload", "The body is not what a response_url takes.", "Handling user interaction: response_url"),
)

REFUSALS = {row.code: row for row in _ROWS}
"""Every code the sandbox may answer with by itself; a fault may name any code."""


class RefusedError(Exception):
    """The Web API says no. `code` is a key of REFUSALS; `details` are further fields of the answer."""

    def __init__(self, code: str, **details: Any) -> None:
        self.refusal, self.details = REFUSALS[code], details
        super().__init__(f"{code}: {self.refusal.when}")

    @property
    def code(self) -> str:
        """Slack's error code."""
        return self.refusal.code

    def answer(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"ok": False, "error": self.code, **self.details}


def explained(code: str, *messages: str) -> RefusedError:
    """A refusal with reasons, in the two places where Slack puts them."""
    return RefusedError(code, response_metadata={"messages": [f"[ERROR] {message}" for message in messages]})
