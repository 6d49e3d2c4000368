"""When an alternative fires, and when it is armed again."""

from tests.differential.case import case, ran


@case("R-11")
def an_alternative_whose_second_part_follows_the_first(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def b(self):
            return "b"

        @api.listen(b)
        async def c(self):
            return "c"

        @api.listen(api.or_(b, c))
        async def either(self, value):
            log.append(["either", value])

    return ran(Example, log)


@case("R-11")
def parallel_starts_into_one_alternative(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "start"

        @api.start()
        async def b(self):
            return "start"

        @api.listen(api.or_(a, b))
        async def either(self, value):
            log.append(["either", value])

    return ran(Example, log)


@case("R-11")
def a_loop_that_emits_a_b_b(api):
    log, labels = [], ["A", "B", "B", "end"]

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.router(api.or_(begin, "step"))
        async def choose(self):
            return labels[len([item for item in log if item == "either"])]

        @api.listen(api.or_("A", "B"))
        async def either(self):
            log.append("either")

        @api.router(either)
        async def back(self):
            return "step"

    return ran(Example, log)


@case("R-11")
def chained_routers_in_one_wave_fire_an_alternative_once(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.router(begin)
        async def one(self):
            return "A"

        @api.router("A")
        async def two(self):
            return "B"

        @api.listen(api.or_("A", "B"))
        async def either(self, value):
            log.append(value)

    return ran(Example, log)


@case("R-11")
def a_router_loop_that_runs_before_any_listener(api):
    log, count = [], []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.router(api.or_(begin, "x"))
        async def choose(self):
            count.append(1)
            return "x" if len(count) < 3 else "y"

        @api.listen("x")
        async def on_x(self):
            log.append("on_x")

        @api.listen(api.or_("x", "y"))
        async def either(self, value):
            log.append(["either", value])

    return ran(Example, log)


@case("R-11")
def a_router_with_an_alternative_runs_each_time(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            log.append("begin")

        @api.router(api.or_(begin, "more"))
        async def check(self):
            log.append("check")
            return "more" if log.count("check") < 4 else "enough"

        @api.listen("enough")
        async def done(self):
            log.append("done")
            return "done"

    return ran(Example, log)


@case("R-11")
def a_listener_of_one_name_fires_each_time(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.router(api.or_(begin, "work"))
        async def check(self):
            return "again" if log.count("work") < 3 else "stop"

        @api.listen("again")
        async def work(self):
            log.append("work")

        @api.listen(work)
        async def after_work(self):
            log.append("after_work")

    return ran(Example, log)


@case("R-11")
def alternatives_within_alternatives(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        async def b(self):
            return "b"

        @api.listen(b)
        async def c(self):
            return "c"

        @api.listen(api.or_(api.or_(a, b), c))
        async def nested(self, value):
            log.append(["nested", value])

        @api.listen(api.or_(a, a))
        async def twice_the_same(self, value):
            log.append(["twice_the_same", value])

        @api.listen(api.or_(c))
        async def one_part(self, value):
            log.append(["one_part", value])

    return ran(Example, log)


@case("R-11", "R-17")
def an_alternative_is_ready_again_at_the_next_kickoff(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a"

        @api.listen(a)
        async def b(self):
            return "b"

        @api.listen(api.or_(a, b))
        async def either(self):
            log.append("either")

        @api.listen(api.and_(a, b))
        async def both(self):
            log.append("both")

    async def run():
        flow = Example()
        await flow.kickoff_async()
        await flow.kickoff_async()
        return {"fired": log}

    return run


@case("R-11")
def an_alternative_in_a_cycle_of_steps(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            return 0

        @api.listen(api.or_(begin, "again"))
        async def work(self):
            log.append("work")

        @api.listen(work)
        async def more(self):
            log.append("more")

        @api.listen(api.or_(work, more))
        async def either(self):
            log.append("either")

        @api.router(more)
        async def check(self):
            return "again" if log.count("work") < 3 else "stop"

    return ran(Example, log)


@case("R-11")
def an_alternative_of_a_routers_name_and_label(api):
    async def fired(on_start):
        log = []

        class Started(api.Flow):
            @api.router()
            @api.start()
            async def r(self):
                return "go"

            @api.listen(api.or_(r, "go"))
            async def either(self, value):
                log.append(value)

        class Behind(api.Flow):
            @api.start()
            async def a(self):
                return "from a"

            @api.router(a)
            async def r(self):
                return "go"

            @api.listen(api.or_(r, "go"))
            async def either(self, value):
                log.append(value)

        await (Started if on_start else Behind)().kickoff_async()
        return log

    async def run():
        return {"a start that routes": await fired(on_start=True), "a router": await fired(on_start=False)}

    return run


@case("R-11")
def an_alternative_of_a_step_and_the_label_it_leads_to(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.router(a)
        async def r(self):
            return "go"

        @api.listen(api.or_(a, "go"))
        async def either(self, value):
            log.append(value)

    return ran(Example, log)


@case("R-11")
def an_alternative_of_a_step_its_router_and_the_label(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.router(a)
        async def r(self):
            return "go"

        @api.listen(api.or_(a, r, "go"))
        async def either(self, value):
            log.append(value)

    return ran(Example, log)


@case("R-11")
def an_alternative_that_a_later_router_fired_before_an_earlier_label(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.router(a)
        async def one(self):
            return "x"

        @api.router(a)
        async def two(self):
            return "y"

        @api.listen(two)
        async def deep(self):
            return "from deep"

        @api.listen(api.or_(deep, "x"))
        async def either(self, value):
            log.append(value)

    return ran(Example, log)
