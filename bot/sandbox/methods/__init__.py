"""The Web API methods the sandbox offers, by name."""

from typing import Final

from bot.sandbox.methods.app import APP_METHODS
from bot.sandbox.methods.chat import CHAT_METHODS
from bot.sandbox.methods.conversations import CONVERSATION_METHODS
from bot.sandbox.methods.method import Method
from bot.sandbox.methods.people import PEOPLE_METHODS
from bot.sandbox.methods.usergroups import USERGROUP_METHODS
from bot.sandbox.methods.views import VIEW_METHODS

METHODS: Final[dict[str, Method]] = {
    method.name: method
    for method in (
        *APP_METHODS,
        *CHAT_METHODS,
        *CONVERSATION_METHODS,
        *PEOPLE_METHODS,
        *USERGROUP_METHODS,
        *VIEW_METHODS,
    )
}
