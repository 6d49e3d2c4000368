"""What runs before what after a step has finished."""

import asyncio

from tests.differential.case import came, case, ran


@case("R-5", "R-6")
def routers_first_then_listeners_event_by_event(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")
            return "from a"

        @api.listen("go")
        async def on_go(self, value):
            log.append(["on_go", value])

        @api.listen(a)
        async def on_a(self, value):
            log.append(["on_a", value])

        @api.router(a)
        async def r(self, value):
            log.append(["r", value])
            return "go"

        @api.listen(r)
        async def on_r(self, value):
            log.append(["on_r", value])

    return ran(Example, log)


@case("R-5")
def a_chain_of_routers_goes_before_all_listeners(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def on_a(self):
            log.append("on_a")

        @api.router(a)
        async def one(self):
            log.append("one")
            return "first"

        @api.router("first")
        async def two(self, value):
            log.append(["two", value])
            return "second"

        @api.router("second")
        async def three(self, value):
            log.append(["three", value])

        @api.listen("first")
        async def on_first(self):
            log.append("on_first")

        @api.listen("second")
        async def on_second(self):
            log.append("on_second")

    return ran(Example, log)


@case("R-5")
def two_routers_of_one_event(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.router(a)
        async def one(self):
            log.append("one")
            return "left"

        @api.router(a)
        async def two(self):
            log.append("two")
            return "right"

        @api.listen("left")
        async def on_left(self, value):
            log.append(["on_left", value])

        @api.listen("right")
        async def on_right(self, value):
            log.append(["on_right", value])

    return ran(Example, log)


@case("R-5")
def a_branch_goes_on_without_waiting_for_its_sibling(api):
    went_on = asyncio.Event()

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def slow(self):
            self.state["slow saw it"] = await came(went_on)

        @api.listen(a)
        async def quick(self):
            return 2

        @api.listen(quick)
        async def after_quick(self):
            went_on.set()

    async def run():
        flow = Example()
        await flow.kickoff_async()
        return {"slow saw it": flow.state["slow saw it"]}

    return run


@case("R-5")
def listeners_of_one_event_run_at_once(api):
    arrived = [asyncio.Event(), asyncio.Event()]

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def one(self):
            arrived[0].set()
            self.state["one met two"] = await came(arrived[1])

        @api.listen(a)
        async def two(self):
            arrived[1].set()
            self.state["two met one"] = await came(arrived[0])

    async def run():
        flow = Example()
        await flow.kickoff_async()
        return {"one met two": flow.state["one met two"], "two met one": flow.state["two met one"]}

    return run
