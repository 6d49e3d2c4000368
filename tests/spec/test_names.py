"""Section 1 of the engine's rules: what can be imported from where, and at what weight."""

import subprocess
import sys

import pytest

import flows

NAMES = {
    "flows": [
        "Flow",
        "start",
        "listen",
        "router",
        "or_",
        "and_",
        "persist",
        "human_feedback",
        "HumanFeedbackResult",
        "HumanFeedbackProvider",
        "HumanFeedbackPending",
        "PendingFeedbackContext",
        "ConsoleProvider",
        "FlowState",
        "InputProvider",
        "InputResponse",
        "flow_config",
        "FlowStructure",
        "build_flow_structure",
        "visualize_flow_structure",
        "LLM",
        "BaseLLM",
        "StreamFrame",
        "StreamSession",
        "AsyncStreamSession",
        "SQLiteFlowPersistence",
        "HumanFeedbackCollapseError",
    ],
    "flows.flow": ["Flow", "start", "listen", "router", "or_", "and_", "FlowState"],
    "flows.human_feedback": [
        "human_feedback",
        "HumanFeedbackResult",
        "HumanFeedbackConfig",
        "HumanFeedbackCollapseError",
        "HumanFeedbackProvider",
        "HumanFeedbackPending",
        "PendingFeedbackContext",
    ],
    "flows.persistence": [
        "persist",
        "SQLiteFlowPersistence",
        "FlowPersistence",
        "default_flow_persistence",
        "set_flow_persistence_factory",
    ],
}


def run(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("module", "name"),
    [pytest.param(module, name, id=f"{module}.{name}") for module in NAMES for name in NAMES[module]],
)
def test_the_documents_names_are_there(module, name):
    found = __import__(module, fromlist=[name])

    assert getattr(found, name) is not None


def test_the_export_list_is_sorted_and_true():
    assert [name for name in flows.__all__ if not hasattr(flows, name)] == []
    assert len(flows.__all__) == len(set(flows.__all__))


@pytest.mark.parametrize(
    "imports",
    [
        "from flows import human_feedback",
        "import flows.human_feedback; from flows import human_feedback",
        "from flows.human_feedback import HumanFeedbackResult; from flows import human_feedback",
        "import flows.flow; import flows.human_feedback; from flows import human_feedback",
        "from flows.human_feedback import human_feedback",
        "import flows.engine.gate; from flows import human_feedback",
    ],
)
def test_human_feedback_is_the_decorator_in_every_import_order(imports):
    assert run(f"{imports}; print(callable(human_feedback), human_feedback.__name__)") == "True human_feedback"


def test_importing_flows_brings_nothing_heavy():
    heavy = ("litellm", "aiohttp", "slack_sdk", "slack_bolt", "openai", "httpx", "structlog")

    assert run(f"import flows, sys; print([name for name in {heavy!r} if name in sys.modules])") == "[]"


def test_making_a_model_needs_neither_key_nor_litellm():
    assert run("import flows, sys; flows.LLM(model='gpt-4o-mini', temperature=0); print('litellm' in sys.modules)") == (
        "False"
    )
