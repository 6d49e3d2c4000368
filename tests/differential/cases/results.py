"""What a run gives back, what it does with errors, and running again."""

import asyncio

from tests.differential.case import came, case, outcome, ran


@case("R-14")
def cancelling_a_run(api):
    entered, log = asyncio.Event(), []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                log.append("cleaned up")

        @api.listen(a)
        async def after(self):
            log.append("after")

    async def run():
        task = asyncio.create_task(Example().kickoff_async())
        await entered.wait()
        task.cancel()
        await asyncio.wait([task])
        return {"cancelled": task.cancelled(), "fired": log}

    return run


@case("R-14")
def an_exception_is_raised_unchanged(api):
    log = []

    class Mine(KeyError):
        pass

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")
            raise Mine("lost")

        @api.listen(a)
        async def after(self):
            log.append("after")

    async def run():
        try:
            await Example().kickoff_async()
        except Mine as error:
            return {"type": type(error).__name__, "args": list(error.args), "fired": log}
        return {"type": None, "fired": log}

    return run


@case("R-14")
def an_exception_in_a_router(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def beside(self):
            log.append("beside")

        @api.router(a)
        async def r(self):
            log.append("r")
            raise OSError("down")

    return ran(Example, log)


@case("R-14")
def an_instance_runs_again_after_an_exception(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["tries"] = self.state.get("tries", 0) + 1
            if self.state["tries"] == 1:
                raise ValueError("first time")
            return self.state["tries"]

        @api.listen(a)
        async def b(self, value):
            return value * 10

    async def run():
        flow = Example()
        first, second = await outcome(flow.kickoff_async()), await outcome(flow.kickoff_async())
        return {"first": first, "second": second, "outputs": flow.method_outputs}

    return run


@case("R-14")
def a_sibling_of_a_failing_step_has_stopped_before_the_error_is_seen(api):
    entered, log = asyncio.Event(), []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.listen(a)
        async def fails(self):
            await entered.wait()
            raise ValueError("no")

        @api.listen(a)
        async def sibling(self):
            entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                log.append("stopped")

    async def run():
        result = await outcome(Example().kickoff_async())
        return {"result": result, "when the error is seen": list(log)}

    return run


@case("R-15", "R-16")
def outputs_stand_in_order_of_completion(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.router(a)
        async def r(self):
            return "go"

        @api.listen("go")
        async def b(self):
            return None

        @api.listen(b)
        async def c(self):
            return {"k": [1]}

    return ran(Example, [])


@case("R-15")
def the_last_output_may_be_none(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        async def b(self):
            return None

    return ran(Example, [])


@case("R-15")
def the_branch_that_ends_last_gives_the_result(api):
    quick_done = asyncio.Event()

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        async def slow(self):
            await quick_done.wait()
            return "slow"

        @api.listen(a)
        async def quick(self):
            quick_done.set()
            return "quick"

    return ran(Example, [])


@case("R-16", "R-17")
def a_second_kickoff_keeps_the_state_only(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

        @api.listen(a)
        async def b(self, value):
            return value * 10

    async def run():
        flow = Example()
        id_before = flow.flow_id
        results = [await flow.kickoff_async(), await flow.kickoff_async()]
        return {"results": results, "outputs": flow.method_outputs, "same id": flow.flow_id == id_before}

    return run


@case("R-18")
def two_kickoffs_at_once_on_one_instance(api):
    second_is_in, release = asyncio.Event(), asyncio.Event()
    entered = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            entered.append(self.state["n"])
            if len(entered) == 2:
                second_is_in.set()
            await release.wait()
            return self.state["n"]

    async def run():
        flow = Example()
        first = asyncio.create_task(outcome(flow.kickoff_async(inputs={"n": 1})))
        second = asyncio.create_task(outcome(flow.kickoff_async(inputs={"n": 2})))
        await asyncio.wait([second, asyncio.create_task(second_is_in.wait())], return_when=asyncio.FIRST_COMPLETED)
        release.set()
        results = [await first, await second]
        # Which of the two inputs both would see is a matter of chance.
        return {"one state for both": results[0] == results[1], "refused": isinstance(results[1], dict)}

    return run


@case("R-18")
def two_instances_at_once_are_apart(api):
    both_in, count = asyncio.Event(), []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            count.append(1)
            if len(count) == 2:
                both_in.set()
            met = await came(both_in)
            return [self.state["n"], met]

    async def run():
        kickoffs = [outcome(Example().kickoff_async(inputs={"n": n})) for n in (1, 2)]
        return {"results": list(await asyncio.gather(*kickoffs))}

    return run


@case("R-9", "R-15")
def values_are_passed_as_they_are(api):
    given = {"rows": [1]}
    seen = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return given

        @api.listen(a)
        async def b(self, value):
            seen.append(value is given)
            value["rows"].append(2)
            return value

    async def run():
        flow = Example()
        result = await flow.kickoff_async()
        return {"same to the listener": seen, "same as the result": result is given, "outputs": flow.method_outputs}

    return run


@case("R-14")
def exceptions_of_unusual_kinds(api):
    class Unprintable(Exception):
        def __str__(self):
            raise ValueError("no text")

    async def raising(error, *, is_sync):
        class Sync(api.Flow):
            @api.start()
            def a(self):
                raise error

        class Async(api.Flow):
            @api.start()
            async def a(self):
                raise error

        try:
            await (Sync if is_sync else Async)().kickoff_async()
        except Exception as met:
            return [type(met).__name__, met is error]
        return "nothing"

    async def run():
        return {
            "unprintable": await raising(Unprintable(), is_sync=False),
            "unprintable, sync": await raising(Unprintable(), is_sync=True),
            "timeout": await raising(TimeoutError("late"), is_sync=False),
            "assertion": await raising(AssertionError(), is_sync=True),
            "group": await raising(ExceptionGroup("two", [ValueError(), KeyError()]), is_sync=False),
        }

    return run


@case("R-14")
def an_exception_in_one_of_two_starts(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def fails(self):
            raise ValueError("no")

        @api.start()
        async def waits(self):
            await asyncio.Event().wait()

        @api.listen(waits)
        async def after(self):
            log.append("after")

    return ran(Example, log)
