"""The record's chain as values: what is whole, and what every kind of tampering looks like."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reviews.audit import (
    FIELDS,
    GENESIS,
    NULLABLE,
    WHOLE,
    Head,
    SealedRow,
    canonical,
    moment_of,
    row_hash,
    seal,
    signed_bytes,
)
from bot.reviews.audit_check import Finding, begin, end, verify, walk
from bot.reviews.model import AuditEntry, ReviewState
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

T1 = TeamId("T1")
SIGNER, STRANGER = Signer(b"k" * 32), Signer(b"s" * 32)
NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
ENTRY = AuditEntry(
    review=ReviewId("rv1"),
    version=2,
    kind="decided",
    actor="T1/UBRUNO",
    actor_name="Bruno",
    from_state=ReviewState.PENDING,
    to_state=ReviewState.REJECTED,
    outcome="rejected",
    source="button",
    reason_code="wrong_amount",
    text="Twice the price.",
    detail={"asked": ["UBRUNO"], "level": 1},
    payload_hash="p1",
    policy_hash="y1",
    at=NOON,
)
LENGTH = 7


def chain(length: int = LENGTH, *, first: int = 1, previous: str = GENESIS, text: str = "Row") -> list[SealedRow]:
    rows: list[SealedRow] = []
    for n in range(first, first + length):
        entry = replace(ENTRY, text=f"{text} {n}.", at=NOON + timedelta(seconds=n))
        rows.append(seal(previous, entry, team=T1, n=n, salt=f"{n:032x}", code_version="1.0"))
        previous = rows[-1].hash
    return rows


def signed(rows: list[SealedRow], *, signer: Signer = SIGNER, first: int = 1) -> Head:
    last = rows[-1]
    signature = signer.sign(signed_bytes(team=T1, first=first, n=last.n, hash=last.hash)).hex()
    return Head(team=T1, first=first, n=last.n, hash=last.hash, public_key=signer.public_key, signature=signature)


def resealed(row: SealedRow, **changes: object) -> SealedRow:
    """The row with changes and a hash that fits them, as somebody without the key can make it."""
    changed = replace(row, **changes)
    return replace(changed, hash=row_hash(changed))


def old(n: int) -> SealedRow:
    """A row of before the chain."""
    row = seal(GENESIS, ENTRY, team=T1, n=n, salt="0", code_version="")
    return replace(row, format=0, previous_hash="", name_hash="", text_hash="", hash="", salt="")


def found(rows: list[SealedRow], head: Head | None, since: Head | None = None) -> tuple[str, int | None] | None:
    finding = verify(rows, head, SIGNER.public_key, since=since)
    return None if finding is None else (finding.kind, finding.n)


ROWS = chain()
HEAD = signed(ROWS)
numbers = st.integers(1, LENGTH)


def test_an_untouched_record_is_whole() -> None:
    assert found(ROWS, HEAD) is None


def test_a_record_without_rows_is_whole() -> None:
    assert found([], None) is None


def test_the_hash_of_a_row_is_the_one_that_format_one_says() -> None:
    covered = (
        '{"actor":"T1/UBRUNO","at_us":1796040000123456,"code_version":"1.0",'
        '"detail":"{\\"asked\\":[\\"UBRUNO\\"],\\"level\\":1}","format":1,"from_state":"pending_review",'
        '"kind":"decided","n":1,"name_hash":"%s","outcome":"rejected","payload_hash":"p1","policy_hash":"y1",'
        f'"previous_hash":"{GENESIS}","reason_code":"wrong_amount","review":"rv1","source":"button","team":"T1",'
        '"text_hash":"%s","to_state":"rejected","version":2}'
    )
    name_hash = hashlib.sha256('["name","5a17","Brünó"]'.encode()).hexdigest()
    text_hash = hashlib.sha256(b'["text","5a17","Twice the price."]').hexdigest()

    row = seal(GENESIS, replace(ENTRY, actor_name="Brünó"), team=T1, n=1, salt="5a17", code_version="1.0")

    assert row.hash == hashlib.sha256((covered % (name_hash, text_hash)).encode()).hexdigest()


def test_the_signature_covers_what_format_one_says() -> None:
    assert signed_bytes(team="T1", first=1, n=7, hash="ab") == (
        b'{"first":1,"format":1,"hash":"ab","n":7,"team":"T1","what":"placet audit head"}'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": object()}])
def test_what_has_no_one_json_text_is_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        canonical(value)


def test_the_order_of_keys_makes_no_other_text() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"é","b":1}'.encode()


@given(n=numbers, name=st.sampled_from(FIELDS), data=st.data())
def test_any_changed_field_of_any_row_is_found_at_that_row(n: int, name: str, data: st.DataObject) -> None:
    row = ROWS[n - 1]
    kind: st.SearchStrategy[object] = st.integers(1, 9_999) if name in WHOLE else st.text(max_size=8)
    kind = kind | st.none() if name in NULLABLE else kind
    value = data.draw(kind.filter(lambda new: new != getattr(row, name)))
    tampered = [*ROWS[: n - 1], replace(row, **{name: value}), *ROWS[n:]]

    finding = verify(tampered, HEAD, SIGNER.public_key)

    assert finding is not None
    # A row that says another number is named by it, or its own is missing.
    assert finding.n == n or (name == "n" and finding.n == value)


@given(n=numbers)
def test_a_row_that_was_changed_and_sealed_anew_is_named(n: int) -> None:
    tampered = [*ROWS[: n - 1], resealed(ROWS[n - 1], actor="T1/UEVE"), *ROWS[n:]]

    assert found(tampered, HEAD) == ("replaced", n)


@given(n=st.integers(1, LENGTH - 1))
def test_a_deleted_row_is_named(n: int) -> None:
    assert found([*ROWS[: n - 1], *ROWS[n:]], HEAD) == ("missing", n)


@given(left=st.integers(0, LENGTH - 1))
def test_a_cut_tail_is_named(left: int) -> None:
    assert found(ROWS[:left], HEAD) == ("cut_tail", left + 1)


@given(st.tuples(numbers, numbers).filter(lambda pair: pair[0] < pair[1]))
def test_two_rows_that_changed_places_are_found_at_the_first_of_them(pair: tuple[int, int]) -> None:
    first, second = pair
    swapped = list(ROWS)
    swapped[first - 1], swapped[second - 1] = ROWS[second - 1], ROWS[first - 1]

    assert found(swapped, HEAD) == ("out_of_order", second)


@given(st.tuples(numbers, numbers).filter(lambda pair: pair[0] < pair[1]))
def test_two_rows_that_changed_contents_are_found_at_the_first_of_them(pair: tuple[int, int]) -> None:
    first, second = pair
    swapped = list(ROWS)
    swapped[first - 1] = replace(ROWS[second - 1], n=first)
    swapped[second - 1] = replace(ROWS[first - 1], n=second)

    assert found(swapped, HEAD) == ("changed", first)


@given(place=st.integers(1, LENGTH), n=st.integers(-3, LENGTH), sealed_anew=st.booleans())
def test_a_row_that_was_put_between_others_is_named(place: int, n: int, sealed_anew: bool) -> None:
    forged = resealed(ROWS[place - 1], n=n, actor="T1/UEVE")
    forged = forged if sealed_anew else replace(forged, hash="")
    inserted = [*ROWS[:place], forged, *ROWS[place:]]

    finding = verify(inserted, HEAD, SIGNER.public_key)

    assert finding is not None
    assert finding.n == n


@given(n=st.integers(LENGTH + 1, LENGTH + 9), place=st.integers(0, LENGTH - 1))
def test_a_row_with_a_number_of_later_is_named_where_it_stands(n: int, place: int) -> None:
    inserted = [*ROWS[:place], resealed(ROWS[0], n=n), *ROWS[place:]]

    assert found(inserted, HEAD) == ("out_of_order", n)


def test_a_row_that_goes_on_behind_the_signed_end_is_named() -> None:
    assert found(chain(LENGTH + 2), HEAD) == ("inserted", LENGTH + 1)


def test_a_whole_record_that_was_written_anew_has_no_signature() -> None:
    forged = chain(text="Forged")

    assert found(forged, replace(HEAD, hash=forged[-1].hash)) == ("bad_signature", None)


def test_a_whole_record_that_was_written_anew_does_not_fit_the_signed_end() -> None:
    assert found(chain(text="Forged"), HEAD) == ("replaced", LENGTH)


def test_a_record_that_a_stranger_signed_is_not_trusted() -> None:
    forged = chain(text="Forged")

    assert found(forged, signed(forged, signer=STRANGER)) == ("other_key", None)


def test_without_a_trusted_key_the_heads_own_is_taken() -> None:
    assert verify(ROWS, signed(ROWS, signer=STRANGER), None) is None


@pytest.mark.parametrize(
    "changes",
    [{"n": 6}, {"first": 2}, {"hash": "0" * 64}, {"signature": "00" * 64}, {"signature": "no hex"}, {"signature": ""}],
    ids=lambda changes: "".join(changes),
)
def test_a_changed_head_is_found(changes: dict[str, object]) -> None:
    tampered = replace(HEAD, **changes)

    assert verify(ROWS[tampered.first - 1 :], tampered, SIGNER.public_key) is not None


@pytest.mark.parametrize("key", ["", "zz", "00", "0" * 64])
def test_a_key_that_is_none_signs_nothing(key: str) -> None:
    assert verify(ROWS, replace(HEAD, public_key=key), None) is not None


def test_rows_whose_head_is_gone_are_found() -> None:
    assert found(ROWS, None) == ("no_head", 1)


def test_a_beginning_that_was_cut_off_is_found_even_when_the_head_says_so() -> None:
    rows = ROWS[3:]

    assert found(rows, signed(rows, first=4)) == ("replaced", 4)


def test_another_teams_row_does_not_belong() -> None:
    assert found([resealed(ROWS[0], team="T2"), *ROWS[1:]], HEAD) == ("changed", 1)


def test_an_unknown_format_is_no_proof() -> None:
    assert found([resealed(ROWS[0], format=2), *ROWS[1:]], HEAD) == ("changed", 1)


# Words


@given(st.sets(numbers))
def test_rows_whose_words_were_removed_still_verify_and_are_counted(removed: set[int]) -> None:
    rows = [replace(row, salt="", actor_name="", text="") if row.n in removed else row for row in ROWS]

    walked = walk(begin(HEAD), rows)

    assert not isinstance(walked, Finding)
    assert (end(walked, SIGNER.public_key), walked.removed) == (None, len(removed))


@pytest.mark.parametrize("words", [{"actor_name": "Eve"}, {"text": "Fine."}], ids=["name", "text"])
def test_other_words_in_the_place_of_removed_ones_are_found(words: dict[str, str]) -> None:
    rows = [replace(ROWS[0], **{"salt": "", "actor_name": "", "text": "", **words}), *ROWS[1:]]

    assert found(rows, HEAD) == ("changed", 1)


def test_a_text_cannot_stand_in_the_place_of_a_name() -> None:
    row = ROWS[0]
    swapped = resealed(row, name_hash=row.text_hash, text_hash=row.name_hash, actor_name=row.text, text=row.actor_name)

    assert found([swapped], signed([swapped])) == ("changed", 1)


def test_equal_words_in_two_rows_cannot_be_told_from_their_hashes() -> None:
    one, two = (seal(GENESIS, ENTRY, team=T1, n=1, salt=salt, code_version="") for salt in ("a", "b"))

    assert (one.text_hash == two.text_hash, one.name_hash == two.name_hash) == (False, False)


# Rows of before the chain

LATE = chain(first=4)
LATE_HEAD = signed(LATE, first=4)


def test_rows_of_before_the_chain_are_counted_apart() -> None:
    walked = walk(begin(LATE_HEAD), [old(1), old(2), old(3), *LATE])

    assert not isinstance(walked, Finding)
    assert (end(walked, SIGNER.public_key), walked.before, walked.rows) == (None, 3, LENGTH)


def test_a_database_with_nothing_sealed_yet_is_whole() -> None:
    assert found([old(1), old(2)], None) is None


@pytest.mark.parametrize("n", [0, 4, 5, 99])
def test_a_row_without_a_seal_is_found_where_the_chain_stands(n: int) -> None:
    rows = sorted([*LATE, old(n)], key=lambda row: row.n)

    assert found(rows, LATE_HEAD) is not None


def test_a_sealed_row_before_the_chain_is_found() -> None:
    assert found([ROWS[0], *LATE], LATE_HEAD) == ("inserted", 1)


# An earlier head


@given(n=numbers)
def test_a_record_that_went_on_from_an_earlier_head_is_whole(n: int) -> None:
    assert found(ROWS, HEAD, since=signed(ROWS[:n])) is None


@given(st.tuples(numbers, numbers).filter(lambda pair: pair[0] < pair[1]))
def test_a_tail_that_was_cut_with_its_head_is_found_by_an_earlier_head(pair: tuple[int, int]) -> None:
    left, exported = pair

    finding = verify(ROWS[:left], signed(ROWS[:left]), SIGNER.public_key, since=signed(ROWS[:exported]))

    assert finding == Finding(
        kind="cut_tail", n=left + 1, said=f"The record ends at {left}; the exported head says {exported}."
    )


@given(n=numbers)
def test_a_record_that_was_written_and_signed_anew_is_found_by_an_earlier_head(n: int) -> None:
    forged = chain(text="Forged")

    assert found(forged, signed(forged), since=signed(ROWS[:n])) == ("rewritten", n)


@pytest.mark.parametrize(
    ("since", "kind"),
    [
        (replace(HEAD, n=3), "bad_signature"),
        (replace(HEAD, hash="0" * 64), "bad_signature"),
        (
            replace(
                HEAD,
                team="T2",
                signature=SIGNER.sign(signed_bytes(team="T2", first=1, n=HEAD.n, hash=HEAD.hash)).hex(),
            ),
            "other_team",
        ),
    ],
    ids=["number", "hash", "team"],
)
def test_an_earlier_head_must_be_a_head_of_this_record(since: Head, kind: str) -> None:
    assert found(ROWS, HEAD, since=since) == (kind, None)


def test_a_record_that_lost_everything_is_found_by_an_earlier_head() -> None:
    assert found([], None, since=HEAD) == ("cut_tail", 1)


def test_an_earlier_head_of_before_the_chain_is_found() -> None:
    assert found([old(1), old(2), old(3), *LATE], LATE_HEAD, since=signed(ROWS[:2])) == ("rewritten", 2)


# What people are told

REMOVED = {"salt": "", "actor_name": "", "text": ""}
OTHER_TEAM = signed_bytes(team="T2", first=1, n=HEAD.n, hash=HEAD.hash)
KEY, OTHER_KEY = SIGNER.public_key, STRANGER.public_key


@pytest.mark.parametrize(
    ("rows", "head", "since", "said"),
    [
        ([replace(ROWS[0], actor="T1/UEVE")], HEAD, None, "Row 1 was changed: its contents and its hash differ."),
        ([resealed(ROWS[0], team="T2")], HEAD, None, "Row 1 was changed: it names the workspace T2."),
        ([replace(ROWS[0], hash="")], HEAD, None, "Row 1 was changed: its seal was taken away."),
        ([resealed(ROWS[0], format=2)], HEAD, None,
         "Row 1 was changed: it says format 2, and this program knows 1."),
        ([replace(ROWS[0], actor_name="Eve")], HEAD, None,
         "Row 1 was changed: the actor's name is not the one that was sealed."),
        ([replace(ROWS[0], text="")], HEAD, None, "Row 1 was changed: its text is not the one that was sealed."),
        ([replace(ROWS[0], **{**REMOVED, "text": "Fine."})], HEAD, None,
         "Row 1 was changed: its words were removed and others put in their place."),
        ([ROWS[0], resealed(ROWS[1], actor="T1/UEVE"), ROWS[2]], HEAD, None,
         "Row 2 was replaced: it is not the one that row 3 was sealed onto."),
        (LATE, signed(LATE, first=4), None, None),
        (ROWS[3:], signed(ROWS, first=4), None,
         "Row 4 does not begin the record: it was sealed onto a row before it."),
        ([*ROWS[:2], resealed(ROWS[0], n=3), *ROWS[2:]], HEAD, None,
         "Row 3 was inserted: it was not sealed onto the row before it, and there is another row 3."),
        ([*ROWS[:4], ROWS[1]], HEAD, None, "Row 2 was inserted: the record is at row 5 there."),
        ([old(1), *LATE[:1], old(2)], LATE_HEAD, None, "Row 2 was inserted: the record is at row 5 there."),
        ([ROWS[0]], LATE_HEAD, None, "Row 1 is sealed, but the record is sealed from row 4 on only."),
        (ROWS, None, None, "Row 1 is sealed, but the record has no signed end."),
        ([ROWS[0], ROWS[2]], HEAD, None, "Row 2 is missing: row 3 comes in its place."),
        ([ROWS[0], ROWS[2], ROWS[1]], HEAD, None, "Row 3 stands where row 2 belongs."),
        (ROWS[:5], HEAD, None, "The record ends at 5; its head says 7."),
        ([], HEAD, None, "The record has no sealed row; its head says 7."),
        (chain(9), HEAD, None, "Row 8 was inserted: the signed end is row 7."),
        (chain(text="Forged"), HEAD, None, "Row 7 was replaced: it is not the one that the end was signed over."),
        (ROWS, replace(HEAD, signature=""), None, "The end, row 7, is not signed: its signature fails."),
        (ROWS, signed(ROWS, signer=STRANGER), None,
         f"The end is signed with another key, {OTHER_KEY}; trusted is {KEY}."),
        (ROWS, HEAD, replace(HEAD, n=6), "The exported head itself was changed: its signature fails."),
        ([], None, HEAD, "The record has no signed end; the exported head says 7."),
        (ROWS, HEAD, replace(HEAD, team="T2", signature=SIGNER.sign(OTHER_TEAM).hex()),
         "The exported head is of the workspace T2, the record of T1."),
        (ROWS, HEAD, signed(chain(3, text="Another")),
         "Row 3 is not the one that the exported head was signed over: it or a row before it is another."),
    ],
)  # fmt: skip
def test_a_finding_says_what_is_wrong(
    rows: list[SealedRow], head: Head | None, since: Head | None, said: str | None
) -> None:
    finding = verify(rows, head, KEY, since=since)

    assert (finding and finding.said) == said


@pytest.mark.parametrize(
    ("rows", "n"),
    [
        pytest.param([*ROWS[:2], resealed(ROWS[0], n=3), *ROWS[2:]], 3, id="beside-another"),
        pytest.param([*ROWS[:4], ROWS[1]], 2, id="once-more"),
    ],
)
def test_a_row_too_many_is_called_inserted(rows: list[SealedRow], n: int) -> None:
    assert found(rows, HEAD) == ("inserted", n)


def test_time_is_kept_to_the_microsecond() -> None:
    assert [moment_of(row) for row in ROWS[:2]] == [NOON + timedelta(seconds=1), NOON + timedelta(seconds=2)]


def test_half_a_character_is_a_finding_and_no_crash() -> None:
    assert found([replace(ROWS[0], actor="\ud800"), *ROWS[1:]], HEAD) == ("changed", 1)


# Pages


@given(st.lists(st.integers(0, LENGTH), max_size=4))
def test_a_record_walked_in_pages_is_as_whole_as_one_walked_at_once(cuts: list[int]) -> None:
    pages = [ROWS[left:right] for left, right in pairwise([0, *sorted(cuts), LENGTH])]

    walked = reduce(walk, pages, begin(HEAD))

    assert (end(walked, SIGNER.public_key), walked.rows) == (None, LENGTH)


def test_the_rows_that_tell_of_another_key_are_listed() -> None:
    rows = chain(2)
    told = replace(ENTRY, kind="audit_key_changed")
    rows.append(seal(rows[-1].hash, told, team=T1, n=3, salt="3", code_version=""))

    walked = walk(begin(signed(rows)), rows)

    assert not isinstance(walked, Finding)
    assert walked.key_changes == (3,)
