"""Routers beyond the plain case: odd labels, labels in joins, and what a chain passes on."""

from tests.differential.case import case, ran


@case("R-5", "R-9")
def what_a_chain_of_routers_passes_on(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.router(a)
        async def one(self, value):
            log.append(["one", value])
            return "first"

        @api.router("first")
        async def two(self, value):
            log.append(["two", value])
            return "second"

        @api.router(two)
        async def by_name(self, value):
            log.append(["by_name", value])

        @api.listen("second")
        async def on_second(self, value):
            log.append(["on_second", value])

    return ran(Example, log)


@case("R-9", "R-10")
def what_a_join_of_labels_passes_on(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.router(a)
        async def r(self):
            return "go"

        @api.listen(api.and_(a, "go"))
        async def method_and_label(self, value):
            log.append(["method_and_label", value])

        @api.listen(api.and_(r, "go"))
        async def name_and_label(self, value):
            log.append(["name_and_label", value])

    return ran(Example, log)


@case("R-7")
def a_router_that_returns_its_own_name(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.router(a)
        async def r(self):
            log.append("r")
            return "r"

        @api.listen("r")
        async def hears(self, value):
            log.append(["hears", value])

    return ran(Example, log)


@case("R-7", "R-13")
def a_router_that_returns_its_triggers_name(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.listen("a")
        async def on_a(self, value):
            log.append(["on_a", value])

        @api.router(a)
        async def r(self):
            log.append("r")
            return "a" if log.count("r") < 3 else None

    return ran(Example, log)


@case("R-7")
def two_routers_that_raise_one_label(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return 1

        @api.router(a)
        async def one(self):
            return "same"

        @api.router(a)
        async def two(self):
            return "same"

        @api.listen("same")
        async def hears(self):
            log.append("hears")

        @api.listen(api.or_("same", "other"))
        async def either(self):
            log.append("either")

    return ran(Example, log)


@case("R-5", "R-8")
def a_router_that_takes_no_value_or_one(api):
    log = []

    class Example(api.Flow):
        @api.start()
        def a(self):
            return {"score": 7}

        @api.router(a)
        def bare(self):
            return "low" if self.state.get("strict") else None

        @api.router(a)
        def weighs(self, value):
            return "high" if value["score"] > 5 else "low"

        @api.listen("high")
        def on_high(self):
            log.append("high")
            return "high"

        @api.listen("low")
        def on_low(self):
            log.append("low")
            return "low"

    return ran(Example, log)


@case("R-5")
def two_routers_of_one_event_with_chains_of_their_own(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.router(a)
        async def left(self):
            log.append("left")
            return "x"

        @api.router(a)
        async def right(self):
            log.append("right")
            return "y"

        @api.router("x")
        async def after_x(self):
            log.append("after_x")

        @api.router("y")
        async def after_y(self):
            log.append("after_y")

        @api.listen("x")
        async def on_x(self):
            log.append("on_x")

        @api.listen("y")
        async def on_y(self):
            log.append("on_y")

    return ran(Example, log)


@case("R-11")
def an_alternative_after_a_step_that_ran_again(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "from a"

        @api.listen(a)
        async def b(self):
            return "from b"

        @api.router(api.or_(a, b))
        async def r(self):
            log.append("r")

        @api.listen(api.or_(r, b))
        async def either(self, value):
            log.append(["either", value])

    return ran(Example, log)
