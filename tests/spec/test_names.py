"""Section 1 of the engine's rules: what can be imported from where, and at what weight."""

import subprocess
import sys

import pytest

import flows
import flows.flow
from flows import persistence
from flows.human_feedback import DistilledLessons, PreReviewResult

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
    "flows.flow": ["Flow", "start", "listen", "router", "or_", "and_", "persist", "FlowState", "FlowMeta"],
    "flows.human_feedback": [
        "human_feedback",
        "HumanFeedbackResult",
        "HumanFeedbackConfig",
        "PreReviewResult",
        "DistilledLessons",
        "ConsoleProvider",
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


def test_the_models_of_lessons_have_the_documented_fields():
    assert PreReviewResult(improved_output="x").improved_output == "x"
    assert DistilledLessons().lessons == []


@pytest.mark.parametrize("module", [flows, flows.flow, sys.modules["flows.human_feedback"], persistence])
def test_an_unknown_name_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match=f"{module.__name__}.*'Nothing'"):
        _ = module.Nothing


@pytest.mark.parametrize("module", ["flows", "flows.human_feedback", "flows.persistence", "flows.flow"])
def test_everything_that_is_exported_is_there(module):
    assert run(f"from {module} import *; print('done')") == "done"


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
        "import flows; flows.ConsoleProvider; flows.Flow(); from flows import human_feedback",
        "from flows import *",
    ],
)
def test_human_feedback_is_the_decorator_in_every_import_order(imports):
    assert run(f"{imports}; print(callable(human_feedback), human_feedback.__name__)") == "True human_feedback"


def test_importing_flows_brings_nothing_heavy():
    heavy = ("litellm", "aiohttp", "slack_sdk", "slack_bolt", "openai", "httpx", "structlog")

    assert run(f"import flows, sys; print([name for name in {heavy!r} if name in sys.modules])") == "[]"


def test_importing_flows_waits_with_the_engine_and_the_stores():
    late = ("flows.engine.run", "flows.events", "flows.persistence.codec", "pydantic.main", "sqlite3", "email")

    assert run(f"import flows, sys; print([name for name in {late!r} if name in sys.modules])") == "[]"


def test_making_a_model_needs_neither_key_nor_litellm():
    assert run("import flows, sys; flows.LLM(model='gpt-4o-mini', temperature=0); print('litellm' in sys.modules)") == (
        "False"
    )
