"""Sixty graphs by chance: nested conditions, routers with scripted answers, cycles; which step fires, in order."""

from dataclasses import dataclass
from random import Random
from typing import Any

from tests.differential.case import Case, Run, Values, outcome
from tests.differential.engine import Engine

LABELS = ("L0", "L1", "L2")
ANSWERS = 3
"""How often a router raises a label before it falls silent, so that every cycle has an exit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One method of a graph."""

    name: str
    condition: Any
    """A name, or "or"/"and" with its parts; None for the start."""
    answers: tuple[str | None, ...] | None
    """What a router returns, call by call; None for a plain listener."""


def planned_graph(seed: int) -> tuple[Planned, ...]:
    """One start and three to six methods; each waits for earlier methods and for labels."""
    chance = Random(seed)
    names = [f"m{number}" for number in range(chance.randint(4, 7))]
    plan = [Planned(name="m0", condition=None, answers=None)]
    for number, name in enumerate(names[1:], start=1):
        is_router = chance.random() < 0.4
        answers = tuple(chance.choice([*LABELS, None]) for _ in range(ANSWERS)) if is_router else None
        condition = _condition(chance, names[:number])
        plan.append(Planned(name=name, condition=condition, answers=answers))
    return tuple(plan)


def _condition(chance: Random, methods: list[str], depth: int = 0) -> Any:
    kind = chance.random()
    if depth >= 2 or kind < 0.5:
        return chance.choice(methods if chance.random() < 0.6 else LABELS)
    parts = [_condition(chance, methods, depth + 1) for _ in range(chance.choice([2, 2, 3]))]
    return ("or" if kind < 0.85 else "and", parts)


def _written(api: Engine, condition: Any) -> Any:
    if isinstance(condition, str):
        return condition
    kind, parts = condition
    combine = api.or_ if kind == "or" else api.and_
    return combine(*[_written(api, part) for part in parts])


def _step(planned: Planned, log: list[str]) -> Any:
    async def step(self: Any) -> Any:
        log.append(planned.name)
        if planned.answers is None:
            return planned.name
        calls = log.count(planned.name)
        return planned.answers[calls - 1] if calls <= ANSWERS else None

    step.__name__ = step.__qualname__ = planned.name
    return step


def _decorator(api: Engine, planned: Planned) -> Any:
    if planned.condition is None:
        return api.start()
    trigger = _written(api, planned.condition)
    return api.listen(trigger) if planned.answers is None else api.router(trigger)


def _graph_case(seed: int) -> Case:
    def build(api: Engine) -> Run:
        log: list[str] = []
        methods = {item.name: _decorator(api, item)(_step(item, log)) for item in planned_graph(seed)}
        flow_class: Any = type(api.Flow)("Example", (api.Flow,), {"__module__": __name__, **methods})

        async def run() -> Values:
            result = await outcome(flow_class().kickoff_async())
            return {"fired": " ".join(log), "failed": isinstance(result, dict)}

        return run

    return Case(name=f"random_graph_{seed:02}", rules=("R-5", "R-10", "R-11"), build=build)


GRAPHS = tuple(_graph_case(seed) for seed in range(60))
