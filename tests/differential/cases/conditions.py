"""What may be a condition, and what a label may look like."""

import logging

from tests.differential.case import attempt, case, outcome, ran


@case("G-1")
def conditions_by_name_and_by_reference(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")
            return 1

        @api.listen(first)
        async def by_reference(self, value):
            log.append("by_reference")
            return value + 1

        @api.listen("by_reference")
        async def by_name(self, value):
            log.append("by_name")
            return value + 1

    return ran(Example, log)


@case("G-1", "R-10")
def conditions_nest(api):
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

        @api.listen(api.and_(api.or_("x", a), api.and_(b, c)))
        async def joined(self):
            log.append("joined")
            return "joined"

        @api.listen(api.or_(api.and_("x", a), api.and_("y", b)))
        async def never(self):
            log.append("never")

    return ran(Example, log)


@case("G-2")
def a_label_may_be_the_name_of_a_method_that_did_not_run(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")

        @api.router(first)
        async def choose(self):
            log.append("choose")
            return "idle"

        @api.listen("nothing")
        async def idle(self):
            log.append("idle")

        @api.listen(idle)
        async def hears_the_label(self, value):
            log.append(["hears_the_label", value])
            return "end"

    return ran(Example, log)


@case("G-3")
def what_is_no_condition_is_refused(api):
    def listening_to(condition):
        def build():
            class Example(api.Flow):
                @api.start()
                async def a(self):
                    return "a"

                @api.listen(condition())
                async def b(self):
                    return "b"

            Example()
            return "accepted"

        return attempt(build)

    def run():
        return {
            "number": listening_to(lambda: 5),
            "fraction": listening_to(lambda: 1.5),
            "dict": listening_to(lambda: {"a": 1}),
            "in or_": listening_to(lambda: api.or_("a", 5)),
            "in and_": listening_to(lambda: api.and_("a", {"b": 1})),
            "none": listening_to(lambda: None),
            "list": listening_to(lambda: ["a", "b"]),
            "tuple": listening_to(lambda: ("a", "b")),
            "plain function": listening_to(lambda: lambda self: None),
            "a class": listening_to(lambda: int),
            "empty text": listening_to(lambda: ""),
        }

    return run


@case("G-3")
def what_starts_and_routers_refuse(api):
    def run():
        return {
            "start": attempt(lambda: api.start(5)(lambda self: None) and "accepted"),
            "router": attempt(lambda: api.router(5)(lambda self: None) and "accepted"),
        }

    return run


@case("G-3")
def combinations_of_nothing(api):
    def run():
        return {
            "or_": attempt(lambda: api.listen(api.or_())(lambda self: None) and "accepted"),
            "and_": attempt(lambda: api.listen(api.and_())(lambda self: None) and "accepted"),
        }

    return run


@case("G-4")
def a_method_that_listens_to_itself(api):
    def run():
        class Example(api.Flow):
            @api.start()
            async def a(self):
                return "a"

            @api.listen(api.or_("a", "loop"))
            async def loop(self):
                return "loop"

        return {"class": "made", "instance": attempt(lambda: Example() and "made")}

    return run


@case("G-9")
def a_label_that_nothing_raises(api):
    heard = []

    class Listening(logging.Handler):
        def emit(self, record):
            heard.append(record.getMessage())

    class Example(api.Flow):
        @api.start()
        async def prepare(self):
            return "prepared"

        @api.listen("prepared")
        async def publish(self):
            return "published"

    async def run():
        handler = Listening(logging.WARNING)
        logging.getLogger().addHandler(handler)
        try:
            result = await outcome(Example().kickoff_async())
        finally:
            logging.getLogger().removeHandler(handler)
        return {"result": result, "warned": any("publish" in text and "prepared" in text for text in heard)}

    return run


@case("G-1")
def a_flow_without_methods(api):
    class Example(api.Flow):
        pass

    return ran(Example, [])


@case("G-1")
def a_flow_with_listeners_only(api):
    log = []

    class Example(api.Flow):
        @api.listen("go")
        async def goes(self):
            log.append("goes")

    return ran(Example, log)


@case("G-2")
def labels_in_any_script_and_of_any_length(api):
    log = []
    long_label = "x" * 300

    class Example(api.Flow):
        @api.start()
        async def first(self):
            return 1

        @api.router(first)
        async def one(self):
            return "não aprovado"

        @api.router("não aprovado")
        async def two(self):
            return "승인 🚀"

        @api.router("승인 🚀")
        async def three(self):
            return long_label

        @api.listen("não aprovado")
        async def hears_one(self):
            log.append("one")

        @api.listen("승인 🚀")
        async def hears_two(self):
            log.append("two")

        @api.listen(long_label)
        async def hears_three(self):
            log.append("three")
            return "end"

    return ran(Example, log)


@case("G-2")
def labels_keep_case_and_spaces(api):
    log = []

    class Example(api.Flow):
        @api.router()
        @api.start()
        async def first(self):
            return " Go "

        @api.listen("go")
        async def plain_label(self):
            log.append("plain_label")

        @api.listen(" Go ")
        async def exact_label(self):
            log.append("exact_label")
            return "exact"

    return ran(Example, log)
