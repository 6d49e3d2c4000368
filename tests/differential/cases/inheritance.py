"""What a subclass keeps of its parents' steps."""

from pydantic import BaseModel

from tests.differential.case import case, outcome, ran
from tests.differential.stores import watched


@case("G-10")
def names_with_an_underscore_are_no_steps(api):
    log = []

    class Example(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")
            return self._double(2)

        @api.listen("first")
        async def _hidden(self):
            log.append("hidden")

        def _double(self, value):
            return 2 * value

    return ran(Example, log)


@case("G-11")
def a_subclass_adds_a_step(api):
    log = []

    class Parent(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")
            return 1

    class Child(Parent):
        @api.listen("first")
        async def second(self, value):
            log.append("second")
            return value + 1

    return ran(Child, log)


@case("G-11")
def a_subclass_that_adds_nothing(api):
    log = []

    class Parent(api.Flow):
        @api.start()
        async def first(self):
            log.append("first")
            return 1

    class Child(Parent):
        greeting = "hello"

    return ran(Child, log)


@case("G-11")
def a_subclass_overrides_a_step(api):
    log = []

    class Parent(api.Flow):
        @api.start()
        async def first(self):
            log.append("parent")
            return 1

        @api.listen(first)
        async def second(self, value):
            log.append(["second", value])
            return value

    class Child(Parent):
        @api.start()
        async def first(self):
            log.append("child")
            return 2

    return ran(Child, log)


@case("G-11", "St-2")
def a_subclass_with_its_own_init(api):
    class Example(api.Flow):
        def __init__(self, greeting, **kwargs):
            super().__init__(**kwargs)
            self.greeting = greeting

        @api.start()
        async def first(self):
            return f"{self.greeting}, {self.state['name']}"

    async def run():
        flow = Example("hello", initial_state={"name": "Ana"})
        return {"result": await outcome(flow.kickoff_async())}

    return run


@case("G-11", "St-1")
def a_base_without_steps(api):
    class Total(BaseModel):
        n: int = 5

    class Base(api.Flow[Total]):
        def doubled(self):
            return 2 * self.state.n

    class Child(Base):
        @api.start()
        async def first(self):
            return [isinstance(self.state, Total), self.doubled()]

    return ran(Child, [])


@case("G-11")
def an_override_without_a_decorator(api):
    log = []

    class Parent(api.Flow):
        @api.start()
        async def first(self):
            log.append("parent first")

        @api.listen(first)
        async def second(self):
            log.append("parent second")

    class Child(Parent):
        async def second(self):
            log.append("child second")
            return "second"

    return ran(Child, log)


@case("G-11")
def a_step_that_calls_its_parents_step(api):
    class Parent(api.Flow):
        @api.start()
        async def first(self):
            return 1

    class Child(Parent):
        @api.start()
        async def first(self):
            return await super().first() + 1

    return ran(Child, [])


@case("G-11")
def two_parents_with_steps(api):
    log = []

    class Left(api.Flow):
        @api.start()
        async def left(self):
            log.append("left")

    class Right(api.Flow):
        @api.start()
        async def right(self):
            log.append("right")

    class Child(Left, Right):
        @api.listen(api.and_("left", "right"))
        async def both(self):
            log.append("both")
            return "both"

    async def run():
        result = await outcome(Child().kickoff_async())
        return {"fired": sorted(log), "result": result}

    return run


@case("G-11", "Ps-1")
def a_subclass_of_a_class_that_saves(api):
    log = []

    @api.persist(watched(api, log))
    class Parent(api.Flow):
        @api.start()
        async def first(self):
            return 1

    class Child(Parent):
        @api.start()
        async def first(self):
            return 2

    async def run():
        return {"result": await outcome(Child().kickoff_async()), "saved": log}

    return run
