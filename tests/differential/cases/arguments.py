"""What a router's answer becomes, and what each method is given."""

from enum import Enum, StrEnum

from tests.differential.case import case, outcome, ran


class Colour(Enum):
    RED = "red"


class Tone(StrEnum):
    WARM = "warm"


@case("R-7", "R-9")
def what_listeners_of_an_enums_label_get(api):
    async def returning(member):
        log = []

        class Example(api.Flow):
            @api.start()
            async def a(self):
                return 1

            @api.router(a)
            async def r(self):
                return member

            @api.listen(member.value)
            async def on_label(self, value):
                log.append([value, value == member.value])

        flow = Example()
        await flow.kickoff_async()
        return [log, flow.method_outputs]

    async def run():
        return {"enum": await returning(Colour.RED), "text enum": await returning(Tone.WARM)}

    return run


@case("R-7")
def what_a_router_may_return(api):
    async def returning(value):
        log = []

        class Example(api.Flow):
            @api.start()
            async def a(self):
                return 1

            @api.router(a)
            async def r(self):
                return value

            @api.listen(r)
            async def on_name(self, given):
                log.append(["name", type(given).__name__])

            @api.listen(api.or_("x", "red", "True", "False", "0", "1.5", "['p']", "{'p': 1}", "None", "x "))
            async def on_event(self, given):
                log.append(["event", type(given).__name__])

        return [await outcome(Example().kickoff_async()), log]

    async def run():
        return {
            "text": await returning("x"),
            "text with a space": await returning("x "),
            "enum": await returning(Colour.RED),
            "true": await returning(True),
            "false": await returning(False),
            "zero": await returning(0),
            "fraction": await returning(1.5),
            "list": await returning(["p"]),
            "dict": await returning({"p": 1}),
            "none": await returning(None),
            "empty": await returning(""),
        }

    return run


@case("R-7")
def a_start_that_routes(api):
    log = []

    class Example(api.Flow):
        @api.listen("go")
        async def on_label(self, value):
            log.append(["on_label", value])

        @api.listen("first")
        async def on_name(self, value):
            log.append(["on_name", value])

        @api.router()
        @api.start()
        async def first(self):
            log.append("first")
            return "go"

    return ran(Example, log)


@case("R-8")
def arguments_go_by_signature(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "given"

        @api.listen(a)
        async def bare(self):
            log.append("bare")

        @api.listen(bare)
        async def with_none(self, value):
            log.append(["with_none", value])
            return "again"

        @api.listen(with_none)
        async def with_default(self, value, extra="extra"):
            log.append(["with_default", value, extra])
            return "again"

        @api.listen(with_default)
        async def with_args(self, *args):
            log.append(["with_args", list(args)])
            return "again"

        @api.listen(with_args)
        async def default_only(self, value="unset"):
            log.append(["default_only", value])
            return "end"

    return ran(Example, log)


@case("R-8")
def a_listener_with_keywords_only(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "given"

        @api.listen(a)
        async def keywords(self, **kwargs):
            log.append(["keywords", kwargs])

    return ran(Example, log)


@case("R-8")
def a_listener_that_needs_two_values(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "given"

        @api.listen(a)
        async def two(self, one, other):
            log.append(["two", one, other])

    return ran(Example, log)


@case("R-8")
def a_start_that_needs_a_value(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self, needed):
            log.append(needed)

    return ran(Example, log)


@case("R-8")
def a_start_may_take_the_trigger_payload(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self, crewai_trigger_payload=None):
            log.append(crewai_trigger_payload)
            return crewai_trigger_payload

    async def run():
        given = await outcome(Example().kickoff_async(inputs={"crewai_trigger_payload": {"order": 7}}))
        absent = await outcome(Example().kickoff_async())
        return {"given": given, "absent": absent, "log": log}

    return run


@case("R-9")
def what_a_join_and_a_label_pass_on(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def a(self):
            return "a's"

        @api.listen(a)
        async def b(self, value):
            return "b's"

        @api.listen(api.and_(a, b))
        async def joined(self, value):
            log.append(["joined", value])
            return "joined's"

        @api.router(joined)
        async def r(self, value):
            log.append(["r", value])
            return "label"

        @api.listen("label")
        async def on_label(self, value):
            log.append(["on_label", value])

    return ran(Example, log)
