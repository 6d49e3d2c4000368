"""What every FlowPersistence promises, as one suite of tests: subclass it and say how to make a store."""

# ruff: noqa: D102 - a suite is made of asserts, and a test's name is its sentence

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.errors import CodecError
from flows.persistence.codec import to_text
from flows.ports import FlowPersistence
from flows.testing.stored_samples import RICH_STATE, Address, Point, make_checkpoint, make_context, opened
from flows.types import RunStatus


class StoreContract:
    """Subclass it in a test module as `Test…`, and define `make_store`. Method names are the promises."""

    def make_store(self, tmp_path: Path) -> FlowPersistence:
        """A new, empty store."""
        raise NotImplementedError("A contract's subclass says how a store is made.")

    def test_unknown_flow_has_no_state(self, tmp_path: Path) -> None:
        assert self.make_store(tmp_path).load_state("nobody") is None

    def test_newest_state_is_loaded(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.save_state("run-1", "first", {"id": "run-1", "n": 1})
        store.save_state("run-1", "second", {"id": "run-1", "n": 2})

        assert store.load_state("run-1") == {"id": "run-1", "n": 2}

    def test_every_kind_of_value_keeps_its_type(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.save_state("run-1", "step", RICH_STATE)

        loaded = store.load_state("run-1")

        assert loaded == RICH_STATE
        assert loaded is not None
        assert {key: type(value) for key, value in loaded.items()} == {
            key: type(value) for key, value in RICH_STATE.items()
        }

    def test_a_model_is_stored_as_its_fields(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.save_state("run-1", "step", Address(street="Rua A", since=date(2020, 1, 1)))

        assert store.load_state("run-1") == {"street": "Rua A", "since": date(2020, 1, 1)}

    def test_a_value_that_cannot_be_kept_is_refused_with_its_path(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)

        refused = _refusal(store, {"id": "run-1", "items": [{"bad": object()}]})

        assert refused is not None
        assert refused.path == "state.items[0].bad"
        assert store.load_state("run-1") is None

    def test_a_stored_state_is_no_longer_the_callers(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        state = {"id": "run-1", "items": [1]}
        store.save_state("run-1", "step", state)

        state["items"] = [2]

        assert store.load_state("run-1") == {"id": "run-1", "items": [1]}

    def test_pending_feedback_is_loaded_as_saved(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        context = make_context("run-1", "r1", output=Point(1, 2))
        store.save_pending_feedback("run-1", context, {"id": "run-1", "n": 1})

        assert store.load_pending_feedback("run-1") == ({"id": "run-1", "n": 1}, context)

    def test_cleared_feedback_is_gone(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.save_pending_feedback("run-1", make_context("run-1", "r1"), {"id": "run-1"})
        store.save_pending_feedback("run-2", make_context("run-2", "r2"), {"id": "run-2"})

        store.clear_pending_feedback("run-1")

        assert store.load_pending_feedback("run-1") is None
        assert store.load_pending_feedback("run-2") is not None

    def test_saving_a_request_twice_keeps_one(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.save_pending_feedback("run-1", make_context("run-1", "r1"), {"id": "run-1"})
        store.checkpoint(make_checkpoint("run-1", 1))
        store.save_pending_feedback("run-1", make_context("run-1", "r1"), {"id": "run-1"})
        store.checkpoint(make_checkpoint("run-1", 2, opened=(opened("run-1", "r1"),)))

        assert [item.request_id for item in store.list_pending("run-1")] == ["r1"]

    def test_requests_are_listed_oldest_first(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r2"), opened("run-1", "r1"))))
        store.checkpoint(make_checkpoint("run-2", 1, opened=(opened("run-2", "r0"),)))

        assert [item.request_id for item in store.list_pending("run-1")] == ["r2", "r1"]
        assert [item.request_id for item in store.list_pending()] == ["r2", "r1", "r0"]

    def test_a_listed_request_tells_all(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r1"),)))

        (item,) = store.list_pending("run-1")

        assert (item.flow_id, item.method_name, item.status) == ("run-1", "review", "pending")
        assert (item.outcome, item.feedback, item.by) == (None, None, None)
        assert item.context == make_context("run-1", "r1")
        assert item.callback_info == {"channel": "C1"}
        assert item.requested_at == datetime(2026, 1, 1, tzinfo=UTC)

    def test_a_claim_is_won_once(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r1"),)))

        answers = [store.claim("r1", "approved", "ok", "ana"), store.claim("r1", "rejected", "no", "bo")]

        (item,) = store.list_pending("run-1")
        assert answers == [True, False]
        assert (item.status, item.outcome, item.feedback, item.by) == ("decided", "approved", "ok", "ana")

    def test_an_unknown_request_cannot_be_claimed(self, tmp_path: Path) -> None:
        assert self.make_store(tmp_path).claim("nothing", "approved", "", None) is False

    def test_of_many_claims_at_once_one_wins(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r1"),)))

        with ThreadPoolExecutor(8) as pool:
            claims = [pool.submit(store.claim, "r1", "approved", "", str(number)) for number in range(32)]
            won = [claim.result() for claim in claims]

        assert won.count(True) == 1

    def test_a_decided_request_is_no_longer_pending(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status="paused", opened=(opened("run-1", "r1"),)))
        store.claim("r1", "approved", "ok", None)

        assert store.load_pending_feedback("run-1") is None

    def test_an_edited_output_stays_with_the_claim(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r1"),)))
        store.claim("r1", "approved", "ok", None, replaced_output=to_text("better"))

        assert [item.replaced_output for item in store.list_pending("run-1")] == [to_text("better")]

    def test_an_unknown_run_has_no_record(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)

        assert store.load_run("nobody") is None
        assert store.load_checkpoint("nobody") is None

    def test_a_checkpoint_is_loaded_as_stored(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, steps=((0, "a"),), interrupted=("b", "c")))
        store.checkpoint(make_checkpoint("run-1", 2, steps=((1, "b"), (2, "c")), interrupted=("d",)))

        found, record = store.load_checkpoint("run-1"), store.load_run("run-1")

        assert found is not None
        assert record is not None
        assert (found.version, found.body, found.steps) == (2, "body 2", ("a", "b", "c"))
        assert (record.status, record.interrupted, record.result, record.error) == ("running", ("d",), None, None)
        assert record.started_at.utcoffset() == timedelta(0)
        assert record.updated_at >= record.started_at

    def test_a_finished_run_gives_its_value_with_its_type(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status="finished", result=to_text(Point(1, 2))))

        record = store.load_run("run-1")

        assert record is not None
        assert (record.status, record.result) == ("finished", Point(1, 2))

    def test_a_failed_run_gives_its_error(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status="failed", error="ValueError: no"))

        record = store.load_run("run-1")

        assert record is not None
        assert (record.status, record.error) == ("failed", "ValueError: no")

    def test_a_checkpoint_out_of_turn_is_refused(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1))
        store.checkpoint(make_checkpoint("run-1", 2))

        refused = store.checkpoint(make_checkpoint("run-1", 2, body="late", opened=(opened("run-1", "r1"),)))

        found = store.load_checkpoint("run-1")
        assert refused is False
        assert found is not None
        assert found.body == "body 2"
        assert store.list_pending("run-1") == []

    def test_the_first_checkpoint_starts_the_record_anew(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, steps=((0, "old"),), gate_decided=True))
        store.checkpoint(make_checkpoint("run-1", 1, body="new"))

        found, record = store.load_checkpoint("run-1"), store.load_run("run-1")

        assert found is not None
        assert record is not None
        assert (found.version, found.body, found.steps) == (1, "new", ())
        assert record.gate_decided is False

    def test_the_version_is_that_of_the_last_checkpoint(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        unknown = store.checkpoint_version("run-1")
        store.checkpoint(make_checkpoint("run-1", 700, is_first=True))
        store.checkpoint(make_checkpoint("run-1", 701))

        assert (unknown, store.checkpoint_version("run-1")) == (None, 701)

    def test_a_state_that_comes_as_text_is_loaded_as_the_state(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        request = replace(opened("run-1", "r1"), state=RICH_STATE, state_text=to_text(RICH_STATE))
        store.checkpoint(make_checkpoint("run-1", 1, opened=(request,)))

        assert store.load_pending_feedback("run-1") == (RICH_STATE, make_context("run-1", "r1"))

    def test_a_run_that_was_started_anew_refuses_the_old_ones_checkpoints(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 500, is_first=True))
        store.checkpoint(make_checkpoint("run-1", 900, is_first=True, body="new"))

        refused = store.checkpoint(make_checkpoint("run-1", 501, body="old"))

        found = store.load_checkpoint("run-1")
        assert refused is False
        assert found is not None
        assert (found.version, found.body) == (900, "new")

    def test_answered_requests_go_with_the_end(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status="paused", opened=(opened("run-1", "r1"),)))
        store.claim("r1", "approved", "", None)
        store.checkpoint(make_checkpoint("run-1", 2, gate_decided=True))
        before = [item.status for item in store.list_pending("run-1")]

        store.checkpoint(make_checkpoint("run-1", 3, status="finished", gate_decided=True, closed=("r1",)))

        record = store.load_run("run-1")
        assert before == ["decided"]
        assert store.list_pending("run-1") == []
        assert record is not None
        assert record.gate_decided is True

    def test_a_paused_run_with_an_answer_counts_as_running(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status="paused", opened=(opened("run-1", "r1"),)))
        before = store.load_run("run-1")
        store.claim("r1", "approved", "", None)

        after = store.load_run("run-1")

        assert before is not None
        assert after is not None
        assert (before.status, before.gate_decided) == ("paused", False)
        assert (after.status, after.gate_decided) == ("running", True)

    @pytest.mark.parametrize("status", ["running", "paused", "failed", "finished"])
    def test_a_purge_removes_what_is_finished_and_old(self, tmp_path: Path, status: RunStatus) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status=status, steps=((0, "a"),)))
        store.save_state("run-1", "step", {"id": "run-1"})
        soon = datetime.now(UTC) + timedelta(days=1)

        too_early, removed = store.purge(soon - timedelta(days=2)), store.purge(soon)

        is_gone = status == "finished"
        assert (too_early, removed) == (0, 1 if is_gone else 0)
        assert (store.load_run("run-1") is None) is is_gone
        assert (store.load_checkpoint("run-1") is None) is is_gone
        assert (store.load_state("run-1") is None) is is_gone

    def test_a_purge_takes_a_runs_requests_along_and_leaves_other_runs(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, status="finished", opened=(opened("run-1", "r1"),)))
        store.checkpoint(make_checkpoint("run-2", 1, status="paused", opened=(opened("run-2", "r2"),)))
        store.purge(datetime.now(UTC) + timedelta(days=1))

        assert [request.request_id for request in store.list_pending()] == ["r2"]

    def test_a_purge_removes_old_states_that_belong_to_no_run(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.save_state("alone", "step", {"id": "alone"})
        store.save_state("waits", "step", {"id": "waits"})
        store.save_pending_feedback("waits", make_context("waits", "r1"), {"id": "waits"})
        soon = datetime.now(UTC) + timedelta(days=1)

        too_early, removed = store.purge(soon - timedelta(days=2)), store.purge(soon)

        assert (too_early, removed) == (0, 1)
        assert (store.load_state("alone"), store.load_state("waits")) == (None, {"id": "waits"})

    def test_a_purge_without_a_time_zone_is_refused(self, tmp_path: Path) -> None:
        naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the refusal of it is the promise

        with pytest.raises(ValueError, match="time zone"):
            self.make_store(tmp_path).purge(naive)

    def test_runs_do_not_see_each_other(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        store.checkpoint(make_checkpoint("run-1", 1, steps=((0, "one"),)))
        store.checkpoint(make_checkpoint("run-2", 1, steps=((0, "two"),)))

        found = store.load_checkpoint("run-1")

        assert found is not None
        assert found.steps == ("one",)


def _refusal(store: FlowPersistence, state: dict[str, Any]) -> CodecError | None:
    try:
        store.save_state("run-1", "step", state)
    except CodecError as error:
        return error
    return None
