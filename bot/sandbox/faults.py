"""What goes wrong on purpose: the faults that are set, and which one the next call or delivery meets.

Pure. A fault is set `times` times and is spent by what it hits; a switch stays until it is turned.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from bot.sandbox.vocabulary import Payload

METHOD_FAULTS: Final = (
    "http_500",
    "http_500_after_write",
    "http_503",
    "ratelimited",
    "timeout",
    "timeout_after_write",
)
"""What may befall a Web API call, besides any error code of Slack's."""

DELIVERY_FAULTS: Final = ("duplicate", "drop_ack", "delay_ack", "swap_twins", "disconnect", "close_socket")
"""What may befall a delivery over Socket Mode."""

SWITCHES: Final = ("edit_window_closed", "rate_limits", "plan_upgrade_required")
"""What is on or off."""

ANY_METHOD: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFault:
    """The next `times` calls of the method (or of any, with "*") end like this."""

    method: str
    fault: str
    times: int
    retry_after: int = 1

    def listed(self) -> Payload:
        """The fault as the control API shows it."""
        shown = {"method": self.method, "fault": self.fault, "times": self.times}
        return {**shown, "retry_after": self.retry_after} if self.fault == "ratelimited" else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFault:
    """The next `times` deliveries go wrong like this; `only` narrows it to one type of event or payload."""

    delivery: str
    times: int
    seconds: float = 0.0
    only: str | None = None

    def listed(self) -> Payload:
        """The fault as the control API shows it."""
        shown: Payload = {"delivery": self.delivery, "times": self.times}
        if self.delivery == "delay_ack":
            shown["seconds"] = self.seconds
        return shown if self.only is None else {**shown, "only": self.only}


@dataclass(slots=True, kw_only=True)
class Faults:
    """What is set now."""

    methods: list[MethodFault] = field(default_factory=list[MethodFault])
    deliveries: list[DeliveryFault] = field(default_factory=list[DeliveryFault])
    switches: set[str] = field(default_factory=set[str])


def take_method_fault(faults: Faults, method: str) -> MethodFault | None:
    """The fault this call meets, spent by it; None when it goes well."""
    for place, fault in enumerate(faults.methods):
        if fault.method in (method, ANY_METHOD):
            if fault.times > 1:
                faults.methods[place] = replace(fault, times=fault.times - 1)
            else:
                del faults.methods[place]
            return fault
    return None


def take_delivery_fault(faults: Faults, delivery: str, kind: str) -> DeliveryFault | None:
    """The fault of this sort that a delivery of this type meets, spent by it; None when it goes well."""
    for place, fault in enumerate(faults.deliveries):
        if fault.delivery == delivery and fault.only in (None, kind):
            if fault.times > 1:
                faults.deliveries[place] = replace(fault, times=fault.times - 1)
            else:
                del faults.deliveries[place]
            return fault
    return None


def clear_faults(faults: Faults) -> None:
    """Let everything go well again."""
    faults.methods.clear()
    faults.deliveries.clear()
    faults.switches.clear()


def listed_faults(faults: Faults) -> Payload:
    """All that is set, as the control API shows it."""
    return {
        "methods": [one.listed() for one in faults.methods],
        "deliveries": [one.listed() for one in faults.deliveries],
        "switches": {name: name in faults.switches for name in SWITCHES},
    }
