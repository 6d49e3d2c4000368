"""The test doubles do what their names say."""

from datetime import UTC, datetime, timedelta

import pytest

from flows import HumanFeedbackPending, PendingFeedbackContext
from flows.testing import ManualClock, PausingProvider, RecordingProvider, ScriptedLLM, UnscriptedCallError

CONTEXT = PendingFeedbackContext("f", "c", "m", "o", "?")


def test_a_manual_clock_moves_only_when_told():
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    before = clock.now()

    assert clock.now() == before
    assert clock.advance(timedelta(days=2)) == clock.now() == datetime(2026, 1, 3, tzinfo=UTC)


def test_a_manual_clock_does_not_go_back():
    with pytest.raises(ValueError, match="back"):
        ManualClock().advance(timedelta(seconds=-1))


def test_a_scripted_model_answers_in_order_and_raises_what_it_was_given():
    model = ScriptedLLM(["one", KeyError("two")])

    assert model.call("a", response_format=int) == "one"
    with pytest.raises(KeyError):
        model.call("b")
    assert model.calls == [("a", {"response_format": int}), ("b", {})]


def test_an_unscripted_call_fails_the_test():
    with pytest.raises(UnscriptedCallError, match="hello"):
        ScriptedLLM().call("hello")


def test_a_recording_provider_keeps_what_was_asked():
    provider = RecordingProvider(["yes"])

    assert provider.request_feedback(CONTEXT, None) == "yes"
    assert provider.contexts == [CONTEXT]
    with pytest.raises(AssertionError, match="not in the script"):
        provider.request_feedback(CONTEXT, None)


def test_a_pausing_provider_pauses():
    with pytest.raises(HumanFeedbackPending) as caught:
        PausingProvider(url="u").request_feedback(CONTEXT, None)

    assert (caught.value.context, caught.value.callback_info) == (CONTEXT, {"url": "u"})
