"""Getting payloads to the bot over Socket Mode: envelopes, acks, the three seconds, and second tries.

Events are tried again until they are acknowledged or three retries are spent, and wait while no bot is connected.
Clicks, submits and commands are tried once: the caller is told whether they were acknowledged in time.
Source: Slack's reference, "Using Socket Mode" (acknowledging, disconnect) and "The Events API" (retries).
"""

import asyncio
import json
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from bot.sandbox.clock import Clock, Timer
from bot.sandbox.faults import Faults, take_delivery_fault
from bot.sandbox.journal import Journal
from bot.sandbox.vocabulary import Payload, as_object

ACK_SECONDS: Final = 3.0
RETRY_AFTER: Final = (0.0, 60.0, 300.0)
"""Seconds before the first, second and third retry of an event."""
CONNECTION_LIMIT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the bot made of a click, submit or command: whether it acknowledged in time, and with which payload."""

    acked: bool
    payload: Payload | None = None


@dataclass(slots=True, eq=False)
class Connection:
    """One Socket Mode connection: what is to be written to it. None in the outbox means: cut it now."""

    outbox: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue[str | None])
    is_leaving: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    payload: Payload
    attempt: int = 0
    reason: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class _Envelope:
    n: int
    kind: str
    timer: Timer
    event: _Event | None = None
    answer: asyncio.Future[Answer] | None = None
    drops_ack: bool = False
    ack_delay: float = 0.0


class Delivery:
    """The way to the bot. `on_change` is told when the bot comes or goes, `on_record` when a delivery changes."""

    def __init__(
        self,
        *,
        clock: Clock,
        faults: Faults,
        journal: Journal,
        app_id: str,
        on_record: Callable[[Payload], None],
        on_change: Callable[[], None],
    ) -> None:
        self._clock, self._faults, self._journal, self._app_id = clock, faults, journal, app_id
        self._on_record, self._on_change = on_record, on_change
        self._connections: deque[Connection] = deque()
        self._waiting: deque[_Event] = deque()
        self._pending: dict[str, _Envelope] = {}
        self._later: set[Timer] = set()
        self.last_event_at: float | None = None
        self.ever_connected = False

    @property
    def is_connected(self) -> bool:
        """Whether a frame could be sent now."""
        return any(not one.is_leaving for one in self._connections)

    @property
    def connection_count(self) -> int:
        """How many sockets are open."""
        return len(self._connections)

    def connect(self) -> Connection:
        """A new connection: greeted, and given what waited for one."""
        connection = Connection()
        self._connections.append(connection)
        self.ever_connected = True
        connection.outbox.put_nowait(json.dumps(self._hello()))
        self._on_change()
        self._flush()
        return connection

    def disconnected(self, connection: Connection) -> None:
        """The connection is gone. What was sent over it keeps its three seconds: an ack may come over another one."""
        if connection in self._connections:
            self._connections.remove(connection)
            self._on_change()

    def ask_to_reconnect(self, reason: str = "refresh_requested") -> None:
        """Send a disconnect frame over every connection; none of them gets a payload any more."""
        for connection in self._connections:
            connection.is_leaving = True
            frame = {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}
            connection.outbox.put_nowait(json.dumps(frame))
        self._on_change()

    def send_events(self, *payloads: Payload) -> None:
        """Deliver events, now or when a bot is connected; twins are given together so that a fault can swap them."""
        in_order = list(payloads)
        if len(in_order) > 1 and take_delivery_fault(self._faults, "swap_twins", "twins"):
            in_order.reverse()
        self._waiting.extend(_Event(payload=payload) for payload in in_order)
        self._flush()

    async def ask(self, kind: str, payload: Payload, *, accepts_response_payload: bool) -> Answer:
        """Deliver a click, submit or command once; the answer comes with the ack, or after three seconds without."""
        if not self.is_connected:
            self._record(kind, payload, attempt=0, acked=False)
            return Answer(acked=False)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._send(kind, payload, answer=answer, accepts_response_payload=accepts_response_payload)
        return await answer

    def acknowledge(self, envelope_id: str, payload: object) -> None:
        """The bot has acknowledged an envelope; late or unknown acks change nothing."""
        envelope = self._pending.get(envelope_id)
        if envelope is None or envelope.drops_ack:
            return
        if envelope.ack_delay:
            delay, envelope.ack_delay = envelope.ack_delay, 0.0
            self._wake(delay, lambda: self.acknowledge(envelope_id, payload))
            return
        del self._pending[envelope_id]
        envelope.timer.cancel()
        self.last_event_at = self._clock.now()
        self._amend(envelope.n, acked=True)
        if envelope.answer is not None and not envelope.answer.done():
            envelope.answer.set_result(Answer(acked=True, payload=as_object(payload)))

    def forget(self) -> None:
        """Drop all that is on its way: nothing is tried again, whoever waits is told that nothing was acknowledged."""
        for timer in self._later:
            timer.cancel()
        self._later.clear()
        self._waiting.clear()
        for envelope in self._pending.values():
            envelope.timer.cancel()
            if envelope.answer is not None and not envelope.answer.done():
                envelope.answer.set_result(Answer(acked=False))
        self._pending.clear()

    def close(self) -> None:
        """Cut every connection and drop all that is on its way."""
        self.forget()
        for connection in self._connections:
            connection.is_leaving = True
            connection.outbox.put_nowait(None)

    def _flush(self) -> None:
        while self._waiting and self.is_connected:
            event = self._waiting.popleft()
            self._send("events_api", event.payload, event=event)
            kind = payload_kind(event.payload)
            if event.attempt == 0 and self.is_connected and take_delivery_fault(self._faults, "duplicate", kind):
                # The copy is Slack's own slip: the same event_id in an envelope of its own, never tried again.
                self._send("events_api", event.payload)

    def _send(
        self,
        kind: str,
        payload: Payload,
        *,
        event: _Event | None = None,
        answer: "asyncio.Future[Answer] | None" = None,
        accepts_response_payload: bool = False,
    ) -> None:
        envelope_id = str(uuid.uuid4())
        frame: Payload = {
            "envelope_id": envelope_id,
            "payload": payload,
            "type": kind,
            "accepts_response_payload": accepts_response_payload,
        }
        if kind == "events_api":
            frame |= {
                "retry_attempt": event.attempt if event is not None else 0,
                "retry_reason": event.reason if event is not None else "",
            }
        record = self._record(kind, payload, attempt=event.attempt if event is not None else 0, acked=None)
        which = payload_kind(payload)
        delay = take_delivery_fault(self._faults, "delay_ack", which)
        self._pending[envelope_id] = _Envelope(
            n=record["n"],
            kind=kind,
            timer=self._clock.call_later(ACK_SECONDS, lambda: self._unacknowledged(envelope_id)),
            event=event,
            answer=answer,
            drops_ack=take_delivery_fault(self._faults, "drop_ack", which) is not None,
            ack_delay=0.0 if delay is None else delay.seconds,
        )
        connection = self._next_connection()
        connection.outbox.put_nowait(json.dumps(frame))
        if take_delivery_fault(self._faults, "close_socket", which):
            connection.is_leaving = True
            connection.outbox.put_nowait(None)
            self._on_change()

    def _next_connection(self) -> Connection:
        # Each frame goes to exactly one connection; taking turns shows a bot that counts on having only one.
        while self._connections[0].is_leaving:
            self._connections.rotate(-1)
        chosen = self._connections[0]
        self._connections.rotate(-1)
        return chosen

    def _unacknowledged(self, envelope_id: str) -> None:
        envelope = self._pending.pop(envelope_id, None)
        if envelope is None:
            return
        self._amend(envelope.n, acked=False)
        if envelope.answer is not None and not envelope.answer.done():
            envelope.answer.set_result(Answer(acked=False))
        event = envelope.event
        if event is not None and event.attempt < len(RETRY_AFTER):
            again = _Event(payload=event.payload, attempt=event.attempt + 1, reason="timeout")
            self._wake(RETRY_AFTER[event.attempt], lambda: self._try_again(again))

    def _try_again(self, event: _Event) -> None:
        self._waiting.append(event)
        self._flush()

    def _wake(self, seconds: float, action: Callable[[], None]) -> None:
        def act() -> None:
            self._later.discard(timer)
            action()

        timer = self._clock.call_later(seconds, act)
        self._later.add(timer)

    def _record(self, kind: str, payload: Payload, *, attempt: int, acked: bool | None) -> Payload:
        entry = {"kind": kind, "type": payload_kind(payload), "attempt": attempt, "acked": acked, "payload": payload}
        record = self._journal.add(entry)
        self._on_record(record)
        return record

    def _amend(self, n: int, *, acked: bool) -> None:
        record = self._journal.amend(n, acked=acked)
        if record is not None:
            self._on_record(record)

    def _hello(self) -> Payload:
        return {
            "type": "hello",
            "num_connections": len(self._connections),
            "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._app_id},
        }


def payload_kind(payload: Payload) -> str:
    """What a payload is about: the event's type, the interaction's type, or the command."""
    event = as_object(payload.get("event"))
    return str(event["type"] if event is not None else payload.get("type") or payload.get("command", ""))
