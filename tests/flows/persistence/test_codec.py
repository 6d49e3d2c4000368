"""Values keep their types on the way to text and back; what cannot is refused with its path."""

import math
import sys
import threading
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator

from flows import CodecError, Flow, register_type, start
from flows.persistence.codec import from_text, snapshot, to_text
from flows.testing.stored_samples import RICH_STATE, Point
from flows.types import InputResponse


class Home(Flow):
    """Makes this module home to a flow, so that its classes may be stored."""

    @start()
    def begin(self):
        return None


Home()

ItemT = TypeVar("ItemT")


class Parametrised(BaseModel, Generic[ItemT]):
    item: ItemT


class Level(IntEnum):
    LOW = 1


class Word(StrEnum):
    YES = "yes"


class Shape(Enum):
    ROUND = (1, 2)


class Inner(BaseModel):
    when: datetime
    tags: set[str] = Field(default_factory=set)


class Outer(BaseModel):
    model_config = ConfigDict(extra="allow")

    inner: Inner
    label: str = Field(default="x", alias="theLabel")
    _private: int = PrivateAttr(default=5)


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)

    n: int


class Counting(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def plus_one(cls, value):
        return value + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Slotted:
    n: int
    items: list[int] = field(default_factory=list)


@dataclass
class Checked:
    n: int
    double: int = field(init=False)

    def __post_init__(self):
        self.double = self.n * 2


def same(value: Any) -> Any:
    return from_text(to_text(value), home=__name__)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.datetimes()
    | st.datetimes(
        timezones=st.just(UTC) | st.builds(timezone, st.timedeltas(timedelta(hours=-12), timedelta(hours=12)))
    )
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.uuids()
    | st.decimals(allow_nan=False)
    | st.sampled_from([Level.LOW, Word.YES, Shape.ROUND])
)
HASHABLE = SCALARS | st.tuples(SCALARS, SCALARS) | st.frozensets(SCALARS, max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | HASHABLE, inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$", "v", "class"]), inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
        | st.builds(Slotted, n=st.integers(), items=st.lists(st.integers(), max_size=2))
        | st.builds(Inner, when=st.datetimes(), tags=st.sets(st.text(max_size=2), max_size=2))
    ),
    max_leaves=8,
)


def exactly(value: Any) -> Any:
    """The value with the type of every part, for comparing."""
    if isinstance(value, dict):
        return dict, {(type(key), key): exactly(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value), [exactly(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value), {(type(item), item) for item in value}
    if isinstance(value, BaseModel):
        return type(value), exactly(dict(value))
    return type(value), repr(value)


@given(VALUES)
@settings(max_examples=120, deadline=None)
def test_any_value_comes_back_as_it_was(value):
    assert exactly(same(value)) == exactly(value)


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_a_snapshot_equals_and_shares_nothing_that_can_change(value):
    copied = snapshot([value])

    assert exactly(copied) == exactly([value])
    assert not isinstance(value, (list, dict, set)) or copied[0] is not value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=str)
def test_odd_numbers_survive(value):
    assert repr(same(value)) == repr(value)


@pytest.mark.parametrize("text", ["\ud83d", "\ud83d\ude00", "olá", "안녕"], ids=ascii)
def test_odd_texts_survive(text):
    assert same({text: text}) == {text: text}


def test_a_moment_keeps_its_zone_and_fold():
    moment = datetime(2026, 10, 25, 1, 30, tzinfo=ZoneInfo("Europe/Lisbon"), fold=1)

    found = same((moment, moment.timetz()))

    assert found == (moment, moment.timetz())
    assert {(item.tzinfo, item.fold) for item in found} == {(ZoneInfo("Europe/Lisbon"), 1)}


def test_a_model_keeps_nested_types_extra_values_and_aliases():
    value = Outer(inner=Inner(when=datetime(2026, 1, 1, tzinfo=UTC), tags={"a"}), theLabel="y", more=Decimal("1.0"))

    found = same(value)

    assert found == value
    assert (found.label, found.more, found._private) == ("y", Decimal("1.0"), 5)
    assert found.model_fields_set == value.model_fields_set
    assert same(Outer(inner=value.inner)).model_fields_set == {"inner"}


@pytest.mark.parametrize(
    "value", [Frozen(n=1), Slotted(n=1, items=[2]), Checked(n=3)], ids=lambda value: type(value).__name__
)
def test_models_and_dataclasses_of_every_make_survive(value):
    assert same(value) == value


def test_restoring_a_model_does_not_validate_it_again():
    assert same(Counting(n=1)).n == 2


class Evil:
    pass


Named = namedtuple("Named", "x")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        pytest.param(object(), "value", id="object"),
        pytest.param({"a": [1, {2: Evil()}]}, "value.a[1][2]", id="nested"),
        pytest.param({Evil(): 1}, "value key", id="key"),
        pytest.param(Slotted(n=1, items=[Evil()]), "value.items[0]", id="dataclass field"),
        pytest.param(defaultdict(list), "value", id="defaultdict"),
        pytest.param(OrderedDict(), "value", id="ordered dict"),
        pytest.param(Named(1), "value", id="named tuple"),
        pytest.param(len, "value", id="function"),
        pytest.param(Slotted, "value", id="class"),
        pytest.param(1j, "value", id="complex"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_path(value, path):
    with pytest.raises(CodecError) as caught:
        to_text(value)

    assert caught.value.path.startswith(path)


class Item(BaseModel):
    name: str
    seen: list[str] = Field(default_factory=list)
    _slug: str = PrivateAttr()
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def model_post_init(self, _context):
        self._slug = self.name.lower()
        self.seen.append("made")


def test_a_model_keeps_its_private_values_and_is_not_made_anew():
    item = Item(name="Ann")
    item._slug = "changed"

    for copy in (same(item), snapshot(item)):
        assert (copy.name, copy.seen, copy._slug) == ("Ann", ["made"], "changed")
        assert copy._lock is not item._lock


class Guarded(BaseModel):
    _lock: Any = PrivateAttr()


def test_a_private_value_that_has_no_default_and_cannot_be_kept_is_refused():
    value = Guarded()
    value._lock = threading.Lock()

    with pytest.raises(CodecError) as caught:
        to_text(value)

    assert caught.value.path == "value._lock"


class Derived(BaseModel):
    n: int = 1
    twice: int = Field(default_factory=lambda values: values["n"] * 2)


def test_a_default_that_depends_on_other_fields_is_worked_out():
    text = to_text(Derived(n=3)).replace(',"twice":6', "")

    assert from_text(text) == Derived(n=3, twice=6)


class Rights(Flag):
    READ = 1
    WRITE = 2


@pytest.mark.parametrize("value", [Rights.READ, Rights.READ | Rights.WRITE, Rights(0)], ids=str)
def test_flags_survive_in_every_combination(value):
    assert same(value) is value


def text_of(cls: str, kind: str = "model") -> str:
    return f'{{"$":"{kind}","class":"{cls}","v":{{}}}}'


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("subprocess:Popen", id="a class of another module"),
        pytest.param("not_imported_anywhere:Thing", id="a module that is not loaded"),
        pytest.param(f"{__name__}:Missing", id="a class that is gone"),
        pytest.param(f"{__name__}:datetime", id="an imported name"),
        pytest.param(f"{__name__}:Evil", id="no storable class"),
        pytest.param("", id="empty"),
    ],
)
def test_a_row_restores_no_class_but_known_ones(name):
    with pytest.raises(CodecError, match="unknown here") as caught:
        from_text(text_of(name), home=__name__)

    assert "register_type" in str(caught.value)


def local_classes():
    """Classes that nobody finds by their names."""

    @dataclass
    class Local:
        n: int = 1

    class LocalModel(BaseModel):
        n: int = 1

    class LocalEnum(Enum):
        ONE = 1

    return [Local(), LocalModel(), LocalEnum.ONE, Parametrised[int](item=1)]


@pytest.mark.parametrize("value", local_classes(), ids=lambda value: type(value).__name__)
def test_what_could_not_be_read_back_is_refused_before_it_is_stored(value):
    with pytest.raises(CodecError, match="register_type") as caught:
        to_text({"a": [value]})

    assert caught.value.path == "value.a[0]"


@pytest.mark.parametrize("value", local_classes(), ids=lambda value: type(value).__name__)
def test_a_registered_class_may_stand_anywhere(value):
    register_type(type(value))

    assert exactly(from_text(to_text(value))) == exactly(value)


def test_a_class_that_the_flows_module_imports_needs_no_registration():
    value = InputResponse("Ann")

    assert from_text(to_text(value)) == value


def test_a_registered_class_is_restored_anywhere():
    assert from_text(to_text(Point(1, 2))) == Point(1, 2)


def test_only_storable_classes_can_be_registered():
    with pytest.raises(TypeError, match="Evil"):
        register_type(Evil)


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        '{"$":"unheard of","v":1}',
        '{"$":"decimal","v":"x"}',
        '{"$":"uuid"}',
        '{"$":"timedelta","v":"1"}',
        '{"$":"datetime","v":"2026-01-01T00:00:00","zone":"No/Where","fold":0}',
        text_of(f"{__name__}:Slotted", "model"),
        text_of(f"{__name__}:Frozen", "model"),
        text_of(f"{__name__}:Slotted", "dataclass"),
        text_of(f"{__name__}:Level", "enum"),
    ],
)
def test_a_damaged_text_is_a_codec_error(text):
    with pytest.raises(CodecError):
        from_text(text, home=__name__)


def test_a_field_that_is_new_takes_its_default():
    text = to_text(Slotted(n=1, items=[1])).replace(',"items":[1]', "")

    assert from_text(text, home=__name__) == Slotted(n=1, items=[])


def test_a_field_that_is_gone_is_left_out():
    text = to_text(Frozen(n=1)).replace('"n":1', '"n":1,"old":2')

    assert from_text(text, home=__name__) == Frozen(n=1)


def test_a_hundred_levels_are_no_matter():
    value: Any = []
    for _ in range(100):
        value = [value]

    assert same(value) == value


@pytest.mark.parametrize("name", sorted(RICH_STATE), ids=str)
def test_every_promised_kind_survives(name):
    found = from_text(to_text(RICH_STATE[name]))

    assert found == RICH_STATE[name]
    assert type(found) is type(RICH_STATE[name])


def test_a_value_that_holds_itself_is_refused():
    value: Any = []
    value.append(value)

    with pytest.raises(CodecError, match="holds itself"):
        to_text(value)


CHANGED: Any = None
"""What is changed while it is being stored, as a step in another thread may do."""


class Meddling(Enum):
    KEY = 1

    def __repr__(self):
        CHANGED[len(CHANGED)] = 0
        return "key"


class MeddlingPath(PurePosixPath):
    def __str__(self):
        CHANGED.add(len(CHANGED))
        return "path"


@pytest.mark.parametrize("value", [{Meddling.KEY: 1}, {MeddlingPath("a")}], ids=["dict", "set"])
def test_a_value_that_is_changed_meanwhile_can_be_stored(value, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "CHANGED", value)

    assert to_text(value)
    assert len(value) > 1


KINDS = (bytes, date, time, timedelta, UUID, Decimal, Path)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_subclass_of_a_scalar_is_refused(kind):
    odd = type("Odd", (kind if kind is not Path else str,), {})
    value = odd(1, 1, 1) if kind is date else odd(int=1) if kind is UUID else odd()

    with pytest.raises(CodecError):
        to_text(value)
