"""The judge between a check script and a candidate: it carries calls and answers, in turn.

Each side is read by a thread of its own, and the two meet here. Neither is believed: a call out
of turn, an answer to no call, a value outside the wire's grammar end the check. Every wait has
an end, so two hostile sides can waste no more than the time of one check.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal

from consilience.sandbox import Limits, Outcome, Status
from consilience.sandbox.job import frame
from consilience.sandbox.process import GRACE_SECONDS, send
from consilience.values import Value, wire

CheckStatus = Literal["passed", "failed", "refused", "broken", "infrastructure"]
MOST_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a check ended, and why."""

    status: CheckStatus
    reason: str


class Line:
    """The judge's end of the socket to one child."""

    def __init__(self, end: float) -> None:
        self._end = end
        self._socket: socket.socket | None = None
        self._over = False

    def open(self, ours: socket.socket) -> None:
        """Take the socket over; the child reads its job first."""
        self._socket = ours
        if self._over:
            self.hang_up()

    def send(self, fields: dict[str, Any]) -> None:
        """Send one message; a child that is gone or never reads is told by its ending."""
        if self._socket:
            send(self._socket, frame(fields), self._end)

    def hang_up(self) -> None:
        """Say that nothing more will come."""
        self._over = True
        with contextlib.suppress(OSError):
            if self._socket:
                self._socket.shutdown(socket.SHUT_WR)


@dataclass(slots=True)
class Hub:
    """The state that both threads share."""

    limits: Limits
    end: float
    calls: int = 0
    verdict: Verdict | None = None
    """Why the check was over before the script could end; None where it was not."""
    ended: float | None = None
    """When either side was told that nothing more will come."""
    script: Line = field(init=False)
    candidate: Line = field(init=False)
    _loaded: bool = False
    _gone: Outcome | None = None
    """Why the candidate can answer no call; that matters only where one comes."""
    _pending: str | None = None
    _since: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.script, self.candidate = Line(self.end), Line(self.end)
        self._since = time.monotonic()

    def call(self, payload: str) -> None:
        """Carry a call of the script to the candidate; raise ValueError where it is none."""
        value = Value.from_wire(payload)
        shape = wire.load(value.payload)
        if not (isinstance(shape, list) and _is_call(shape)):
            raise ValueError("not arguments")
        with self._lock:
            if self._pending is not None:
                raise ValueError("a call before the last one was answered")
            self.calls += 1
            self._pending, self._since = value.payload, time.monotonic()
            ready = self._loaded
        why = _foreign(shape) if self.calls <= MOST_CALLS else "there are too many calls"
        if why:
            self.stop("refused", f"call {self.calls}: in its arguments, {why}")
        elif self._gone:
            self.failed(self._gone)
        elif ready:
            self.candidate.send({"call": value.payload})

    def loaded(self) -> None:
        """Note that the candidate is ready, and send it the call that waits."""
        with self._lock:
            self._loaded, waiting = True, self._pending
            self._since = time.monotonic() if waiting is not None else None
        if waiting is not None and not self.verdict:
            self.candidate.send({"call": waiting})

    def answer(self, outcome: Outcome) -> None:
        """Carry what a call did back to the script; raise ValueError where none waits."""
        with self._lock:
            if self._pending is None or not self._loaded:
                raise ValueError("an answer to no call")
            self._pending = self._since = None
        if outcome.ok and outcome.value is not None:
            self._give(outcome.value)
        elif outcome.status in {"raised", "exit"} and outcome.error:
            self.script.send({"error": outcome.error, "message": outcome.message})
        else:
            self.failed(outcome)

    def _give(self, value: Value) -> None:
        shape = wire.load(value.payload)
        if not (isinstance(shape, list) and _is_answer(shape)):
            raise ValueError("not an answer")
        why = _foreign(shape)
        if why:
            self.stop("refused", f"call {self.calls}: in what it returned, {why}")
        else:
            self.script.send({"value": value.payload})

    def unanswered(self) -> bool:
        """Tell whether a call waits for its answer."""
        return self._pending is not None

    def lost(self, outcome: Outcome) -> None:
        """Note that the candidate can answer no more."""
        with self._lock:
            self._gone = self._gone or outcome
            waiting = self._pending is not None
        if waiting:
            self.failed(self._gone)

    def failed(self, outcome: Outcome) -> None:
        """End the check, since the candidate cannot go on."""
        words = _FAILURES.get(outcome.status, f"ended badly ({outcome.status})")
        words += f" in call {self.calls}" if self._loaded else ""
        told = f"{outcome.error}: {outcome.message}" if outcome.error else outcome.message
        status: CheckStatus = "refused" if outcome.status == "too_large" else "failed"
        self.stop(status, f"the candidate {words}" + (f" ({told})" if told else ""))

    def stop(self, status: CheckStatus, reason: str) -> None:
        """End the check; the first reason stays."""
        with self._lock:
            self.verdict = self.verdict or Verdict(status, reason)
        self.close()

    def close(self) -> None:
        """Let both sides end."""
        self.ended = self.ended or time.monotonic()
        self.script.hang_up()
        self.candidate.hang_up()

    def overdue(self) -> bool:
        """Tell whether the candidate has owed something for too long: an answer, or its end."""
        now = time.monotonic()
        if self.ended is not None:
            return now - self.ended > GRACE_SECONDS
        late = self.limits.wall_seconds + GRACE_SECONDS
        return self._since is not None and now - self._since > late


def _is_call(shape: list[Any]) -> bool:
    """Tell whether this is a tuple of a tuple and a dict whose keys are names."""
    return len(shape) == 3 and shape[0] == "t" and _is_arguments(shape)


def _is_arguments(shape: list[Any]) -> bool:
    places, names = shape[1], shape[2]
    lists = isinstance(places, list) and isinstance(names, list)
    return (
        lists
        and places[0] == "t"
        and names[0] == "d"
        and all(isinstance(key, str) for key, _ in names[1:])
    )


def _is_answer(shape: list[Any]) -> bool:
    if len(shape) != 4 or shape[0] != "t" or type(shape[2]) is not int:
        return False
    after = shape[3]
    return after is None or (isinstance(after, list) and _is_call(after))


def _foreign(shape: list[Any]) -> str:
    """Say what in a value cannot cross, since only its own program understands it."""
    pending: list[Any] = [shape]
    while pending:
        node = pending.pop()
        if not isinstance(node, list):
            continue
        if node[0] in _FOREIGN or (node[0] == "S" and node[3]):
            return f"{_name(node)} cannot cross between two processes"
        pending += wire.children(node)
    return ""


def _name(node: list[Any]) -> str:
    if node[0] == "@":
        return "a structure that contains itself"
    if node[0] == "H":
        return f"{node[2]} of {node[3]:,} characters"
    return f"an object of class {node[2]}" if node[0] in {"o", "S"} else f"the {node[1]}"


_FOREIGN = frozenset({"o", "F", "@", "H", "!"})
_FAILURES: dict[Status, str] = {
    "timeout": "ran out of time",
    "load_timeout": "ran out of time while loading",
    "memory": "ran out of memory",
    "load_memory": "ran out of memory while loading",
    "too_large": "returned more than can cross",
    "exit": "ended its process",
    "crash": "crashed",
    "load_crash": "crashed while loading",
    "load_raised": "raised an exception while loading",
    "no_entry_point": "does not define the function",
    "protocol": "broke the protocol",
}
