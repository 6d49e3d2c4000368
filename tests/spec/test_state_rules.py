"""Section 4 of the engine's rules: what a state may be, and how inputs meet it."""

import threading
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

import pytest
from pydantic import AliasChoices, BaseModel, Field

from flows import Flow, FlowState, MemoryFlowPersistence, RunInProgressError, StateError, listen, start


class Order(BaseModel):
    item: str = "tea"
    count: int = 1


class Needs(BaseModel):
    name: str
    count: int = 0


class OwnId(BaseModel):
    id: int = 7


class Custom(FlowState):
    n: int = 0


def test_st1_a_plain_flow_has_a_dict_with_an_id():
    flow = Flow()

    assert isinstance(flow.state, dict)
    assert UUID(flow.state["id"]).version == 4
    assert flow.flow_id == flow.state["id"]


def test_st1_a_model_without_an_id_gets_one_and_stays_its_own_kind():
    class Some(Flow[Order]):
        pass

    flow = Some()

    assert isinstance(flow.state, Order)
    assert type(flow.state).__name__ == "Order"
    assert UUID(flow.flow_id).version == 4


class EmptyId(BaseModel):
    id: str = ""


class NoId(BaseModel):
    id: str | None = None


class FixedId(BaseModel):
    id: str = "fixed"


class MadeId(BaseModel):
    id: str = Field(default_factory=lambda: "made")


class RequiredId(BaseModel):
    id: str


class UuidId(BaseModel):
    id: UUID | None = None


@pytest.mark.parametrize("model", [EmptyId, NoId, FixedId, MadeId, RequiredId, UuidId])
def test_st1_every_instance_of_a_flow_with_a_model_has_an_id_of_its_own(model):
    class Some(Flow[model]):
        @start()
        def begin(self):
            return self.state.id

    one, other = Some(), Some()

    assert UUID(one.flow_id).version == 4
    assert one.flow_id != other.flow_id
    assert str(one.kickoff()) == one.flow_id


@pytest.mark.parametrize(
    "given", [{"id": ""}, {"id": None}, EmptyId(), NoId(), EmptyId, NoId], ids=lambda given: repr(given)
)
def test_st1_an_empty_id_is_filled(given):
    flow = Flow(initial_state=given)

    assert UUID(flow.flow_id).version == 4


@pytest.mark.parametrize("given", [{"id": "mine"}, FixedId(id="mine")], ids=["dict", "model"])
def test_st1_an_id_that_is_given_stays(given):
    assert Flow(initial_state=given).flow_id == "mine"


def test_st1_the_flow_id_is_text_whatever_the_state_calls_an_id():
    class Some(Flow[OwnId]):
        pass

    assert Some().flow_id == "7"


def test_st1_a_subclass_inherits_its_parents_state_type():
    class Some(Flow[Order]):
        pass

    class Child(Some):
        pass

    assert isinstance(Child().state, Order)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"n": 1}, {"n": 1}, id="dict"),
        pytest.param(dict, {}, id="dict class"),
        pytest.param({"id": "mine"}, {"id": "mine"}, id="dict with an id"),
    ],
)
def test_st2_a_dict_state_may_be_given(given, expected):
    assert expected.items() <= Flow(initial_state=given).state.items()


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        pytest.param(Order(item="milk"), Order, id="instance"),
        pytest.param(Custom(n=2), Custom, id="instance with an id"),
        pytest.param(Custom, Custom, id="class"),
    ],
)
def test_st2_a_model_state_may_be_given(given, kind):
    assert isinstance(Flow(initial_state=given).state, kind)


def test_st2_what_is_given_is_copied():
    given: dict[str, Any] = {"items": []}
    order = Order()
    flow, other = Flow(initial_state=given), Flow(initial_state=order)

    flow.state["items"].append(1)
    other.state.count = 9

    assert given == {"items": []}
    assert order.count == 1


def test_st2_a_class_wide_default_is_not_shared_between_instances():
    class Some(Flow):
        initial_state: ClassVar = {"items": []}

    Some().state["items"].append(1)

    assert Some().state["items"] == []


def test_st2_a_model_class_without_an_id_is_refused():
    with pytest.raises(ValueError, match="Flow state model must have an 'id' field"):
        Flow(initial_state=Order)


@pytest.mark.parametrize("given", [5, "text", [1]], ids=["number", "text", "list"])
def test_st2_another_kind_is_a_type_error(given):
    with pytest.raises(TypeError, match="initial_state"):
        Flow(initial_state=given)


def test_st2_authors_may_have_their_own_init_and_attributes():
    class Some(Flow):
        def __init__(self, crew, **options):
            super().__init__(**options)
            self.crew = crew

        @start()
        def begin(self):
            return self.crew

    assert Some("my crew", max_method_calls=3).kickoff() == "my crew"


@pytest.mark.parametrize("name", ["_run", "_starting", "_kickoff", "_stream", "_adopting"])
def test_st2_authors_may_call_a_helper_as_they_like(name):
    def helper(self):
        return "the author's"

    def begin(self):
        return getattr(self, name)()

    flow = type("Some", (Flow,), {name: helper, "begin": start()(begin)})

    assert flow().kickoff() == "the author's"


@pytest.mark.parametrize("name", ["_run", "attempt", "pending", "restored_from", "idempotency_key", "input_files"])
def test_st2_names_that_are_ours_alone_give_way_to_an_authors_attribute(name):
    class Some(Flow):
        def __init__(self):
            super().__init__()
            setattr(self, name, ["mine"])

        @start()
        def begin(self):
            getattr(self, name).append("too")
            return getattr(self, name)

    assert Some().kickoff() == ["mine", "too"]


def test_st2_the_store_may_be_set_on_the_instance():
    store = MemoryFlowPersistence()

    class Some(Flow):
        def __init__(self):
            super().__init__()
            self.persistence = store

        @start()
        def begin(self):
            self.state["n"] = 1

    flow = Some()
    flow.kickoff()

    assert flow.persistence is store
    assert store.load_run(flow.flow_id).status == "finished"


def test_st2_the_store_of_a_run_in_progress_cannot_be_exchanged():
    class Some(Flow):
        @start()
        def begin(self):
            self.persistence = MemoryFlowPersistence()

    with pytest.raises(RunInProgressError):
        Some().kickoff()


def test_st2_an_init_that_forgets_its_parent_is_told_so():
    class Some(Flow):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match=r"super\(\).__init__"):
        Some().kickoff()


def test_st3_required_fields_may_come_with_kickoff():
    class Some(Flow[Needs]):
        @start()
        def begin(self):
            return self.state.name

    flow = Some()

    assert flow.kickoff(inputs={"name": "Ana"}) == "Ana"


def test_st3_the_id_stays_the_same_when_the_state_is_made():
    class Some(Flow[Needs]):
        @start()
        def begin(self):
            pass

    flow = Some()
    before = flow.flow_id
    flow.kickoff(inputs={"name": "Ana"})

    assert flow.flow_id == before


def test_st3_missing_fields_are_named():
    class Some(Flow[Needs]):
        pass

    flow = Some()

    with pytest.raises(StateError, match="name"):
        _ = flow.state
    with pytest.raises(ValueError, match=r"Invalid inputs.*name"):
        flow.kickoff()


def test_st4_a_dict_takes_every_key():
    flow = Flow()
    flow.kickoff(inputs={"anything": 1})

    assert flow.state["anything"] == 1


def test_st4_a_model_is_validated_and_ignores_unknown_keys():
    class Some(Flow[Order]):
        pass

    flow = Some()
    flow.kickoff(inputs={"count": "3", "unknown": True})

    assert (flow.state.item, flow.state.count) == ("tea", 3)
    assert not hasattr(flow.state, "unknown")


def test_st4_a_bad_value_is_a_value_error():
    class Some(Flow[Order]):
        pass

    with pytest.raises(ValueError, match=r"Invalid inputs.*count"):
        Some().kickoff(inputs={"count": "many"})


def test_st4_the_inputs_id_names_the_run():
    class Some(Flow[Order]):
        pass

    flow = Some()
    flow.kickoff(inputs={"id": "order-1"})

    assert flow.flow_id == "order-1"


def test_st4_a_field_with_an_alias_is_kept():
    class Aliased(BaseModel):
        item_name: str = Field(default="tea", alias="itemName")
        count: int = 0

    class Some(Flow[Aliased]):
        pass

    flow = Some()
    flow.state.item_name = "milk"
    flow.kickoff(inputs={"count": 1})

    assert (flow.state.item_name, flow.state.count) == ("milk", 1)


def test_st5_events_survive_a_state_that_cannot_be_copied():
    class Some(Flow):
        @start()
        def begin(self):
            self.state["lock"] = threading.Lock()

        @listen(begin)
        def end(self):
            return "end"

    events = []

    assert Some(on_event=events.append).kickoff() == "end"
    assert "lock" in events[-1].state


def test_st5_an_events_state_is_a_snapshot():
    class Some(Flow):
        @start()
        def begin(self):
            self.state["items"] = [1]

        @listen(begin)
        def end(self):
            self.state["items"].append(2)

    events = []
    Some(on_event=events.append).kickoff()

    finished = [event.state["items"] for event in events if event.type == "method_execution_finished"]
    assert finished == [[1], [1, 2]]


class Aliased(BaseModel):
    user_name: str = Field("nobody", alias="userName")
    city: str = Field("nowhere", validation_alias=AliasChoices("town", "place"))


@pytest.mark.parametrize(
    "inputs",
    [{"userName": "Ann", "place": "Rome"}, {"user_name": "Ann", "city": "Rome"}, {"userName": "Ann", "town": "Rome"}],
    ids=str,
)
def test_st4_inputs_may_come_under_the_fields_aliases(inputs):
    class Some(Flow[Aliased]):
        @start()
        def begin(self):
            return self.state.user_name, self.state.city

    assert Some().kickoff(inputs) == ("Ann", "Rome")


@dataclass
class NoModel:
    x: int = 0


@pytest.mark.parametrize("kind", [NoModel, int])
def test_st2_a_declared_state_of_another_kind_is_a_type_error(kind):
    class Some(Flow[kind]):
        @start()
        def begin(self):
            return None

    with pytest.raises(TypeError, match=kind.__name__):
        Some()
