"""Making, restoring and updating the user's state."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast, get_args, get_origin
from uuid import uuid4

import pydantic

from flows.errors import StateError, StateTypeError
from flows.persistence.field_texts import FieldTexts
from flows.persistence.rebuild import model_with
from flows.persistence.state_data import state_dict
from flows.types import identified

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class StateSlot:
    """Holds the state of one flow, also while required fields still wait for a kickoff's inputs."""

    model: type[pydantic.BaseModel] | None
    """The class of a structured state; None for a dict."""
    live: dict[str, Any] | pydantic.BaseModel | None
    early_id: str = ""
    """The run's id while there is no live state."""
    made_id: str = ""
    """The id, where it was made here at random: no store knows it before the run begins."""
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    """Fields known while there is no live state."""
    aside: dict[str, Any] = field(default_factory=dict[str, Any])
    """Stored fields that the model no longer has; they are stored again, so that nothing is lost."""
    texts: FieldTexts = field(default_factory=FieldTexts)

    def text(self, flow: str) -> str:
        """What a store keeps of the state, as the codec's text. Raises CodecError, StateError."""
        return self.texts.text(self.stored(flow), path=f"{flow}.state")

    def stored(self, flow: str) -> dict[str, Any]:
        """What a store keeps of the state: its fields, and those that are set aside."""
        return {**self.aside, **state_dict(self.value(flow))}

    def value(self, flow: str) -> Any:
        """The live state. Raises StateError while required fields are missing."""
        if self.live is None:
            known = self.model.model_fields if self.model is not None else {}
            missing = [name for name, item in known.items() if item.is_required() and name not in self.given]
            raise StateError(
                f"The state of {flow} waits for {', '.join(missing)}. Pass them to kickoff(inputs={{...}})."
            )
        return self.live

    def flow_id(self, flow: str) -> str:
        """The state's id as text. Raises StateError when the state has lost it."""
        if self.live is None:
            return self.early_id
        found = self.live.get("id") if isinstance(self.live, dict) else getattr(self.live, "id", None)
        if not has_id(found):
            raise StateError(f"The state of {flow} has no 'id'. Keep the key; it names the run.")
        return str(found)


def has_id(found: object) -> bool:
    """Whether this value of the state's `id` names a run; None and "" do not."""
    return found is not None and found != ""


def state_annotation(flow: type) -> Any:
    """The state type that `Flow[...]` was given by this class or a parent; None for a plain Flow."""
    for base in flow.__mro__:
        for generic in getattr(base, "__orig_bases__", ()):
            origin = get_origin(generic)
            if isinstance(origin, type) and getattr(origin, "__is_flow__", False):
                argument = get_args(generic)[0]
                if isinstance(argument, type) or get_origin(argument) is dict:
                    return argument
    return None


def make_slot(flow: type, initial_state: Any) -> StateSlot:
    """The state a new instance starts with.

    initial_state is a dict, a model, a class of those, or None for what the class declares.
    Raises StateError for a model class without an id field, StateTypeError for another kind.
    """
    given = initial_state if initial_state is not None else getattr(flow, "initial_state", None)
    declared = state_annotation(flow)
    if isinstance(declared, type) and not issubclass(declared, (pydantic.BaseModel, dict)):
        raise StateTypeError(given=cast("object", declared))
    if isinstance(given, type) and issubclass(given, pydantic.BaseModel):
        if "id" not in given.model_fields and given is not declared:
            raise StateError(f"Flow state model must have an 'id' field; {given.__name__} has none.")
        return _model_slot(identified(given), {})
    model = identified(declared) if isinstance(declared, type) and issubclass(declared, pydantic.BaseModel) else None
    if given is None and model is not None:
        return _own_slot(model)
    if isinstance(given, pydantic.BaseModel):
        return _instance_slot(given)
    if isinstance(given, dict):
        values = cast("dict[str, Any]", _copied(given))
        return _model_slot(model, values) if model is not None else _dict_slot(values)
    if given is None or given is dict or get_origin(given) is dict:
        return _dict_slot({})
    raise StateTypeError(given=cast("object", given))


def restore(slot: StateSlot, stored: Mapping[str, Any]) -> None:
    """Lays a stored state over the defaults: keys that are new since then keep their defaults.

    Fields that a model no longer has are set aside, and logged.
    Raises CodecError when the model now requires a field that was not stored.
    """
    if slot.model is None:
        slot.live = {**cast("dict[str, Any]", slot.live), **stored}
        return
    known = {name: value for name, value in stored.items() if name in slot.model.model_fields}
    extra = {name: value for name, value in stored.items() if name not in known}
    slot.live = model_with(slot.model, {**slot.given, **known}, extra, path="state")
    slot.aside = {} if slot.live.model_extra is not None else extra
    if slot.aside:
        logger.warning(
            "The stored state has fields that %s no longer has; they are set aside: %s.",
            slot.model.__name__,
            ", ".join(sorted(slot.aside)),
        )


def update(slot: StateSlot, inputs: Mapping[str, Any]) -> None:
    """Lays a kickoff's inputs over the state; a model is validated again.

    A dict takes every key, a model the fields it knows. Raises StateError for a value the model refuses.
    """
    if slot.model is None:
        slot.live = {**cast("dict[str, Any]", slot.live), **inputs}
        return
    current = (
        state_dict(slot.live) if isinstance(slot.live, pydantic.BaseModel) else {"id": slot.early_id, **slot.given}
    )
    takes_all = slot.model.model_config.get("extra") == "allow"
    given = _by_field(slot.model, inputs)
    wanted = {name: value for name, value in given.items() if takes_all or name in slot.model.model_fields}
    try:
        slot.live = _validated(slot.model, {**current, **wanted})
    except pydantic.ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise StateError(f"Invalid inputs for {slot.model.__name__}: {faults}.") from error


def _dict_slot(values: dict[str, Any]) -> StateSlot:
    if has_id(values.get("id")):
        return StateSlot(model=None, live=values)
    made_id = str(uuid4())
    return StateSlot(model=None, live={**values, "id": made_id}, made_id=made_id)


def _own_slot(model: type[pydantic.BaseModel]) -> StateSlot:
    """The state of a `Flow[Model]`: every instance is a run of its own, whatever default the model's id has."""
    made_id = str(uuid4())
    try:
        slot = _model_slot(model, {"id": made_id})
    except StateError:
        # An id of another kind than text: the model's own default names the run.
        return _model_slot(model, {})
    slot.made_id = made_id
    return slot


def _model_slot(model: type[pydantic.BaseModel], values: dict[str, Any]) -> StateSlot:
    try:
        return StateSlot(model=model, live=_named(_validated(model, values)), given=values)
    except pydantic.ValidationError as error:
        if all(item["type"] == "missing" for item in error.errors()):
            # The inputs of a kickoff may bring what is missing.
            return StateSlot(model=model, live=None, given=values, early_id=str(values.get("id") or uuid4()))
        raise StateError(f"The initial state is no valid {model.__name__}: {error}") from error


def _instance_slot(given: pydantic.BaseModel) -> StateSlot:
    model = identified(type(given))
    if model is type(given):
        return StateSlot(model=model, live=_named(cast("pydantic.BaseModel", _copied(given))))
    content = cast("dict[str, Any]", _copied(state_dict(given)))
    return StateSlot(model=model, live=model_with(model, content, {}, path="state"))


def _named(state: pydantic.BaseModel) -> pydantic.BaseModel:
    """The state, with a fresh id when it has an empty one."""
    if has_id(getattr(state, "id", None)):
        return state
    return state.model_copy(update={"id": str(uuid4())})


def _validated(model: type[pydantic.BaseModel], values: Mapping[str, Any]) -> pydantic.BaseModel:
    by_alias = {}
    for name, value in values.items():
        aliases = _aliases(model, name)
        by_alias[aliases[0] if aliases else name] = value
    return model.model_validate(by_alias)


def _by_field(model: type[pydantic.BaseModel], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs under the names of the model's fields, also those that came under an alias."""
    names = {alias: name for name in model.model_fields for alias in _aliases(model, name)}
    return {name if name in model.model_fields else names.get(name, name): value for name, value in inputs.items()}


def _aliases(model: type[pydantic.BaseModel], name: str) -> list[str]:
    item = model.model_fields.get(name)
    alias = item.validation_alias if item is not None else None
    choices = alias.choices if isinstance(alias, pydantic.AliasChoices) else [alias]
    return [choice for choice in choices if isinstance(choice, str)]


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - locks, clients and the like refuse in their own ways; they are shared then
        return copy.copy(value)
