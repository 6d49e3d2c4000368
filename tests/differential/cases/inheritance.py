"""What a subclass keeps of its parents' steps."""

from tests.differential.case import case, outcome, ran


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
