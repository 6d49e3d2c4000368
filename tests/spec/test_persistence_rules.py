"""Section 6 of the engine's rules: which states are saved, and when they come back."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from flows import (
    CodecError,
    Flow,
    FlowPersistence,
    MemoryFlowPersistence,
    PersistenceError,
    SQLiteFlowPersistence,
    human_feedback,
    listen,
    persist,
    set_flow_persistence_factory,
    start,
)
from flows.testing import PausingProvider


class Recording(MemoryFlowPersistence):
    """A store that tells which methods it saved for."""

    def __init__(self):
        super().__init__()
        self.saved = []

    def save_state(self, flow_uuid, method_name, state_data):
        self.saved.append(method_name)
        super().save_state(flow_uuid, method_name, state_data)


def two_steps(*, on_class=None, on_first=None, on_second=None):
    """A flow with two steps and the given @persist decorators."""

    def same(target):
        return target

    class Some(Flow):
        @start()
        @(on_first or same)
        def first(self):
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

        @(on_second or same)
        @listen(first)
        def second(self):
            return self.state["n"]

    return (on_class or same)(Some)


def test_ps1_on_the_class_it_saves_after_every_method():
    store = Recording()
    two_steps(on_class=persist(store))().kickoff()

    assert store.saved == ["first", "second"]


def test_ps1_on_a_method_it_saves_after_that_one():
    store = Recording()
    two_steps(on_second=persist(store))().kickoff()

    assert store.saved == ["second"]


def test_ps1_both_together_save_once_and_the_methods_store_wins():
    store, other = Recording(), Recording()
    two_steps(on_class=persist(store), on_first=persist(other))().kickoff()

    assert (store.saved, other.saved) == (["second"], ["first"])


def test_ps1_a_method_may_turn_saving_off():
    store = Recording()
    two_steps(on_class=persist(store), on_first=persist(enabled=False))().kickoff()

    assert store.saved == ["second"]


def test_ps1_without_arguments_it_uses_the_storage_directory(storage):
    flow = two_steps(on_class=persist())()
    flow.kickoff()

    assert SQLiteFlowPersistence(storage / "flows.db").load_state(flow.flow_id) == flow.state


def test_ps1_without_parentheses_it_works(storage):
    flow = two_steps(on_class=persist)()
    flow.kickoff()

    assert SQLiteFlowPersistence(storage / "flows.db").load_state(flow.flow_id) == flow.state


async def test_ps1_a_review_answered_later_is_saved_too():
    store = Recording()

    @persist(store)
    class Some(Flow):
        @start()
        @human_feedback(message="?", provider=PausingProvider())
        def review(self):
            return "draft"

        @listen(review)
        def end(self):
            pass

    flow = Some()
    await flow.kickoff_async()
    before = list(store.saved)
    await Some.from_pending(flow.flow_id).resume_async("fine")

    assert (before, store.saved) == ([], ["review", "end"])


def test_ps2_the_constructors_store_wins():
    decorated, given = Recording(), Recording()
    two_steps(on_class=persist(decorated))(persistence=given).kickoff()

    assert (decorated.saved, given.saved) == ([], ["first", "second"])


def test_ps2_a_falsy_store_is_kept():
    class Empty(Recording):
        def __len__(self):
            return 0

    store = Empty()
    two_steps(on_class=persist(store))().kickoff()

    assert store.saved == ["first", "second"]


def test_ps3_a_new_instance_takes_over_the_newest_state_and_runs_all_steps():
    store = MemoryFlowPersistence()
    some = two_steps(on_class=persist(store))
    some().kickoff(inputs={"id": "x"})

    assert some().kickoff(inputs={"id": "x"}) == 2


def test_ps3_inputs_win_over_what_was_stored():
    store = MemoryFlowPersistence()
    some = two_steps(on_class=persist(store))
    some().kickoff(inputs={"id": "x"})

    assert some().kickoff(inputs={"id": "x", "n": 10}) == 11


def test_ps3_an_unknown_id_starts_afresh_under_it():
    flow = two_steps(on_class=persist(MemoryFlowPersistence()))()

    assert flow.kickoff(inputs={"id": "new"}) == 1
    assert (flow.flow_id, flow.restored_from) == ("new", None)


def test_ps4_a_decorator_on_one_method_restores_too():
    store = MemoryFlowPersistence()
    some = two_steps(on_second=persist(store))
    some().kickoff(inputs={"id": "x"})

    assert some().kickoff(inputs={"id": "x"}) == 2


def test_ps5_a_crash_can_be_told_from_an_end(store):
    class Some(Flow):
        @start()
        def begin(self):
            if self.state.get("fail"):
                raise ValueError("crash")
            return "end"

    Some(persistence=store).kickoff(inputs={"id": "good"})
    with pytest.raises(ValueError, match="crash"):
        Some(persistence=store).kickoff(inputs={"id": "bad", "fail": True})

    assert store.load_run("good").status == "finished"
    assert (store.load_run("bad").status, store.load_run("bad").interrupted) == ("failed", ("begin",))


def test_ps6_another_runs_state_is_taken_over_under_a_fresh_id():
    store = MemoryFlowPersistence()
    some = two_steps(on_class=persist(store))
    some().kickoff(inputs={"id": "source"})
    flow = some()

    result = flow.kickoff(restore_from_state_id="source")

    assert result == 2
    assert (flow.flow_id != "source", flow.restored_from) == (True, "source")
    assert store.load_state("source")["n"] == 1


def test_ps6_the_inputs_id_names_the_new_run():
    store = MemoryFlowPersistence()
    some = two_steps(on_class=persist(store))
    some().kickoff(inputs={"id": "source"})
    flow = some()

    flow.kickoff(inputs={"id": "copy"}, restore_from_state_id="source")

    assert store.load_state("copy")["n"] == 2


def test_ps6_an_unknown_source_is_logged_and_told(caplog):
    flow = two_steps(on_class=persist(MemoryFlowPersistence()))()

    assert flow.kickoff(restore_from_state_id="nobody") == 1
    assert flow.restored_from is None
    assert "nobody" in caplog.text


def test_ps6_two_sources_exclude_each_other():
    with pytest.raises(ValueError, match="exclude"):
        Flow().kickoff(restore_from_state_id="a", from_checkpoint="b")


def test_ps7_keys_added_since_keep_their_defaults():
    store = MemoryFlowPersistence()

    class Old(Flow):
        initial_state: ClassVar[dict[str, Any]] = {"kept": "default"}

        @persist(store)
        @start()
        def begin(self):
            self.state["kept"] = "stored"

    class New(Old):
        initial_state: ClassVar[dict[str, Any]] = {"kept": "default", "added": "default"}

        def begin(self):
            return dict(self.state)

    Old().kickoff(inputs={"id": "x"})

    assert New().kickoff(inputs={"id": "x"}) == {"id": "x", "kept": "stored", "added": "default"}


class Minimal(FlowPersistence):
    """The least that a user's store must have."""

    def __init__(self):
        self.states = {}

    def init_db(self):
        pass

    def save_state(self, flow_uuid, method_name, state_data):
        self.states[flow_uuid] = dict(state_data)

    def load_state(self, flow_uuid):
        return self.states.get(flow_uuid)


def test_ps8_a_store_with_the_three_methods_keeps_states():
    some = two_steps(on_class=persist(Minimal()))
    some().kickoff(inputs={"id": "x"})

    assert some().kickoff(inputs={"id": "x"}) == 2


class Money(BaseModel):
    amount: Decimal
    when: datetime


def test_ps9_a_dict_states_values_keep_their_types(store):
    class Some(Flow):
        @persist(store)
        @start()
        def begin(self):
            self.state.setdefault("money", Money(amount=Decimal("1.10"), when=datetime(2026, 1, 1, tzinfo=UTC)))
            self.state.setdefault("tags", {"a"})
            return self.state["money"], self.state["tags"]

    Some().kickoff(inputs={"id": "x"})

    assert Some().kickoff(inputs={"id": "x"}) == (
        Money(amount=Decimal("1.10"), when=datetime(2026, 1, 1, tzinfo=UTC)),
        {"a"},
    )


@dataclass
class FromElsewhere:
    n: int


FromElsewhere.__module__ = "a.module.of.others"


@dataclass
class AlsoFromElsewhere:
    n: int


AlsoFromElsewhere.__module__ = "a.module.of.others"


class Basket(BaseModel):
    items: list[FromElsewhere | None] = []


def test_ps9_types_that_the_state_model_names_are_known(store):
    class Some(Flow[Basket]):
        @persist(store)
        @start()
        def begin(self):
            self.state.items.append(FromElsewhere(1))
            return len(self.state.items)

    Some().kickoff(inputs={"id": "x"})

    assert Some().kickoff(inputs={"id": "x"}) == 2


def test_ps9_types_that_a_steps_annotation_names_are_known(store):
    class Some(Flow):
        @start()
        def begin(self) -> AlsoFromElsewhere:
            return AlsoFromElsewhere(1)

    Some(persistence=store).kickoff(inputs={"id": "x"})

    assert store.load_run("x").result == AlsoFromElsewhere(1)


def test_ps9_a_value_that_cannot_be_stored_is_refused_with_its_path(store):
    class Some(Flow):
        @persist(store)
        @start()
        def begin(self):
            self.state["items"] = [object()]

    with pytest.raises(CodecError, match=r"state\.items\[0\]"):
        Some().kickoff()


class Broken(MemoryFlowPersistence):
    def save_state(self, flow_uuid, method_name, state_data):
        raise OSError("disk full")


def test_ps10_a_failing_save_stops_the_run():
    with pytest.raises(RuntimeError, match="State persistence failed: OSError: disk full") as caught:
        two_steps(on_class=persist(Broken()))().kickoff()

    assert isinstance(caught.value, PersistenceError)


def test_ps10_a_state_without_an_id_is_a_value_error():
    class Some(Flow):
        @persist(MemoryFlowPersistence())
        @start()
        def begin(self):
            del self.state["id"]

    with pytest.raises(ValueError, match="id"):
        Some().kickoff()


def test_a_host_may_decide_the_default_store():
    store = Recording()
    set_flow_persistence_factory(lambda: store)
    try:
        two_steps(on_class=persist())().kickoff()
    finally:
        set_flow_persistence_factory(None)

    assert store.saved == ["first", "second"]
