"""Reaching a model: by id, by settings, by object; never without being asked to."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from pydantic import BaseModel

from flows import LLM, BaseLLM, ModelError
from flows.llm.resolve import ask, resolve


class Choice(BaseModel):
    outcome: str


@pytest.fixture
def litellm(monkeypatch):
    """A stand-in for the library, which records what it was asked."""
    module = ModuleType("litellm")
    module.calls = []
    module.answer = {"choices": [{"message": {"content": "hello"}}]}

    def completion(**options):
        module.calls.append(options)
        if isinstance(module.answer, BaseException):
            raise module.answer
        return module.answer

    module.completion = completion
    monkeypatch.setitem(sys.modules, "litellm", module)
    return module


def test_a_model_by_id_passes_messages_and_settings_on(litellm):
    assert LLM(model="m", temperature=0).call("hi", response_format=Choice) == "hello"
    assert litellm.calls == [
        {"model": "m", "messages": [{"role": "user", "content": "hi"}], "temperature": 0, "response_format": Choice}
    ]


def test_an_answer_may_be_an_object(litellm):
    litellm.answer = SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=None))])

    assert LLM("m").call([{"role": "user", "content": "hi"}]) == ""


@pytest.mark.parametrize("answer", [RuntimeError("key abc"), {"choices": []}], ids=["error", "nothing"])
def test_whatever_goes_wrong_is_one_error_without_the_vendors_text(litellm, answer):
    litellm.answer = answer

    with pytest.raises(ModelError) as caught:
        LLM("m").call("hi")

    assert "abc" not in str(caught.value)


def test_no_model_is_none_unless_one_is_configured(monkeypatch):
    before = resolve(None)
    monkeypatch.setenv("FLOWS_MODEL", "configured")
    after = resolve("")

    assert before is None
    assert isinstance(after, LLM)
    assert after.model == "configured"


def test_settings_become_a_model():
    model = resolve({"model": "m", "temperature": 1})

    assert isinstance(model, LLM)
    assert (model.model, model.settings) == ("m", {"temperature": 1})


@pytest.mark.parametrize(
    "given",
    [{"temperature": 1}, {"model": ""}, object(), 5],
    ids=["settings-only", "no-name", "any-object", "a-number"],
)
def test_what_is_no_model_is_refused(given):
    with pytest.raises(ModelError):
        resolve(given)


class Own(BaseLLM):
    def call(self, messages, response_model=None):
        return response_model


class OwnAsync(BaseLLM):
    async def call(self, messages, response_format=None):
        return response_format


@pytest.mark.parametrize("kind", [Own, OwnAsync], ids=["response_model", "async"])
async def test_a_model_of_ones_own_is_called_the_way_it_knows(kind):
    assert await ask(kind("mine"), "hi", response_format=Choice) is Choice
    assert await ask(kind("mine"), "hi") is None
