"""What a class says about its graph: events, stacked decorators, edges."""

from enum import Enum
from typing import Literal

from tests.differential.case import attempt, case, outcome, ran


@case("G-5")
def declared_events_do_not_limit_a_router(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")

        @api.router(first, emit=["declared"])
        async def choose(self):
            return "other"

        @api.listen("declared")
        async def on_declared(self):
            log.append("on_declared")

        @api.listen("other")
        async def on_other(self):
            log.append("on_other")
            return "other ran"

    return ran(Example, log)


class Verdict(Enum):
    YES = "yes"
    NO = "no"


@case("G-5", "V-1")
def annotations_declare_events(api):
    class Example(api.Flow):
        @api.start()
        def first(self):
            return 1

        @api.router(first)
        def by_literal(self) -> Literal["a", "b"]:
            return "a"

        @api.router(first)
        def by_enum(self) -> Verdict:
            return Verdict.YES

        @api.router(first)
        def by_union(self) -> Literal["c"] | Verdict:
            return "c"

        @api.router(first)
        def in_a_list(self) -> list[Literal["d"]]:
            return ["d"]

        @api.router(first)
        def bare(self):
            return "e"

    def run():
        nodes = api.build_flow_structure(Example)["nodes"]
        return {name: sorted(nodes[name].get("router_events") or []) for name in sorted(nodes)}

    return run


@case("V-1")
def a_structure_tells_of_nodes_and_edges(api):
    class Example(api.Flow):
        @api.start()
        def first(self):
            return 1

        @api.router(first, emit=["go", "stop"])
        def choose(self):
            return "go"

        @api.listen("go")
        def goes(self):
            return 2

        @api.listen(api.and_(first, goes))
        def joined(self):
            return 3

    def run():
        structure = api.build_flow_structure(Example)
        return {
            "start_methods": list(structure["start_methods"]),
            "router_methods": list(structure["router_methods"]),
            "types": {name: node["type"] for name, node in sorted(structure["nodes"].items())},
            "edges": sorted(
                [edge["source"], edge["target"], edge["condition_type"], edge.get("router_event")]
                for edge in structure["edges"]
            ),
        }

    return run


@case("G-6")
def a_router_stacked_on_a_start_in_both_orders(api):
    log = []

    class Above(api.Flow):
        @api.router()
        @api.start()
        async def first(self):
            return "go"

        @api.listen("go")
        async def goes(self):
            log.append("above")

    class Below(api.Flow):
        @api.start()
        @api.router()
        async def first(self):
            return "go"

        @api.listen("go")
        async def goes(self):
            log.append("below")

    async def run():
        above, below = await outcome(Above().kickoff_async()), await outcome(Below().kickoff_async())
        return {"above": above, "below": below, "fired": log}

    return run


@case("G-6")
def a_router_stacked_on_a_listener(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            return 1

        @api.router()
        @api.listen(first)
        async def choose(self, value):
            log.append(["choose", value])
            return "go"

        @api.listen("go")
        async def goes(self, value):
            log.append(["goes", value])
            return "gone"

    return ran(Example, log)


@case("G-6")
def two_triggers_on_one_method(api):
    log = []

    class Base(api.Flow):
        pass

    async def run():
        class Example(Base):
            @api.start()
            async def a(self):
                log.append("a")

            @api.listen("a")
            @api.listen("b")
            async def both(self):
                log.append("both")

        result = await outcome(Example().kickoff_async())
        return {"fired": log, "result": result}

    return run


@case("G-7")
def one_method_is_a_start_and_a_listener(api):
    log = []

    class Example(api.Flow):
        @api.start()
        @api.listen("again")
        async def work(self):
            log.append("work")
            return len(log)

        @api.router(work)
        async def check(self):
            log.append("check")
            return "again" if log.count("work") < 3 else "stop"

        @api.listen("stop")
        async def done(self):
            log.append("done")
            return "done"

    return ran(Example, log)


@case("G-8")
def a_start_without_parentheses(api):
    log = []

    def run():
        class Example(api.Flow):
            @api.start
            def first(self):
                log.append("first")
                return 1

        return {"result": attempt(lambda: Example().kickoff()), "fired": log}

    return run
