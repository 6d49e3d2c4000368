"""Section 3 of the engine's rules: what runs, in which order, with which value."""

import asyncio
import contextvars
import threading
from enum import Enum
from typing import ClassVar

import pytest

from flows import Flow, HumanFeedbackResult, RunInProgressError, and_, human_feedback, listen, or_, router, start
from flows.testing import RecordingProvider


def trace(flow):
    """What ran, in order of starting; steps write it themselves."""
    return flow.state["trace"]


class Traced(Flow):
    initial_state: ClassVar = {"trace": []}

    def note(self, name):
        self.state["trace"].append(name)
        return name


async def test_r1_all_ways_to_kick_off_give_the_same():
    class Some(Flow):
        @start()
        def begin(self):
            return self.state["n"] + 1

    results = [
        await asyncio.to_thread(Some().kickoff, inputs={"n": 1}),
        await Some().kickoff_async(inputs={"n": 1}),
        await Some().akickoff(inputs={"n": 1}),
    ]

    assert results == [2, 2, 2]


def test_r1_input_files_are_readable_by_steps():
    class Some(Flow):
        @start()
        def begin(self):
            return sorted(self.input_files)

    assert Some().kickoff(input_files={"a.txt": b"x"}) == ["a.txt"]


async def test_r2_kickoff_inside_a_running_loop_works():
    class Some(Flow):
        @start()
        async def begin(self):
            return threading.current_thread() is threading.main_thread()

    assert Some().kickoff() is False


VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


async def test_r3_sync_steps_run_in_a_thread_with_the_callers_context():
    class Some(Flow):
        @start()
        def begin(self):
            return VARIABLE.get(), threading.current_thread() is threading.main_thread()

    VARIABLE.set("from the caller")

    assert await Some().kickoff_async() == ("from the caller", False)


async def test_r3_a_sync_step_that_returns_a_coroutine_has_it_awaited():
    class Some(Flow):
        @start()
        def begin(self):
            return self.later()

        async def later(self):
            return "later"

    assert await Some().kickoff_async() == "later"


async def test_r4_unconditional_starts_run_at_once():
    class Some(Flow):
        @start()
        async def one(self):
            await asyncio.wait_for(self.barrier.wait(), 5)

        @start()
        async def two(self):
            await asyncio.wait_for(self.barrier.wait(), 5)

    flow = Some()
    flow.barrier = asyncio.Barrier(2)

    await flow.kickoff_async()


def test_r4_a_conditional_start_waits_for_its_event():
    class Some(Traced):
        @start()
        def begin(self):
            return self.note("begin")

        @start("go")
        def later(self):
            return self.note("later")

        @router(begin)
        def choose(self):
            self.note("choose")
            return "go"

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["begin", "choose", "later"]


def test_r4_a_conditional_start_hears_a_methods_end_too():
    class Some(Traced):
        @start()
        def begin(self):
            return self.note("begin")

        @start("begin")
        def later(self):
            return self.note("later")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["begin", "later"]


def test_r4_without_an_unconditional_start_every_start_runs():
    class Some(Traced):
        @start("never")
        def one(self):
            return self.note("one")

        @start(and_("never", "ever"))
        def two(self):
            return self.note("two")

    flow = Some()
    flow.kickoff()

    assert sorted(trace(flow)) == ["one", "two"]


def test_r5_routers_run_before_listeners():
    class Some(Traced):
        @start()
        def a(self):
            return self.note("a")

        @listen("go")
        def hears_go(self):
            return self.note("hears_go")

        @listen("a")
        def hears_a(self):
            return self.note("hears_a")

        @listen("r")
        def hears_r(self):
            return self.note("hears_r")

        @router("a")
        def r(self):
            self.note("r")
            return "go"

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["a", "r", "hears_r", "hears_a", "hears_go"]


def test_r5_a_routers_event_triggers_further_routers_first():
    class Some(Traced):
        @start()
        def a(self):
            return self.note("a")

        @router(a)
        def first(self):
            self.note("first")
            return "x"

        @router("x")
        def second(self):
            self.note("second")
            return "y"

        @listen("x")
        def hears_x(self):
            self.note("hears_x")

        @listen("y")
        def hears_y(self):
            self.note("hears_y")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["a", "first", "second", "hears_x", "hears_y"]


async def test_r5_a_finished_listener_goes_on_before_its_siblings_end():
    class Some(Flow):
        @start()
        async def begin(self):
            pass

        @listen(begin)
        async def slow(self):
            await asyncio.wait_for(self.released.wait(), 5)

        @listen(begin)
        async def fast(self):
            pass

        @listen(fast)
        async def after_fast(self):
            self.released.set()

    flow = Some()
    flow.released = asyncio.Event()

    await flow.kickoff_async()


def test_r6_a_listener_of_a_routers_name_gets_its_return_value():
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @router(begin)
        def choose(self):
            return None

        @listen(choose)
        def hears(self, value):
            return ("heard", value)

    assert Some().kickoff() == ("heard", None)


class Mood(Enum):
    GOOD = "good"


@pytest.mark.parametrize(
    ("returned", "event", "told"),
    [
        pytest.param("text", "text", "text", id="text"),
        pytest.param(Mood.GOOD, "good", "good", id="enum"),
        pytest.param(True, "True", True, id="true"),
        pytest.param(0, "0", 0, id="zero"),
        pytest.param(1.5, "1.5", 1.5, id="float"),
        pytest.param(["a"], "['a']", ["a"], id="list"),
    ],
)
def test_r7_what_a_router_returns_is_the_event(returned, event, told):
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @router(begin)
        def choose(self):
            return returned

        @listen(event)
        def hears(self, value):
            return ("heard", value)

    assert Some().kickoff() == ("heard", told)


def test_r7_listeners_of_the_routers_name_keep_the_enum():
    class Some(Flow):
        @router()
        @start()
        def choose(self):
            return Mood.GOOD

        @listen(choose)
        def hears(self, value):
            return value

    assert Some().kickoff() is Mood.GOOD


@pytest.mark.parametrize("returned", [None, ""], ids=["none", "empty"])
def test_r7_nothing_raises_no_event_and_ends_the_chain(returned):
    class Some(Traced):
        @start()
        def begin(self):
            pass

        @router(begin)
        def choose(self):
            return returned

        @router("None")
        def more(self):
            return self.note("more")

        @listen(choose)
        def hears_the_name(self):
            self.note("hears_the_name")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["hears_the_name"]


def test_r7_a_start_that_routes_tells_its_name_first():
    class Some(Traced):
        @start()
        @router()
        def begin(self):
            return "go"

        @listen("go")
        def hears_go(self):
            self.note("hears_go")

        @listen("begin")
        def hears_begin(self, value):
            self.note(f"hears_begin {value}")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["hears_begin go", "hears_go"]


def test_r8_arguments_go_by_signature():
    class Some(Traced):
        @start()
        def begin(self):
            return "value"

        @listen(begin)
        def bare(self):
            self.note("bare")

        @listen(begin)
        def one(self, value):
            self.note(f"one {value}")

        @listen(begin)
        def with_default(self, value, other="other"):
            self.note(f"with_default {value} {other}")

        @listen(begin)
        def star(self, *args):
            self.note(f"star {args[0]}")

    flow = Some()
    flow.kickoff()

    assert sorted(trace(flow)) == ["bare", "one value", "star value", "with_default value other"]


def test_r8_a_listener_with_keywords_only_is_a_type_error():
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @listen(begin)
        def hears(self, **options):
            pass

    with pytest.raises(TypeError):
        Some().kickoff()


def test_r8_a_start_with_a_required_parameter_is_a_type_error():
    class Some(Flow):
        @start()
        def begin(self, needed):
            pass

    with pytest.raises(TypeError):
        Some().kickoff()


def test_r8_a_start_takes_the_trigger_payload_of_the_inputs():
    class Some(Flow):
        @start()
        def begin(self, crewai_trigger_payload=None):
            return crewai_trigger_payload

    flow = Some()

    assert flow.kickoff(inputs={"crewai_trigger_payload": {"n": 1}}) == {"n": 1}
    assert flow.kickoff() is None


def test_r9_and_passes_the_result_of_the_event_that_completed_it():
    class Some(Flow):
        @start()
        def begin(self):
            return "first"

        @listen(begin)
        def later(self):
            return "second"

        @listen(and_("begin", "later"))
        def both(self, value):
            return value

    assert Some().kickoff() == "second"


def test_r9_feedback_goes_only_to_listeners_of_its_own_event():
    class Some(Traced):
        @start()
        @human_feedback(message="OK?", emit=["yes"], default_outcome="yes")
        def review(self):
            return "draft"

        @listen("yes")
        def on_yes(self, result):
            self.note(type(result).__name__)
            return "done"

        @router(on_yes)
        def later(self):
            return "plain"

        @listen("plain")
        def on_plain(self, value):
            self.note(value)

        @listen("review")
        def on_review(self, value):
            self.note(f"label {value}")

    flow = Some(human_feedback_provider=RecordingProvider(["yes"]))
    flow.kickoff()

    assert trace(flow) == ["label yes", HumanFeedbackResult.__name__, "plain"]


def test_r10_and_fires_once_all_parts_were_seen():
    class Some(Traced):
        @start()
        def a(self):
            pass

        @start()
        def b(self):
            pass

        @listen(and_(a, b))
        def both(self):
            self.note("both")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["both"]


def test_r10_and_forgets_when_it_has_fired():
    class Some(Traced):
        @start()
        def begin(self):
            self.state["round"] = 0

        @router(or_("begin", "both"))
        def choose(self):
            self.state["round"] += 1
            return "a" if self.state["round"] == 1 else "b" if self.state["round"] == 2 else None

        @router("a")
        def to_b(self):
            return "b"

        @listen(and_("a", "b"))
        def both(self):
            self.note(f"both {self.state['round']}")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["both 1"]


@pytest.mark.parametrize("group", [("a", "b"), ("c", "d")], ids=["first", "second"])
def test_r10_or_of_ands_fires_when_either_group_is_complete(group):
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @router(begin)
        def one(self):
            return group[0]

        @router(begin)
        def two(self):
            return group[1]

        @listen(or_(and_("a", "b"), and_("c", "d")))
        def hears(self):
            return "fired"

    assert Some().kickoff() == "fired"


def test_r10_or_of_ands_does_not_mix_its_groups():
    class Some(Traced):
        @start()
        def begin(self):
            pass

        @router(begin)
        def one(self):
            return "a"

        @router(begin)
        def two(self):
            return "d"

        @listen(or_(and_("a", "b"), and_("c", "d")))
        def hears(self):
            self.note("fired")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == []


def test_r10_a_one_part_or_inside_and_works():
    class Some(Flow):
        @start()
        def a(self):
            pass

        @listen(a)
        def b(self):
            pass

        @listen(and_(a, or_(b)))
        def both(self):
            return "both"

    assert Some().kickoff() == "both"


def test_r11_or_over_a_method_and_its_own_listener_fires_once_with_the_first_result():
    class Some(Traced):
        @start()
        def b(self):
            return "from b"

        @listen(b)
        def c(self):
            return "from c"

        @listen(or_(b, c))
        def hears(self, value):
            self.note(value)

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["from b"]


def test_r11_two_starts_into_one_or_fire_it_once():
    class Some(Traced):
        @start()
        def a(self):
            pass

        @start()
        def b(self):
            pass

        @listen(or_(a, b))
        def hears(self):
            self.note("fired")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["fired"]


def test_r11_a_router_loop_re_arms_its_listener_for_each_event():
    class Some(Traced):
        @start()
        def begin(self):
            self.state["labels"] = ["A", "B", "B"]

        @router(or_("begin", "work"))
        def choose(self):
            return self.state["labels"].pop(0) if self.state["labels"] else None

        @listen(or_("A", "B"))
        def work(self):
            self.note("work")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["work", "work", "work"]


def test_r11_chained_routers_in_one_wave_fire_it_once():
    class Some(Traced):
        @start()
        def begin(self):
            pass

        @router(begin)
        def first(self):
            return "A"

        @router("A")
        def second(self):
            return "B"

        @listen(or_("A", "B"))
        def hears(self):
            self.note("fired")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["fired"]


def test_r11_one_router_loop_fires_its_or_listener_once_per_event():
    class Some(Traced):
        @start()
        def begin(self):
            self.state["labels"] = ["x", "x", "y"]

        @router(or_("begin", "x"))
        def loop(self):
            return self.state["labels"].pop(0)

        @listen("x")
        def hears_x(self):
            self.note("x")

        @listen(or_("x", "y"))
        def hears_both(self):
            self.note("both")

    flow = Some()
    flow.kickoff()

    assert trace(flow).count("x") == 2
    assert trace(flow).count("both") == 3


@pytest.mark.parametrize("first", ["a", "r"])
def test_r11_a_step_and_the_label_it_leads_to_fire_it_once(first):
    class Some(Traced):
        @start()
        def a(self):
            return "from a"

        @router("a")
        def b(self):
            return "go"

        @listen(or_("a", "go"))
        def either(self, value):
            return self.note(value)

    class Started(Traced):
        @router()
        @start()
        def r(self):
            return "go"

        @listen(or_("r", "go"))
        def either(self, value):
            return self.note(value)

    flow = Some() if first == "a" else Started()
    flow.kickoff()

    assert trace(flow) == ["from a" if first == "a" else "go"]


def test_r11_a_reviews_name_and_label_fire_it_once():
    class Some(Traced):
        @start()
        @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no", provider=RecordingProvider(["yes"]))
        def review(self):
            return "text"

        @listen(or_(review, "yes"))
        def either(self, value):
            return self.note(value)

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["yes"]


def test_r11_an_or_listener_that_itself_runs_again_is_armed_anew():
    class Some(Traced):
        @start()
        def a(self):
            return "from a"

        @listen(a)
        def b(self):
            return "from b"

        @router(or_(a, b))
        def r(self):
            return None

        @listen(or_(r, b))
        def either(self, value):
            return self.note(value)

    flow = Some()
    flow.kickoff()

    assert trace(flow) == [None, None, "from b"]


def test_r11_a_step_that_runs_again_re_arms_every_listener():
    class Some(Traced):
        @start()
        def begin(self):
            self.state["left"] = 3

        @router(or_("begin", "hears"))
        def choose(self):
            self.state["left"] -= 1
            return "go" if self.state["left"] >= 0 else None

        @listen("go")
        def work(self):
            pass

        @listen(or_("work", "never"))
        def hears(self):
            self.note("heard")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["heard"] * 3


def test_r11_a_listener_of_one_name_has_no_limit():
    class Some(Traced):
        @start()
        def begin(self):
            self.state["left"] = 3

        @router(or_("begin", "work"))
        def choose(self):
            self.state["left"] -= 1
            return "again" if self.state["left"] >= 0 else None

        @listen("again")
        def work(self):
            self.note("work")

    flow = Some()
    flow.kickoff()

    assert trace(flow) == ["work"] * 3


async def test_r12_listeners_that_feed_one_or_all_run_to_their_end():
    class Some(Flow):
        @start()
        async def begin(self):
            self.state["ended"] = []

        @listen(begin)
        async def fast(self):
            self.state["ended"].append("fast")

        @listen(begin)
        async def slow(self):
            await asyncio.wait_for(self.released.wait(), 5)
            self.state["ended"].append("slow")

        @listen(or_(fast, slow))
        async def first(self):
            self.state["ended"].append("first")
            self.released.set()

    flow = Some()
    flow.released = asyncio.Event()
    await flow.kickoff_async()

    assert flow.state["ended"] == ["fast", "first", "slow"]


async def test_r12_a_failing_listener_beside_an_or_is_not_swallowed():
    class Some(Flow):
        @start()
        async def begin(self):
            pass

        @listen(begin)
        async def fails(self):
            raise ValueError("seen")

        @listen(begin)
        async def works(self):
            pass

        @listen(or_(fails, works))
        async def first(self):
            pass

    with pytest.raises(ValueError, match="seen"):
        await Some().kickoff_async()


class Endless(Flow):
    @start()
    def begin(self):
        pass

    @router(or_("begin", "again"))
    def loop(self):
        self.state["runs"] = self.state.get("runs", 0) + 1
        return "again"


@pytest.mark.parametrize("limit", [100, 7], ids=["default", "given"])
def test_r13_a_method_called_too_often_is_a_recursion_error(limit):
    flow = Endless() if limit == 100 else Endless(max_method_calls=limit)

    with pytest.raises(RecursionError, match=rf"loop.*{limit}"):
        flow.kickoff()

    assert flow.state["runs"] == limit


async def test_r13_a_long_cycle_is_no_matter_of_depth():
    class Long(Flow):
        @start()
        async def begin(self):
            self.state["n"] = 0

        @listen(or_("begin", "go"))
        async def work(self):
            self.state["n"] += 1

        @router(work)
        async def more(self):
            return "go" if self.state["n"] < 3000 else None

    flow = Long(max_method_calls=5000)
    await flow.kickoff_async()

    assert flow.state["n"] == 3000


class Custom(Exception):
    pass


async def test_r14_an_exception_is_raised_unchanged_and_siblings_have_stopped():
    class Some(Flow):
        @start()
        async def fails(self):
            await asyncio.wait_for(self.started.wait(), 5)
            raise Custom("as it was")

        @start()
        async def sibling(self):
            self.started.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.state["stopped"] = True

    flow = Some()
    flow.started = asyncio.Event()

    with pytest.raises(Custom, match="as it was"):
        await flow.kickoff_async()

    assert flow.state["stopped"] is True


async def test_r14_a_sync_sibling_has_ended_before_the_error_is_seen():
    class Some(Flow):
        @start()
        def slow(self):
            self.running.set()
            self.go_on.wait(5)
            self.state["ended"] = True

        @start()
        async def fails(self):
            await asyncio.to_thread(self.running.wait, 5)
            asyncio.get_running_loop().call_soon(self.go_on.set)
            raise Custom

    flow = Some()
    flow.running, flow.go_on = threading.Event(), threading.Event()

    with pytest.raises(Custom):
        await flow.kickoff_async()

    assert flow.state["ended"] is True


def test_r15_kickoff_returns_the_output_recorded_last():
    class Some(Flow):
        @start()
        def begin(self):
            return "begin"

        @listen(begin)
        def end(self):
            return "end"

    class Empty(Flow):
        pass

    assert Some().kickoff() == "end"
    assert Empty().kickoff() is None


def test_r15_a_review_with_labels_records_the_methods_own_value():
    class Some(Flow):
        @start()
        @human_feedback(message="OK?", emit=["yes"], default_outcome="yes")
        def review(self):
            return "draft"

    assert Some(human_feedback_provider=RecordingProvider(["yes"])).kickoff() == "draft"


def test_r16_outputs_stand_in_order_of_completion_and_are_cleared_at_kickoff():
    class Some(Flow):
        @start()
        def begin(self):
            return 1

        @router(begin)
        def choose(self):
            return "go"

        @listen("go")
        def end(self):
            return 2

    flow = Some()
    flow.kickoff()
    flow.kickoff()

    assert flow.method_outputs == [1, "go", 2]


def test_r17_a_second_kickoff_keeps_the_state():
    class Some(Flow):
        @start()
        def begin(self):
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

    flow = Some()
    flow.kickoff()

    assert flow.kickoff() == 2


async def test_r18_two_kickoffs_at_once_on_one_instance_are_refused():
    class Some(Flow):
        @start()
        async def begin(self):
            self.started.set()
            await asyncio.wait_for(self.released.wait(), 5)
            return self.state["n"]

    flow = Some()
    flow.started, flow.released = asyncio.Event(), asyncio.Event()
    first = asyncio.create_task(flow.kickoff_async(inputs={"n": 1}))
    await flow.started.wait()

    with pytest.raises(RunInProgressError, match="in progress"):
        await flow.kickoff_async(inputs={"n": 2})

    flow.released.set()
    assert await first == 1


def test_r18_after_a_failure_the_instance_may_run_again():
    class Some(Flow):
        @start()
        def begin(self):
            if not self.state.get("failed"):
                self.state["failed"] = True
                raise Custom
            return "second try"

    flow = Some()
    with pytest.raises(Custom):
        flow.kickoff()

    assert flow.kickoff() == "second try"


def test_r19_the_flows_name_stands_in_its_events():
    class Some(Flow):
        name = "a better name"

        @start()
        def begin(self):
            pass

    events = []
    Some(on_event=events.append).kickoff()

    assert {event.flow_name for event in events} == {"a better name"}


def test_r19_suppressed_events_leave_the_flows_own():
    class Some(Flow):
        @start()
        def begin(self):
            pass

    events = []
    Some(suppress_flow_events=True, on_event=events.append).kickoff()

    assert [event.type for event in events] == ["flow_created", "flow_started", "flow_finished"]
