"""The operators' policy file, read whole: what it says of every gate, or every fault in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from bot.reviews.gate_policy import Limit, Tier, Who
from bot.reviews.policy_checks import faults_of
from bot.reviews.policy_faults import Fault, PolicyError, instead
from bot.reviews.policy_layers import Layer, RungOf, Stated
from bot.reviews.policy_metadata import step_says
from bot.reviews.policy_reading import Reading
from bot.reviews.policy_rules import (
    ChannelSettings,
    GateOf,
    GateRules,
    Policies,
    rules_without_file,
    with_digest,
)
from bot.reviews.policy_yaml import LARGEST, Node, Row, Scalar, Table, parse
from bot.reviews.tier_rules import AmountRule, Band, Case, TierRule, ValueRule
from bot.settings import SLACK_HOOKS, is_loopback
from bot.types import LANGUAGES, Language

DEFAULT: Final = Path("reviews.yml")
"""The one file that may be absent."""

_OWN_CODES = ("stated", "timeout", "unspecified")
"""What is recorded where nobody picked a code."""

Read = Callable[[Reading, Node], Any]


def load(
    path: Path,
    gates: Sequence[GateOf],
    *,
    flows: Collection[str] | None = None,
    hosts: Collection[str] = (SLACK_HOOKS,),
) -> Policies:
    """What this file says about these gates; without the default file, what the steps say and what is built in.

    flows are the names that a channel may start by default; None leaves them unchecked. hosts are those that a page may
    be posted to.
    Raises PolicyError with every fault of the file and of the steps' own metadata.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        if path != DEFAULT:
            fault = Fault(place=str(path), what="there is no such file.", mend="Name another with POLICY_FILE.")
            raise PolicyError((fault,)) from error
        data = b""
    except OSError as error:
        fault = Fault(place=str(path), what=f"it cannot be read: {error.strerror}.", mend="Give Placet the right to.")
        raise PolicyError((fault,)) from error
    return read(data, path.name, gates, flows=flows, hosts=hosts)


def read(
    data: bytes,
    file: str,
    gates: Sequence[GateOf],
    *,
    flows: Collection[str] | None = None,
    hosts: Collection[str] = (SLACK_HOOKS,),
) -> Policies:
    """What this text of a policy file says about these gates. file is how faults name it.

    Raises PolicyError with every fault.
    """
    root, faults = parse(data, file)
    reading = Reading(file=file, faults=list(faults))
    policies = _policies(reading, root, gates, flows, hosts)
    for gate in gates:
        reading.faults.extend(step_says(gate.name, gate.metadata).faults)
    # What is not understood yet cannot be judged: one slip would be told as several.
    if not reading.faults:
        reading.faults.extend(faults_of(policies))
    if reading.faults:
        raise PolicyError(tuple(sorted(dict.fromkeys(reading.faults), key=lambda fault: _line(fault, file))))
    return with_digest(policies)


def _line(fault: Fault, file: str) -> float:
    """Where the fault stands in the file; what stands elsewhere comes behind it."""
    name, _, line = fault.place.rpartition(":")
    return int(line) if name == file and line.isdecimal() else inf


def _policies(
    reading: Reading, root: Node | None, gates: Sequence[GateOf], flows: Collection[str] | None, hosts: Collection[str]
) -> Policies:
    top: Mapping[str, Row] = (
        {} if root is None else reading.table(root, ("operators", "pager", "tiers", "gates", "channels"), "the policy")
    )
    rules = {gate.name: rules_without_file(gate) for gate in gates}
    for gate in rules.values():
        for who in gate.step.people():
            reading.places.setdefault(who.name, gate.step.place)
    if (row := top.get("gates")) is not None:
        rules.update(_gates(reading, row.value, gates, rules))
    return Policies(
        gates=rules,
        tiers=_tiers(reading, top["tiers"].value) if "tiers" in top else {},
        operators=reading.people(top["operators"].value) if "operators" in top else (),
        operators_place=reading.place(top["operators"].key) if "operators" in top else "",
        pager=_pager(reading, top["pager"].value, hosts) if "pager" in top else "",
        channels=_channels(reading, top["channels"].value, flows) if "channels" in top else {},
        places=reading.places,
    )


def _gates(
    reading: Reading, node: Node, gates: Sequence[GateOf], without_file: Mapping[str, GateRules]
) -> dict[str, GateRules]:
    by_class: dict[str, list[str]] = {}
    for gate in gates:
        by_class.setdefault(f"{gate.flow_class}.{gate.method}", []).append(gate.name)
    known = {gate.name: gate.name for gate in gates} | {
        name: found[0] for name, found in by_class.items() if len(found) == 1
    }
    said: dict[str, GateRules] = {}
    for row in reading.rows(node, "gates"):
        name = known.get(row.key.text)
        if name is None:
            several = by_class.get(row.key.text, ())
            mend = f"Several flows have it; write {' or '.join(several)}." if several else instead(row.key.text, known)
            reading.refuse(row.key, f"no flow has the gate {row.key.text!r}.", mend)
        elif name in said:
            reading.refuse(row.key, f"the gate {name!r} stands here again, by another name.", "Keep one of them.")
        else:
            said[name] = _gate(reading, row, without_file[name])
    return said


def _gate(reading: Reading, row: Row, rules: GateRules) -> GateRules:
    found = reading.table(row.value, ("tier", *GATE_KEYS), f"the gate {row.key.text!r}")
    layer = _layer(reading, found, GATE_KEYS, reading.place(row.key))
    tier = found.get("tier")
    if tier is None:
        return replace(rules, file=layer)
    return replace(rules, file=layer, tier=_tier(reading, tier.value), tier_place=reading.place(tier.key))


def _tiers(reading: Reading, node: Node) -> dict[Tier, Layer]:
    said: dict[Tier, Layer] = {}
    for row in reading.rows(node, "tiers"):
        tier = reading.tier(row.key)
        if tier is not None:
            found = reading.table(row.value, tuple(TIER_KEYS), f"the tier {tier.value!r}")
            said[tier] = _layer(reading, found, TIER_KEYS, reading.place(row.key))
    return said


def _layer(reading: Reading, rows: Mapping[str, Row], known: Mapping[str, tuple[str, Read]], place: str) -> Layer:
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    for key, row in rows.items():
        if key in known:
            name, read_value = known[key]
            values[name], places[name] = read_value(reading, row.value), reading.place(row.key)
    return Layer(stated=Stated(**values), place=place, places=places)


def _tier(reading: Reading, node: Node) -> Tier | TierRule | None:
    if not isinstance(node, Table):
        return reading.tier(node)
    rows = reading.table(node, ("field", "currency", "currency_field", "bands", "values"), "a rule for the tier")
    field = reading.text(rows["field"].value) if "field" in rows else None
    if field is None:
        reading.refuse(node, "the rule names no field.", "Write `field: amount`, or `field: state.amount`.")
        return None
    if ("bands" in rows) == ("values" in rows):
        reading.refuse(node, "the rule needs either bands or values.", "bands for an amount, values for words.")
        return None
    if "values" in rows:
        for key in ("currency", "currency_field"):
            if key in rows:
                reading.refuse(rows[key].key, f"{key!r} belongs to a rule with bands.", "Remove it.")
        cases = tuple(
            case for row in reading.rows(rows["values"].value, "values") if (case := _case(reading, row)) is not None
        )
        if not cases:
            reading.refuse(rows["values"].value, "the rule has no values.", "Write at least one, such as `yes: high`.")
        if len({case.value for case in cases}) < len(cases):
            reading.refuse(rows["values"].value, "a value stands here twice.", "yes, true and on are the same.")
        return ValueRule(field=field, cases=cases)
    bands = _bands(reading, rows["bands"].value)
    return AmountRule(
        field=field,
        bands=bands,
        currency=(reading.text(rows["currency"].value) or "") if "currency" in rows else "",
        currency_field=(reading.text(rows["currency_field"].value) or "") if "currency_field" in rows else "currency",
    )


def _case(reading: Reading, row: Row) -> Case | None:
    value: str | bool = row.key.flag if row.key.kind == "flag" else row.key.text
    if isinstance(row.value, Scalar):
        tier, score = reading.tier(row.value), None
    else:
        tier, score = _tier_and_score(reading, row.value, ())
    return None if tier is None else Case(value=value, tier=tier, risk_score=score)


def _bands(reading: Reading, node: Node) -> tuple[Band, ...]:
    bands: list[Band] = []
    for band, at in reading.items(node, lambda item: _band(reading, item)):
        before = bands[-1] if bands else None
        if before is not None and before.up_to is None:
            reading.refuse(at, "no amount is left for this band.", "Only the last band may lack `up_to`.")
        elif before is not None and band.up_to is not None and before.up_to is not None and band.up_to <= before.up_to:
            reading.refuse(at, "its `up_to` is not above that of the band before.", "Order the bands by amount.")
        elif before is not None and band.tier.rank < before.tier.rank:
            reading.refuse(at, "a larger amount has a lower tier here.", "Order the bands from low to high.")
        bands.append(band)
    if not bands:
        reading.refuse(node, "the rule has no bands.", "Write at least one, such as {up_to: 500, tier: medium}.")
    return tuple(bands)


def _band(reading: Reading, node: Node) -> tuple[Band, Node] | None:
    tier, score = _tier_and_score(reading, node, ("up_to",))
    rows = {row.key.text: row for row in node.rows} if isinstance(node, Table) else {}
    up_to: Decimal | None = None
    if "up_to" in rows:
        up_to = reading.amount(rows["up_to"].value)
        if up_to is None:
            return None
    return None if tier is None else (Band(up_to=up_to, tier=tier, risk_score=score), node)


def _tier_and_score(reading: Reading, node: Node, more: tuple[str, ...]) -> tuple[Tier | None, int | None]:
    rows = reading.table(node, ("tier", "risk_score", *more), "this part of a rule")
    if "tier" not in rows:
        reading.refuse(node, "this part of a rule gives no tier.", "Write `tier: medium`.")
        return None, None
    score = _score(reading, rows["risk_score"].value) if "risk_score" in rows else None
    return reading.tier(rows["tier"].value), score


def _limit(reading: Reading, node: Node) -> Limit | None:
    rows = reading.table(node, ("field", "up_to", "sum_up_to", "window", "currency", "currency_field"), "a limit")
    missing = [key for key in ("field", "up_to", "sum_up_to", "window") if key not in rows]
    if missing:
        reading.refuse(
            node,
            f"the limit lacks {', '.join(missing)}.",
            "One amount and one requester's sum within a window both need a bound.",
        )
        return None
    field, window = reading.text(rows["field"].value), reading.duration(rows["window"].value)
    up_to, sum_up_to = reading.amount(rows["up_to"].value), reading.amount(rows["sum_up_to"].value)
    if field is None or window is None or up_to is None or sum_up_to is None:
        return None
    if sum_up_to < up_to:
        reading.refuse(rows["sum_up_to"].key, "the sum is bounded below one amount.", "Raise it, or lower `up_to`.")
    return Limit(
        field=field,
        up_to=up_to,
        sum_up_to=sum_up_to,
        window=window,
        currency=(reading.text(rows["currency"].value) or "") if "currency" in rows else "",
        currency_field=(reading.text(rows["currency_field"].value) or "") if "currency_field" in rows else "currency",
    )


def _ladder(reading: Reading, node: Node) -> tuple[RungOf, ...]:
    return reading.items(node, lambda item: _rung(reading, item))


def _rung(reading: Reading, node: Node) -> RungOf | None:
    if isinstance(node, Table):
        rows = reading.table(node, ("ask", "review_time", "pager"), "a step of a ladder")
        who = reading.people(rows["ask"].value) if "ask" in rows else ()
        time = reading.duration(rows["review_time"].value) if "review_time" in rows else None
        pager = bool(reading.flag(rows["pager"].value)) if "pager" in rows else False
        rung = RungOf(who=who, review_time=time, pager=pager)
    else:
        rung = RungOf(who=reading.people(node))
    if not rung.who:
        reading.refuse(node, "this step of the ladder asks nobody.", "Name who is asked: ask: [@handle], in quotes.")
        return None
    return rung


def _codes(reading: Reading, node: Node) -> tuple[str, ...]:
    codes: list[str] = []
    for code, at in reading.items(node, lambda item: None if (text := reading.text(item)) is None else (text, item)):
        if not code.isascii() or not code.isidentifier() or len(code) > 40:
            reading.refuse(at, f"{code!r} is no reason code.", "Use letters, digits and _, at most 40.")
        elif code in _OWN_CODES:
            reading.refuse(at, f"{code!r} is recorded where nobody picks a code.", "Choose another word.")
        elif code in codes:
            reading.refuse(at, f"{code!r} stands here twice.", "Keep one of them.")
        else:
            codes.append(code)
    return tuple(codes)


def _score(reading: Reading, node: Node) -> int | None:
    return reading.count(node, least=0, most=100)


def _durations(reading: Reading, node: Node) -> tuple[timedelta, ...]:
    return tuple(sorted(set(reading.items(node, reading.duration))))


def _choice(*known: str, what: str) -> Read:
    return lambda reading, node: reading.choice(node, known, what)


TIER_KEYS: Mapping[str, tuple[str, Read]] = {
    "review_time": ("review_time", lambda reading, node: reading.duration(node)),
    "reminders": ("reminders", _durations),
    "escalate_to": ("ladder", _ladder),
    "on_timeout": ("on_timeout", _choice("reject", "auto_approve", what="end of a timeout")),
    "alert": ("alert", lambda reading, node: reading.flag(node)),
    "blocks": ("blocks", lambda reading, node: reading.flag(node)),
    "pool": ("pool", lambda reading, node: reading.people(node)),
    "self_approval": ("self_approval", lambda reading, node: reading.flag(node)),
    "former_assignees": ("former_assignees", lambda reading, node: reading.flag(node)),
    "reason_codes": ("reason_codes", _codes),
    "loop_limit": ("loop_limit", lambda reading, node: reading.count(node, least=1, most=1_000)),
    "escalation_shows": ("escalation_shows", _choice("link", "content", what="way to show it")),
}
"""What the file may say of a tier: its word there, the field it sets, and how it is read."""

GATE_KEYS: Mapping[str, tuple[str, Read]] = {
    **TIER_KEYS,
    "autonomy": ("autonomy", _choice("ask", "auto", what="autonomy")),
    "limit": ("limit", _limit),
    "reason": ("limit_reason", lambda reading, node: reading.text(node)),
    "risk_score": ("risk_score", _score),
}
"""What the file may say of a gate, besides its tier."""


def _pager(reading: Reading, node: Node, hosts: Iterable[str]) -> str:
    text = reading.text(node)
    if text is None:
        return ""
    try:
        url = urlsplit(text)
        host, _ = url.hostname or "", url.port
    except ValueError:
        reading.refuse(node, "the pager's address is no URL.", f"It looks like https://{SLACK_HOOKS}/services/….")
        return ""
    # A page leaves without anybody looking at it, so it goes only to hosts that the operators allow.
    is_safe = url.scheme == "https" or (url.scheme == "http" and is_loopback(host))
    if not is_safe or not host or "@" in url.netloc:
        reading.refuse(node, "the pager's address is no https URL.", f"It looks like https://{SLACK_HOOKS}/services/….")
        return ""
    if host not in hosts:
        reading.refuse(node, f"nothing may be sent to {host!r}.", "Add the host to WEBHOOK_ALLOW_HOSTS.")
        return ""
    return text


def _channels(reading: Reading, node: Node, flows: Collection[str] | None) -> dict[str, ChannelSettings]:
    said: dict[str, ChannelSettings] = {}
    for row in reading.rows(node, "channels"):
        who: Who | None = reading.person(row.key)
        if who is not None and who.kind != "channel":
            reading.refuse(row.key, f"{who.name!r} is no channel.", 'Write "#channel", or an id such as C0123ABC.')
        rows = reading.table(row.value, ("language", "flow"), f"the channel {row.key.text!r}")
        language: Language | None = None
        if "language" in rows and (word := reading.choice(rows["language"].value, LANGUAGES, "language")):
            language = next(known for known in LANGUAGES if known == word)
        flow: str | None = None
        if "flow" in rows:
            node_ = rows["flow"].value
            flow = reading.text(node_) if flows is None else reading.choice(node_, sorted(flows), "flow")
        said[row.key.text] = ChannelSettings(language=language, flow=flow)
    return said
