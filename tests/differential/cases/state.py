"""What the state is, where it comes from, and how inputs are laid over it."""

import threading
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from tests.differential.case import attempt, case, outcome


class Counter(BaseModel):
    n: int = 0
    tags: list[str] = []


class Named(BaseModel):
    id: str = "fixed"
    n: int = 0


class Needy(BaseModel):
    topic: str
    n: int = 0


@case("St-1")
def a_plain_state_is_a_dict_with_an_id(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["k"] = 1
            return sorted(self.state)

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async())
        return {
            "result": result,
            "id is a uuid": attempt(lambda: UUID(flow.state["id"]).version),
            "flow_id is the id": flow.flow_id == flow.state["id"],
            "another instance has another id": Example().flow_id != flow.flow_id,
        }

    return run


@case("St-1")
def a_model_without_an_id_gets_one(api):
    class Example(api.Flow[Counter]):
        @api.start()
        async def a(self):
            self.state.n += 1
            return self.state.n

    async def run():
        flow = Example()
        result = await outcome(flow.kickoff_async(inputs={"n": 4}))
        return {
            "result": result,
            "is the model": isinstance(flow.state, Counter),
            "id is a uuid": attempt(lambda: UUID(flow.state.id).version),
            "flow_id is the id": flow.flow_id == flow.state.id,
        }

    return run


@case("St-1")
def a_model_with_an_id_of_its_own(api):
    class Empty(BaseModel):
        id: str = ""

    class Optional(BaseModel):
        id: str | None = None

    class Made(BaseModel):
        id: str = Field(default_factory=lambda: "made")

    async def named(model):
        class Example(api.Flow[model]):
            @api.start()
            async def a(self):
                return self.state.id

        flow = Example()
        result = await outcome(flow.kickoff_async())
        is_uuid = isinstance(attempt(lambda: UUID(result).version), int)
        return [
            "a uuid" if is_uuid else result,
            attempt(lambda: "the same" if flow.flow_id == result else "another flow_id"),
        ]

    async def run():
        return {
            "a default": await named(Named),
            "an empty default": await named(Empty),
            "none": await named(Optional),
            "a factory": await named(Made),
        }

    return run


@case("St-2")
def what_initial_state_may_be(api):
    def made(given, read):
        class Example(api.Flow):
            initial_state = given

            @api.start()
            def a(self):
                return read(self.state)

        return attempt(lambda: Example().kickoff())

    def passed(given, read):
        class Example(api.Flow):
            @api.start()
            def a(self):
                return read(self.state)

        return attempt(lambda: Example(initial_state=given).kickoff())

    def run():
        return {
            "a dict": passed({"k": 1}, lambda state: [state["k"], "id" in state]),
            "a model": passed(Named(n=3), lambda state: [type(state).__name__, state.n, state.id]),
            "a model's class": passed(Named, lambda state: [type(state).__name__, state.n]),
            "the class dict": passed(dict, lambda state: sorted(state)),
            "a dict on the class": made({"k": 1}, lambda state: state["k"]),
            "a class on the class": made(Named, lambda state: state.id),
            "a model's class without id": passed(Counter, lambda state: state.n),
            "a number": passed(5, lambda state: "ran"),
            "a list": passed([1], lambda state: "ran"),
        }

    return run


@case("St-2")
def the_given_state_is_copied(api):
    given = {"k": 1, "inner": {"n": 1}}
    model = Named(n=1)

    class Example(api.Flow):
        @api.start()
        def a(self):
            self.state["k"] = 2

    class Typed(api.Flow):
        @api.start()
        def a(self):
            self.state.n = 2

    def run():
        attempt(lambda: Example(initial_state=given).kickoff())
        attempt(lambda: Typed(initial_state=model).kickoff())
        return {"dict": given, "model": model.n}

    return run


@case("St-2")
def mutable_defaults_are_not_shared(api):
    class Example(api.Flow[Counter]):
        @api.start()
        async def a(self):
            self.state.tags.append("x")
            return list(self.state.tags)

    async def run():
        return {"first": await outcome(Example().kickoff_async()), "second": await outcome(Example().kickoff_async())}

    return run


@case("St-2")
def an_initial_state_on_the_class_is_not_shared(api):
    class Example(api.Flow):
        initial_state = {"tags": []}  # noqa: RUF012 - what authors write; that it is not shared is the rule

        @api.start()
        async def a(self):
            self.state["tags"].append("x")
            return list(self.state["tags"])

    async def run():
        return {"first": await outcome(Example().kickoff_async()), "second": await outcome(Example().kickoff_async())}

    return run


@case("St-3")
def a_required_field_that_comes_with_the_inputs(api):
    class Example(api.Flow[Needy]):
        @api.start()
        async def a(self):
            return [self.state.topic, self.state.n]

    async def run():
        async def kicked(inputs):
            return await Example().kickoff_async(inputs=inputs)

        return {
            "given": await outcome(kicked({"topic": "cats"})),
            "missing": await outcome(kicked(None)),
        }

    return run


@case("St-4")
def inputs_over_a_dict(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return {key: value for key, value in self.state.items() if key != "id"}

    async def run():
        flow = Example(initial_state={"kept": 1, "replaced": 1})
        result = await outcome(flow.kickoff_async(inputs={"replaced": 2, "new": {"deep": [1]}}))
        return {"result": result}

    return run


@case("St-4")
def inputs_over_a_model(api):
    class Example(api.Flow[Counter]):
        @api.start()
        async def a(self):
            return [self.state.n, self.state.tags, hasattr(self.state, "unknown")]

    async def run():
        return {
            "coerced": await outcome(Example().kickoff_async(inputs={"n": "5"})),
            "bad": await outcome(Example().kickoff_async(inputs={"n": "many"})),
            "unknown": await outcome(Example().kickoff_async(inputs={"unknown": 1, "tags": ["t"]})),
        }

    return run


@case("St-4")
def an_id_among_the_inputs(api):
    class Plain(api.Flow):
        @api.start()
        async def a(self):
            return self.state["id"]

    class Typed(api.Flow[Counter]):
        @api.start()
        async def a(self):
            return self.state.id

    async def run():
        plain, typed = Plain(), Typed()
        results = [await outcome(flow.kickoff_async(inputs={"id": "mine"})) for flow in (plain, typed)]
        return {"results": results, "flow_ids": [plain.flow_id, typed.flow_id]}

    return run


@case("St-5")
def concurrent_steps_share_one_state(api):
    class Example(api.Flow[Counter]):
        @api.start()
        async def a(self):
            return 0

        @api.listen(a)
        async def one(self):
            self.state.n += 1

        @api.listen(a)
        async def two(self):
            self.state.n += 1

        @api.listen(api.and_(one, two))
        async def joined(self):
            return self.state.n

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("St-5")
def a_state_may_hold_what_cannot_be_copied(api):
    class Example(api.Flow):
        @api.start()
        async def a(self):

            self.state["lock"] = threading.Lock()
            self.state["n"] = 1

        @api.listen(a)
        async def b(self):
            return [type(self.state["lock"]).__name__, self.state["n"]]

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("St-1")
def values_keep_their_types_within_a_run(api):
    moment = datetime.fromisoformat("2026-01-02T03:04:05+00:00")

    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["when"] = moment
            self.state["pair"] = (1, 2)
            return {1, 2}

        @api.listen(a)
        async def b(self, value):
            return [self.state["when"], self.state["pair"], value]

    async def run():
        return {"result": await outcome(Example().kickoff_async())}

    return run


@case("St-2")
def authors_may_set_attributes(api):
    class Example(api.Flow):
        limit = 3

        @api.start()
        async def a(self):
            self.crew = "team"
            return [self.limit, self.crew]

    return lambda: {"result": attempt(lambda: Example().kickoff())}


@case("St-1")
def other_ways_to_declare_a_state(api):
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        n: int = 0

    class Aliased(BaseModel):
        n: int = Field(0, alias="count")

    class Own(api.FlowState):
        n: int = 0

    async def kicked(state, inputs, read):
        class Example(api.Flow[state]):
            @api.start()
            async def a(self):
                return read(self.state)

        return await outcome(Example().kickoff_async(inputs=inputs))

    async def run():
        return {
            "dict": await kicked(dict, {"k": 1}, lambda state: state["k"]),
            "dict with types": await kicked(dict[str, int], {"k": 1}, lambda state: state["k"]),
            "open": await kicked(Open, {"more": 1}, lambda state: state.more),
            "FlowState": await kicked(Own, {"n": 2}, lambda state: [state.n, len(state.id)]),
        }

    return run


@case("St-2")
def the_state_as_an_attribute(api):
    class Example(api.Flow):
        @api.start()
        def a(self):
            self.state = {"n": 1}
            return self.state["n"]

    return lambda: {"replaced": attempt(lambda: Example().kickoff())}


@case("St-2")
def constructor_arguments_nobody_knows(api):
    class Example(api.Flow):
        @api.start()
        def a(self):
            return self.state.get("topic", "no topic")

    return lambda: {"result": attempt(lambda: Example(topic="cats").kickoff())}
