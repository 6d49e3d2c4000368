"""What a run leaves in its store when it has come to a value that cannot be kept."""

import pytest

from flows import CodecError, Flow, MemoryFlowPersistence, human_feedback, listen, start
from flows.testing import PausingProvider

RUN = "run"


class Making(Flow):
    """A step that is done, and one that makes what `value` says; the last one hands it on when there is one more."""

    made: list
    values: list

    @start()
    def begin(self):
        return "begun"

    @listen(begin)
    def make(self, before):
        self.made.append(self.attempt)
        return self.values.pop(0)


class MakingInBetween(Making):
    @listen(Making.make)
    def after(self, value):
        return f"after {value}"


def case(base, *values):
    """One version of the class whose step makes these values, one at each try."""
    return type("Making", (base,), {"made": [], "values": list(values)})


@pytest.mark.parametrize(
    ("base", "end"),
    [pytest.param(Making, "text", id="last"), pytest.param(MakingInBetween, "after text", id="in_between")],
)
async def test_the_step_is_named_and_tried_again_once_it_is_mended(base, end):
    store = MemoryFlowPersistence()
    flow = case(base, object(), "text")
    with pytest.raises(CodecError, match=r"^make\.output: a value of type builtins\.object"):
        await flow(persistence=store).kickoff_async({"id": RUN})

    record = store.load_run(RUN)
    result = await flow.continue_async(RUN, persistence=store)

    assert (record.status, record.interrupted) == ("failed", ("make",))
    assert record.error.startswith("CodecError: make.output")
    assert (result, flow.made) == (end, [1, 2])
    assert store.load_run(RUN).status == "finished"


async def test_what_a_person_decided_before_stays_decided():
    class Reviewed(Flow):
        values = (object(), "text")

        @start()
        @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no", provider=PausingProvider())
        def review(self):
            return "draft"

        @listen("yes")
        def make(self, result):
            return self.values[self.attempt - 1]

    store = MemoryFlowPersistence()
    await Reviewed(persistence=store).kickoff_async({"id": RUN})
    with pytest.raises(CodecError, match=r"make\.output"):
        await Reviewed.from_pending(RUN, store).resume_async(outcome="yes")

    record = store.load_run(RUN)

    assert (record.status, record.gate_decided) == ("failed", True)
    assert await Reviewed.continue_async(RUN, persistence=store) == "text"


async def test_a_state_that_cannot_be_kept_fails_the_run_where_it_was_last_stored():
    class Spoils(Flow):
        @start()
        def begin(self):
            return "begun"

        @listen(begin)
        def spoil(self, before):
            self.state["thing"] = object() if self.attempt == 1 else "text"
            return "spoilt"

    store = MemoryFlowPersistence()
    with pytest.raises(CodecError, match=r"state\.thing"):
        await Spoils(persistence=store).kickoff_async({"id": RUN})

    record = store.load_run(RUN)

    assert (record.status, record.interrupted) == ("failed", ("spoil",))
    assert await Spoils.continue_async(RUN, persistence=store) == "spoilt"
