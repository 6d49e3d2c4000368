"""Setting, turning and clearing faults from the control API."""

import re
from typing import Final

from bot.sandbox.control_input import ControlError, choice_in, count_in, flag_in, seconds_in, text_in
from bot.sandbox.faults import (
    ANY_METHOD,
    DELIVERY_FAULTS,
    METHOD_FAULTS,
    SWITCHES,
    DeliveryFault,
    MethodFault,
    clear_faults,
    listed_faults,
)
from bot.sandbox.methods import METHODS
from bot.sandbox.vocabulary import Payload
from bot.sandbox.world import World

_ERROR_CODE: Final = re.compile(r"(?!http_)[a-z][a-z0-9_]+")


def change_faults(world: World, body: Payload) -> Payload:
    """All that is set, after this change; an empty body changes nothing.

    Raises ControlError for an unknown method, fault, delivery or switch.
    """
    if flag_in(body, "clear", default=False):
        clear_faults(world.faults)
    elif "switch" in body:
        _turn(world, body)
    elif "delivery" in body:
        _set_delivery_fault(world, body)
    elif body:
        _set_method_fault(world, body)
    return listed_faults(world.faults)


def _turn(world: World, body: Payload) -> None:
    switch = choice_in(body, "switch", SWITCHES)
    if flag_in(body, "on"):
        world.faults.switches.add(switch)
    else:
        world.faults.switches.discard(switch)


def _set_delivery_fault(world: World, body: Payload) -> None:
    delivery, times = choice_in(body, "delivery", DELIVERY_FAULTS), count_in(body, "times", 1)
    if delivery == "disconnect":
        # A disconnect frame needs no delivery to ride on: it is sent now.
        world.delivery.ask_to_reconnect()
        return
    only = None if body.get("only") is None else text_in(body, "only")
    fault = DeliveryFault(delivery=delivery, times=times, seconds=seconds_in(body, "seconds", 1.0), only=only)
    world.faults.deliveries.append(fault)


def _set_method_fault(world: World, body: Payload) -> None:
    method = choice_in(body, "method", (*METHODS, ANY_METHOD))
    fault = text_in(body, "fault")
    if fault not in METHOD_FAULTS and not _ERROR_CODE.fullmatch(fault):
        raise ControlError(field="fault", expected="a known fault or an error code of Slack's", known=METHOD_FAULTS)
    world.faults.methods.append(
        MethodFault(
            method=method,
            fault=fault,
            times=count_in(body, "times", 1),
            retry_after=count_in(body, "retry_after", 1),
        )
    )
