"""When a join fires, and when it fires again."""

from tests.differential.case import case, ran


@case("R-10")
def a_join_fires_once_with_the_value_that_completed_it(api):
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

        @api.listen(api.and_(a, b, c))
        async def joined(self, value):
            log.append(value)
            return "joined"

    return ran(Example, log)


@case("R-10")
def a_join_of_parallel_starts(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("start")

        @api.start()
        async def b(self):
            log.append("start")

        @api.listen(api.and_(a, b))
        async def joined(self):
            log.append("joined")
            return "joined"

    return ran(Example, log)


@case("R-10")
def a_join_in_a_cycle_forgets_what_it_saw(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def begin(self):
            log.append("begin")

        @api.listen(api.or_(begin, "again"))
        async def left(self):
            log.append("left")

        @api.listen(left)
        async def right(self):
            log.append("right")

        @api.listen(api.and_(left, right))
        async def joined(self):
            log.append("joined")

        @api.router(joined)
        async def check(self):
            return "again" if log.count("joined") < 3 else "stop"

    return ran(Example, log)


@case("R-10")
def either_of_two_groups(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def c(self):
            log.append("c")

        @api.listen(c)
        async def d(self):
            log.append("d")

        @api.listen(api.or_(api.and_(a, "never"), api.and_(c, d)))
        async def grouped(self):
            log.append("grouped")

    return ran(Example, log)


@case("R-10")
def a_group_beside_a_single_event(api):
    async def routed(label):
        log = []

        class Example(api.Flow):
            @api.start()
            async def a(self):
                log.append("a")

            @api.router(a)
            async def r(self):
                return label

            @api.listen(api.or_(api.and_(a, "b"), "x"))
            async def grouped(self):
                log.append("grouped")

        await Example().kickoff_async()
        return log

    async def run():
        return {"only a": await routed("other"), "a and b": await routed("b"), "x": await routed("x")}

    return run


@case("R-10")
def an_alternative_with_one_part_inside_a_join(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def b(self):
            log.append("b")

        @api.listen(api.and_(a, api.or_(b)))
        async def joined(self):
            log.append("joined")

    return ran(Example, log)


@case("R-10")
def an_alternative_inside_a_join(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def b(self):
            log.append("b")

        @api.listen(b)
        async def c(self):
            log.append("c")

        @api.listen(api.and_(api.or_(a, b), c))
        async def joined(self):
            log.append("joined")

    return ran(Example, log)


@case("R-10")
def a_join_with_the_same_part_twice(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(api.and_("a", "a"))
        async def joined(self):
            log.append("joined")

    return ran(Example, log)


@case("R-10")
def a_router_behind_a_join(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")

        @api.listen(a)
        async def b(self):
            log.append("b")

        @api.router(api.and_(a, b))
        async def choose(self):
            log.append("choose")
            return "go"

        @api.listen("go")
        async def goes(self):
            log.append("goes")
            return "gone"

    return ran(Example, log)
