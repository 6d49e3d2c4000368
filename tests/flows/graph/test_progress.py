"""What may run next, against a small model that says the same by plain recursion."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows import Flow, and_, listen, or_, router, start
from flows.graph.conditions import AllOf, AnyOf, Condition, On
from flows.graph.definition import FlowGraph, build_graph
from flows.graph.progress import Call, Progress, begin, finish
from flows.graph.progress_record import from_dict, to_dict

STEPS = 40
"""How much of a run is compared; random graphs may have endless cycles."""

METHODS = ("m0", "m1", "m2", "m3", "m4", "m5")
LABELS = ("x", "y", "z")


@dataclass(frozen=True)
class Plan:
    """One random flow: who waits for what, and what routers answer call by call."""

    conditions: dict[str, Condition | None]
    """None marks a start."""
    answers: dict[str, tuple[str | None, ...]]
    """Routers only; when the answers are used up they answer None."""

    def answer(self, call: Call) -> str | None:
        script = self.answers.get(call.method, ())
        return script[call.number - 1] if call.number <= len(script) else None


def conditions(names: st.SearchStrategy[str]) -> st.SearchStrategy[Condition]:
    def combined(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        several = st.lists(parts, min_size=1, max_size=3)
        return several.map(lambda items: or_(*items)) | several.map(lambda items: and_(*items))

    return st.recursive(names.map(On), combined, max_leaves=4)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(2, len(METHODS)))
    methods = METHODS[:count]
    found: dict[str, Condition | None] = {}
    for at, method in enumerate(methods):
        others = st.sampled_from([name for name in (*methods, *LABELS) if name != method])
        found[method] = None if at == 0 else draw(st.none() | conditions(others))
    routers = draw(st.sets(st.sampled_from(methods)))
    script = st.lists(st.none() | st.sampled_from(LABELS), max_size=4).map(tuple)
    return Plan(found, {method: draw(script) for method in sorted(routers)})


def graph_of(plan: Plan) -> FlowGraph:
    body = {}
    for name, condition in plan.conditions.items():

        def method(self):
            pass

        method.__name__ = name
        decorated = start()(method) if condition is None else listen(condition)(method)
        body[name] = router()(decorated) if name in plan.answers else decorated
    return build_graph(type("Planned", (Flow,), body))


def engine_trace(plan: Plan, *, through_json: bool) -> Iterator[Call]:
    """The calls in order, one at a time and depth first, as the engine's functions give them."""
    graph, progress = graph_of(plan), Progress()
    waiting = [active.call for active in begin(graph, progress)][::-1]
    while waiting:
        call = waiting.pop()
        yield call
        if through_json:
            progress = from_dict(json.loads(json.dumps(to_dict(progress))))
        ready = finish(graph, progress, call, plan.answer(call))
        waiting += [active.call for active in ready][::-1]


@dataclass
class Model:
    """The rules by recursion: a call, then all that it sets in motion, then the next call."""

    plan: Plan
    counts: dict[str, int] = field(default_factory=dict)
    spent: set[str] = field(default_factory=set)
    heard: dict[str, list[str]] = field(default_factory=dict)
    """Events since the method last fired."""

    def trace(self) -> Iterator[Call]:
        starts = [name for name, condition in self.plan.conditions.items() if condition is None]
        for call in self.entered(starts):
            yield from self.carried_out(call)

    def carried_out(self, call: Call) -> Iterator[Call]:
        """A start: its name's wave, then its label's, which counts as one with it."""
        yield call
        fired: dict[str, bool] = {}
        yield from self.wave(call.method, fired, is_label=False)
        label = self.plan.answer(call)
        if label:
            yield from self.wave(label, fired, is_label=True)

    def wave(self, first: str, fired: dict[str, bool], *, is_label: bool) -> Iterator[Call]:
        """fired: the alternatives that fired in this wave, and whether for a label."""
        events = [(first, is_label, False)]
        raisers: list[str] = []
        for event, _, _ in events:
            for method in self.hearing(event, routers=True):
                (call,) = self.entered([method])
                yield call
                yield from self.wave(method, {}, is_label=False)
                label = self.plan.answer(call)
                if label:
                    events.append((label, True, method in raisers))
                    raisers.append(method)
        for event, is_a_label, again in events:
            for method in self.listening(event) if is_a_label else ():
                if method not in fired or (again and fired[method]):
                    self.spent.discard(method)
            listeners = self.hearing(event, routers=False)
            alternatives = [name for name in listeners if isinstance(self.plan.conditions[name], AnyOf)]
            self.spent.update(alternatives)
            fired.update(dict.fromkeys(alternatives, is_a_label))
            calls = self.entered(listeners)
            for call in calls:
                yield call
                yield from self.wave(call.method, {}, is_label=False)

    def entered(self, methods: list[str]) -> list[Call]:
        calls = []
        for method in methods:
            self.counts[method] = self.counts.get(method, 0) + 1
            if self.counts[method] > 1:
                self.spent.clear()
            calls.append(Call(method, self.counts[method]))
        return calls

    def listening(self, event: str) -> list[str]:
        return [
            name
            for name, condition in self.plan.conditions.items()
            if condition is not None and name not in self.plan.answers and event in leaves(condition)
        ]

    def hearing(self, event: str, *, routers: bool) -> list[str]:
        met = []
        for name, condition in self.plan.conditions.items():
            if condition is None or (name in self.plan.answers) is not routers:
                continue
            if event in leaves(condition) and name not in self.spent:
                history = [*self.heard.get(name, []), event]
                is_met = is_met_by_last(condition, history)
                self.heard[name] = [] if is_met else history
                if is_met:
                    met.append(name)
        return met


def leaves(condition: Condition) -> set[str]:
    return {condition.name} if isinstance(condition, On) else set().union(*map(leaves, condition.parts))


def is_met_by_last(condition: Condition, history: list[str]) -> bool:
    """Whether the last event meets the condition, told from nothing but the history."""
    if isinstance(condition, On):
        return history[-1] == condition.name
    if isinstance(condition, AnyOf):
        return any(is_met_by_last(part, history) for part in condition.parts)
    seen: set[int] = set()
    met = False
    for end in range(1, len(history) + 1):
        seen |= {at for at, part in enumerate(condition.parts) if is_met_by_last(part, history[:end])}
        met = len(seen) == len(condition.parts)
        if met:
            seen = set()
    return met


@pytest.mark.parametrize("through_json", [False, True], ids=["in memory", "through JSON"])
@given(plan=plans())
@example(plan=Plan({"m0": None, "m1": or_("m0", "x"), "m2": or_("x", "y")}, {"m1": ("x", "x", "y")}))
@example(plan=Plan({"m0": None, "m1": On("m0"), "m2": AllOf((On("m0"), On("m1")))}, {}))
@example(plan=Plan({"m0": None, "m1": None, "m2": or_("z", and_("m0", "y"))}, {"m0": ("z",), "m1": ("y",)}))
@settings(max_examples=60, deadline=None)
def test_any_graph_runs_as_the_model_says(through_json, plan):
    expected = list(islice(Model(plan).trace(), STEPS))

    assert list(islice(engine_trace(plan, through_json=through_json), STEPS)) == expected


@pytest.mark.slow
@pytest.mark.timeout(300)
@given(plan=plans())
@settings(max_examples=1500, deadline=None)
def test_very_many_graphs_run_as_the_model_says(plan):
    expected = list(islice(Model(plan).trace(), STEPS))

    assert list(islice(engine_trace(plan, through_json=False), STEPS)) == expected


@given(plan=plans())
@settings(max_examples=40, deadline=None)
def test_nothing_is_left_when_a_run_is_over(plan):
    graph, progress = graph_of(plan), Progress()
    waiting = begin(graph, progress)
    for _ in range(STEPS):
        if not waiting:
            break
        active = waiting.pop()
        waiting += finish(graph, progress, active.call, plan.answer(active.call))

    assert set(progress.active) == {active.call for active in waiting}
    assert waiting or not progress.waves


@given(plan=plans(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_whatever_ends_first_every_wave_is_closed(plan, data):
    graph, progress = graph_of(plan), Progress()
    waiting = begin(graph, progress)
    for _ in range(STEPS):
        if not waiting:
            break
        active = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
        waiting += finish(graph, progress, active.call, plan.answer(active.call))
        held = {item.wave for item in progress.active.values()} | {wave.parent for wave in progress.waves.values()}
        assert held >= {number for number, wave in progress.waves.items() if wave.open}
    assert waiting or not progress.waves


def test_a_long_chain_keeps_no_trail_of_waves():
    plan = Plan({"m0": None, "m1": or_("m0", "m2"), "m2": On("x")}, {"m1": ("x",) * 1000})
    graph, progress = graph_of(plan), Progress()
    (active,) = begin(graph, progress)
    for _ in range(1000):
        (active,) = finish(graph, progress, active.call, plan.answer(active.call))

    assert len(progress.waves) <= 2


def test_an_event_costs_what_it_touches_and_not_the_whole_join():
    steps = [f"m{number}" for number in range(1, 2001)]
    plan = Plan({"m0": None, **{name: On("m0") for name in steps}, "join": and_(*steps)}, {})
    graph, progress = graph_of(plan), Progress()

    shares = [graph.listeners_hearing[name]["join"] for name in steps]
    (begun,) = begin(graph, progress)
    ready = finish(graph, progress, begun.call, None)
    joined = [finish(graph, progress, active.call, None) for active in ready]

    assert {len(join.parts) for share in shares for join in share.joins} == {1}
    assert [len(found) for found in joined] == [0] * 1999 + [1]
