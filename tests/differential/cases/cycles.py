"""Races, cycles and their limit."""

import asyncio

from tests.differential.case import came, case, outcome


@case("R-12")
def two_listeners_that_feed_one_alternative(api):
    much_later, rounds, log = asyncio.Event(), [], []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def quick(self):
            return "quick"

        @api.listen(a)
        async def slow(self):
            log.append(await came(much_later))

        @api.listen(api.or_(quick, slow))
        async def either(self):
            return "either"

        # A branch of its own, so that the slow listener has something to wait for.
        @api.start()
        async def beside(self):
            return "beside"

        @api.listen(api.or_(beside, "again"))
        async def work(self):
            rounds.append(1)

        @api.router(work)
        async def check(self):
            if len(rounds) < 50:
                return "again"
            much_later.set()
            return "worked"

    async def run():
        await outcome(Example().kickoff_async())
        return {"the slow one ended": log}

    return run


@case("R-12")
def a_failing_feeder_of_an_alternative(api):
    failing = asyncio.Event()

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def works(self):
            await failing.wait()
            return "works"

        @api.listen(a)
        async def fails(self):
            failing.set()
            raise ValueError("no")

        @api.listen(api.or_(works, fails))
        async def either(self, value):
            return value

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("R-13")
def a_cycle_without_an_exit(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.listen(api.or_(begin, "again"))
        async def work(self):
            log.append("work")

        @api.router(work)
        async def check(self):
            return "again"

    async def run():
        result = await outcome(Example(max_method_calls=7).kickoff_async())
        return {"result": result, "calls": len(log)}

    return run


@case("R-13")
def the_default_limit_of_a_cycle(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.router(api.or_(begin, "again"))
        async def check(self):
            log.append("check")
            return "again"

    async def run():
        result = await outcome(Example().kickoff_async())
        return {"result": result, "calls": len(log)}

    return run


@case("R-13")
def a_cycle_of_sixty_rounds(api):
    class Example(api.Flow):
        @api.start()
        async def begin(self):
            self.state["n"] = 0

        @api.listen(api.or_(begin, "again"))
        async def work(self):
            self.state["n"] += 1
            return self.state["n"]

        @api.router(work)
        async def check(self):
            return "again" if self.state["n"] < 60 else "stop"

        @api.listen("stop")
        async def done(self):
            return self.state["n"]

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {"result": result, "outputs": len(flow.method_outputs)}

    return run
