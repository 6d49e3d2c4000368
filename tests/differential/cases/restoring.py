"""What a later kickoff finds of an earlier run."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

from pydantic import BaseModel

from tests.differential.case import attempt, case, kind, outcome


@case("Ps-3")
def a_new_instance_finds_the_newest_state(api):
    log = []

    @api.persist(api.store())
    class Example(api.Flow):
        @api.start()
        async def a(self):
            log.append("a")
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

        @api.listen(a)
        async def b(self, value):
            log.append("b")
            return [value, self.state.get("given")]

    async def run():
        first = Example()
        one = await outcome(first.kickoff_async(inputs={"given": "one"}))
        second = Example()
        two = await outcome(second.kickoff_async(inputs={"id": first.flow_id}))
        three = await outcome(Example().kickoff_async(inputs={"id": first.flow_id, "given": "three", "n": 40}))
        return {
            "one": one,
            "two": two,
            "three": three,
            "fired": log,
            "same id": second.flow_id == first.flow_id,
        }

    return run


@case("Ps-3")
def an_unknown_id_starts_fresh_under_it(api):
    @api.persist(api.store())
    class Example(api.Flow):
        @api.start()
        async def a(self):
            return self.state["id"]

    async def run():
        return {"result": await outcome(Example().kickoff_async(inputs={"id": "nobody-knows"}))}

    return run


@case("Ps-3")
def a_model_is_restored_as_the_model(api):
    class Order(BaseModel):
        when: datetime = datetime(2026, 1, 1, tzinfo=UTC)
        total: Decimal = Decimal("0.10")
        tags: set[str] = set()
        owner: UUID | None = None

    @api.persist(api.store())
    class Example(api.Flow[Order]):
        @api.start()
        async def a(self):
            seen = [self.state.when, self.state.total, self.state.tags, self.state.owner]
            self.state.when += timedelta(days=1)
            self.state.total += Decimal("0.20")
            self.state.tags.add("new")
            self.state.owner = UUID(int=7)
            return seen

    async def run():
        await outcome(Example().kickoff_async(inputs={"id": "order"}))
        return {"seen": await outcome(Example().kickoff_async(inputs={"id": "order"}))}

    return run


@case("Ps-4")
def persist_on_one_method_restores(api):
    store = api.store()

    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["n"] = self.state.get("n", 0) + 1

        @api.persist(store)
        @api.listen(a)
        async def last(self):
            return self.state["n"]

    async def run():
        first = Example()
        await first.kickoff_async()
        return {
            "stored": store.load_state(first.flow_id)["n"],
            "second": await outcome(Example().kickoff_async(inputs={"id": first.flow_id})),
        }

    return run


@case("Ps-6")
def a_state_taken_over_under_a_fresh_id(api):
    store = api.store()

    @api.persist(store)
    class Example(api.Flow):
        @api.start()
        async def a(self):
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

    async def run():
        first = Example()
        await first.kickoff_async()
        second, third = Example(), Example()
        taken = await outcome(second.kickoff_async(restore_from_state_id=first.flow_id))
        named = await outcome(third.kickoff_async(inputs={"id": "mine"}, restore_from_state_id=first.flow_id))
        unknown = await outcome(Example().kickoff_async(restore_from_state_id="nobody-knows"))
        return {
            "taken": taken,
            "fresh id": second.flow_id != first.flow_id,
            "named": named,
            "name": third.flow_id,
            "unknown": unknown,
            "first is untouched": store.load_state(first.flow_id)["n"],
        }

    return run


@case("Ps-6")
def a_checkpoint_and_a_state_at_once(api):
    @api.persist(api.store())
    class Example(api.Flow):
        @api.start()
        def a(self):
            return 1

    return lambda: {"result": attempt(lambda: Example().kickoff(from_checkpoint="x", restore_from_state_id="y"))}


@case("Ps-7")
def defaults_that_came_later_survive_a_restore(api):
    store = api.store()

    class Before(api.Flow):
        initial_state = {"n": 1}  # noqa: RUF012 - what authors write; that it is not shared is the rule

        @api.start()
        async def a(self):
            self.state["n"] = 2

    class After(api.Flow):
        initial_state = {"n": 1, "added": "default"}  # noqa: RUF012 - what authors write; that it is not shared is the rule

        @api.start()
        async def a(self):
            return [self.state["n"], self.state.get("added")]

    before, after = api.persist(store)(Before), api.persist(store)(After)

    async def run():
        first = before()
        await first.kickoff_async()
        return {"result": await outcome(after().kickoff_async(inputs={"id": first.flow_id}))}

    return run


class Size(Enum):
    SMALL = "small"


class Opaque:
    def __repr__(self):
        return "opaque"


@case("Ps-9")
def what_a_stored_dict_gives_back(api):
    store = api.store()

    async def back(value):
        @api.persist(store)
        class Example(api.Flow):
            @api.start()
            async def a(self):
                if "value" in self.state:
                    return self.state["value"]
                self.state["value"] = value
                return "stored"

        first = Example()
        try:
            await first.kickoff_async()
        except Exception as error:
            return {"refused": kind(error)}
        return await outcome(Example().kickoff_async(inputs={"id": first.flow_id}))

    async def run():
        return {
            "text": await back("é"),
            "number": await back(1.5),
            "none": await back(None),
            "list": await back([1, [2]]),
            "nested": await back({"a": {"b": [1]}}),
            "datetime": await back(datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
            "date": await back(date(2026, 1, 2)),
            "uuid": await back(UUID(int=1)),
            "decimal": await back(Decimal("1.10")),
            "tuple": await back((1, 2)),
            "set": await back({1, 2}),
            "bytes": await back(b"ab"),
            "enum": await back(Size.SMALL),
            "unknown": await back(Opaque()),
        }

    return run
