"""Whatever JSON an app sends is judged, never stumbled over."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slack_sdk.errors import SlackApiError

from bot.sandbox.block_rules import BLOCKS, ELEMENTS
from bot.sandbox.blocks import block_problems, characters_in, view_problems
from bot.sandbox.control import ROUTES
from bot.sandbox.inputs import interactive, state_values
from bot.sandbox.seed import seeded_workspace
from bot.sandbox.stored_blocks import as_stored
from bot.sandbox.views import make_view

FIELDS = sorted({name for rule in (*BLOCKS.values(), *ELEMENTS.values()) for name in getattr(rule, "fields", {})})
TYPES = (*BLOCKS, *ELEMENTS, "modal", "home")

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(TYPES)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", *FIELDS]), inner, max_size=5),
    max_leaves=12,
)
plain = st.builds(lambda text: {"type": "plain_text", "text": text}, st.text(min_size=1, max_size=4))


def typed(kinds: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that at least name a type there is, and often hold something sound."""
    sound = plain | st.lists(st.builds(dict, type=st.sampled_from(list(ELEMENTS)), text=plain), max_size=2)
    fields = st.dictionaries(st.sampled_from(FIELDS), anything | sound, max_size=4)
    return st.builds(lambda kind, more: {**more, "type": kind}, st.sampled_from(list(kinds)), fields)


blocks = st.lists(typed(BLOCKS), max_size=3)


@given(anything | blocks, st.sampled_from(["message", "modal", "home"]))
def test_blocks_are_judged(value, surface):
    assert all(one.message and one.pointer[:1] in ("", "/") for one in block_problems(value, surface))


@given(anything | st.builds(lambda inner, title: {"type": "modal", "title": title, "blocks": inner}, blocks, plain))
def test_views_are_judged(value):
    assert all(one.message for one in view_problems(value))


elements = st.lists(typed(ELEMENTS), max_size=2)
actions = st.builds(lambda held: {"type": "actions", "elements": held}, elements)
containers = st.builds(
    lambda held: {"type": "container", "child_blocks": held}, st.lists(actions | typed(BLOCKS), min_size=1, max_size=2)
)
carousels = st.builds(
    lambda held: {"type": "carousel", "elements": [{"type": "card", "actions": held}]},
    st.lists(st.builds(dict, type=st.just("button"), text=plain, action_id=anything), max_size=2),
)
nested = st.lists(containers | carousels | actions, max_size=2)

# Loose blocks let much through that is judged nowhere else, so these are where a stumble would happen.
loose = st.lists(typed(("container", "carousel", "card", "rich_text", "table", "plan")), max_size=2)


@given(blocks | loose | nested)
@example([{"type": "container", "child_blocks": None}])
@settings(max_examples=300)
def test_what_passes_can_be_stored_counted_and_acted_on(value):
    passed = value if not block_problems(value, "message") else []
    stored = as_stored(seeded_workspace(0.0), passed)

    assert characters_in(stored) >= 0
    assert block_problems(stored, "message") == []
    assert set(state_values(stored, {})) <= {block["block_id"] for block, _ in interactive(stored)}


@given(loose | nested)
def test_what_passes_in_a_view_can_be_shown(value):
    view = {"type": "modal", "title": {"type": "plain_text", "text": "x"}, "blocks": value}
    passed = view if not view_problems(view) else {**view, "blocks": []}

    assert make_view(seeded_workspace(0.0), passed, 0.0)["type"] == "modal"


@pytest.mark.parametrize(
    "value",
    [None, 1, "x", "[1]", [1], {"a": 1}, [[]], [{"type": []}], [{"type": "rich_text", "elements": [{"type": []}]}]],
)
@pytest.mark.parametrize("method", ["chat.postMessage", "views.open", "blocks.validate", "chat.postEphemeral"])
async def test_odd_arguments_are_answered_as_slack_would(slack, method, value):
    args = {"channel": "CGENERAL", "user": "UANA", "trigger_id": value, "blocks": value, "view": value, "text": value}

    try:
        answer = (await slack.api_call(method, json={**args, "metadata": value, "thread_ts": value})).data
    except SlackApiError as refused:
        answer = refused.response.data

    assert answer["ok"] or answer["error"]


POSTS = {route.path: route.fields for route in ROUTES if route.method == "POST"}


@pytest.mark.parametrize("value", [0, "", [], {}, [[]], {"a": []}, True], ids=repr)
@pytest.mark.parametrize(("path", "fields"), POSTS.items(), ids=POSTS)
async def test_odd_input_to_the_control_api_is_told_and_never_stumbled_over(http, sandbox, path, fields, value):
    place = {"user": "Ana", "channel": "general"}
    body = {field: place.get(field, value) for field in fields}

    async with http.post(sandbox.url + path.format(view_id="V1"), json=body) as response:
        assert response.status in (200, 400, 404)
        assert (await response.json())["ok"] is (response.status == 200)
