"""How a run begins: kickoff, threads and the loop, starts with and without conditions."""

import asyncio
import threading
from contextvars import ContextVar

from tests.differential.case import attempt, came, case, outcome, ran


@case("R-3")
def sync_listeners_of_one_event_run_at_once(api):
    meeting = threading.Barrier(2)

    class Example(api.Flow):
        @api.start()
        def a(self):
            return 1

        @api.listen(a)
        def one(self):
            return meeting.wait(5) >= 0

        @api.listen(a)
        def two(self):
            return meeting.wait(5) >= 0

        @api.listen(api.and_(one, two))
        def met(self, value):
            return value

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("R-3")
def a_context_variable_set_in_a_step(api):
    tenant = ContextVar("tenant", default="nobody")

    class Example(api.Flow):
        @api.start()
        async def a(self):
            tenant.set("acme")

        @api.listen(a)
        async def async_step(self):
            return tenant.get()

        @api.listen(async_step)
        def sync_step(self, before):
            return [before, tenant.get()]

    async def run():
        return {"seen": await outcome(Example().kickoff_async()), "after": tenant.get()}

    return run


@case("R-3")
def other_kinds_of_methods(api):
    async def gather(value):
        return [*value, "later"]

    class Example(api.Flow):
        @api.start()
        async def a(self):
            async def numbers():
                yield 1
                yield 2

            return [number async for number in numbers()]

        @api.listen(a)
        def gives_an_awaitable(self, value):
            class Later:
                def __await__(self):
                    return (yield from gather(value).__await__())

            return Later()

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("R-1")
def inputs_of_other_kinds(api):
    class Example(api.Flow):
        @api.start()
        def a(self):
            return sorted(key for key in self.state if key != "id")

    def run():
        return {
            "empty": attempt(lambda: Example().kickoff(inputs={})),
            "none": attempt(lambda: Example().kickoff(inputs=None)),
            "positional": attempt(lambda: Example().kickoff({"k": 1})),
            "unknown keyword": attempt(lambda: Example().kickoff(user_message="hi")),
        }

    return run


@case("R-1", "R-2")
def the_ways_to_kick_off(api):
    class Example(api.Flow):
        @api.start()
        def first(self):
            return self.state["n"] + 1

        @api.listen(first)
        def second(self, value):
            return value * 10

    async def inside_a_loop():
        return {
            "kickoff": attempt(lambda: Example().kickoff(inputs={"n": 1})),
            "kickoff_async": await outcome(Example().kickoff_async(inputs={"n": 2})),
            "akickoff": await outcome(Example().akickoff(inputs={"n": 3})),
        }

    def run():
        outside = attempt(lambda: Example().kickoff(inputs={"n": 4}))
        return {"outside": outside, **asyncio.run(inside_a_loop())}

    return run


@case("R-3")
def sync_steps_run_beside_the_loop(api):
    tenant = ContextVar("tenant", default="nobody")
    facts = {}

    class Example(api.Flow):
        @api.start()
        def sync_step(self):
            facts["sync"] = [threading.current_thread() is facts_thread[0], tenant.get()]

        @api.listen(sync_step)
        async def async_step(self):
            facts["async"] = [threading.current_thread() is facts_thread[0], tenant.get()]

        @api.listen(async_step)
        def gives_a_coroutine(self):
            async def later():
                return "awaited"

            return later()

    facts_thread = []

    async def run():
        facts_thread.append(threading.current_thread())
        tenant.set("acme")
        result = await outcome(Example().kickoff_async())
        return {"result": result, **facts}

    return run


@case("R-4")
def unconditional_starts_run_at_once(api):
    arrived = {"a": asyncio.Event(), "b": asyncio.Event()}

    class Example(api.Flow):
        @api.start()
        async def a(self):
            arrived["a"].set()
            self.state["a met b"] = await came(arrived["b"])

        @api.start()
        async def b(self):
            arrived["b"].set()
            self.state["b met a"] = await came(arrived["a"])

    async def run():
        flow = Example()
        await flow.kickoff_async()
        return {"a met b": flow.state["a met b"], "b met a": flow.state["b met a"]}

    return run


@case("R-4")
def a_conditional_start_fires_on_a_routers_label(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")

        @api.router(first)
        async def choose(self):
            log.append("choose")
            return "retry"

        @api.start("retry")
        async def again(self):
            log.append("again")
            return "again"

    return ran(Example, log)


@case("R-4")
def a_conditional_start_on_a_methods_end(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")
            return 1

        @api.start("first")
        async def after(self):
            log.append("after")
            return 2

    return ran(Example, log)


@case("R-4")
def without_an_unconditional_start_every_start_runs(api):
    log = []

    class Example(api.Flow):
        @api.start("x")
        async def a(self):
            log.append("a")

        @api.start(api.and_("y", "z"))
        async def b(self):
            log.append("b")

    async def run():
        result = await outcome(Example().kickoff_async())
        return {"fired": sorted(log), "result": result}

    return run


@case("R-3")
def a_step_may_start_another_flow(api):
    class Inner(api.Flow):
        @api.start()
        def work(self):
            return self.state["n"] * 2

    class Outer(api.Flow):
        @api.start()
        async def by_await(self):
            return await Inner().kickoff_async(inputs={"n": 2})

        @api.listen(by_await)
        def by_call(self, value):
            return value + Inner().kickoff(inputs={"n": 10})

    return ran(Outer, [])


@case("R-3")
def iterators_as_results(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return (n for n in range(3))

        @api.listen(a)
        async def b(self, value):
            return [list(value), "consumed once"]

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("R-19")
def a_flow_may_have_a_name(api):
    class Example(api.Flow):
        name = "Invoice run"

        @api.start()
        async def a(self):
            return self.name

    return ran(Example, [])
