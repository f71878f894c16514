"""What goes to a child and what comes back: the job's bytes, the reader of its lines."""

from __future__ import annotations

import json
import marshal
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from consilience.code.parsing import is_expression
from consilience.errors import UsageError
from consilience.sandbox import Limits, Outcome, Status
from consilience.task import Probe, Session, Stdin, Target
from consilience.values import Value

MARSHAL_VERSION = 2  # no back references, the same bytes for the same data in every Python
MEGABYTE = 1 << 20
MAX_LINE = MEGABYTE + 4096
MAX_TOTAL = 64 * MEGABYTE
MAX_MICROS_DIGITS = 12
PATIENCE = 3
"""Calls on which a program may run out of time: what never ends costs nearly everything, and a
program that was late three times is late on most others. The rest is then left out."""
PLAIN_DATA = "Arguments may be numbers, text, bytes, None, lists, tuples, sets and dicts."
STATUSES = frozenset(status.encode() for status in get_args(Status))
LOAD_FAILURES: dict[str, Status] = {
    "raised": "load_raised",
    "exit": "load_raised",
    "timeout": "load_timeout",
    "memory": "load_memory",
    "too_large": "load_memory",
    "tampered": "load_crash",
    "no_entry_point": "no_entry_point",
    "context": "context",
}


def pack_inputs(inputs: Sequence[Probe]) -> list[bytes]:
    """Return each probe as bytes that a child can turn into fresh copies.

    A tuple stays one; a session is a list of its lines, each with how it is compiled; what a
    script reads is text. Raises UsageError where an argument is not plain data.
    """
    packed = []
    for place, probe in enumerate(inputs):
        try:
            packed.append(marshal.dumps(_plain(probe), MARSHAL_VERSION))
        except ValueError as error:
            message = f"Input {place} is not plain data: {error}."
            raise UsageError(message, hint=PLAIN_DATA) from error
    return packed


def _plain(probe: Probe) -> Any:
    if isinstance(probe, Session):
        return [(_mode(step), step) for step in probe.steps]
    return probe.text if isinstance(probe, Stdin) else tuple(probe)


def _mode(step: str) -> str:
    """Tell how a line is compiled: what is no expression shows no value."""
    return "eval" if is_expression(step) else "exec"


@dataclass(frozen=True, slots=True)
class Job:
    """One program and the stretch of inputs that one child is to call it on."""

    code: str
    target: Target
    inputs: Sequence[bytes]
    start: int
    stop: int
    limits: Limits
    at_once: bool = False
    """Send each line as soon as it is known, so that the blame for a death is exact."""
    seed: int = 0
    late: int = 0
    """Calls that ran out of time before this stretch."""
    script: bool = False
    """The inputs are texts for standard input, each for a process of its own."""

    def only(self, places: Sequence[int]) -> Job:
        """Return the job for some of the inputs."""
        return replace(self, inputs=[self.inputs[place] for place in places], stop=len(places))

    def pack(self) -> bytes:
        """Return the job as the child reads it."""
        limits, calls = self.limits, self.stop - self.start
        seconds = (limits.cpu_seconds + 1.0) * (calls + 1)
        fields = {
            "task": "stdin" if self.script else "execute",
            "code": self.code,
            "entry": self.target.entry_point,
            "context": self.target.context,
            "raises": list(self.target.raises),
            "prints": self.target.prints,
            "patience": PATIENCE - self.late,
            "inputs": [] if self.script else list(self.inputs),
            "start": self.start,
            "stop": self.stop,
            "at_once": self.at_once,
            "seed": self.seed,
            "cpu": limits.cpu_seconds,
            "wall": limits.wall_seconds,
            "memory": limits.memory_mb * MEGABYTE,
            "cpu_total": math.ceil(min(seconds, limits.total_seconds)) + 2,
        }
        return frame(fields)


def frame(fields: dict[str, Any]) -> bytes:
    """Return *fields* as one message to a child: eight digits of length, then the bytes."""
    body = marshal.dumps(fields, MARSHAL_VERSION)
    return b"%08x" % len(body) + body


@dataclass(slots=True)
class Transcript:
    """What a child has said so far, taken apart line by line.

    Nothing is believed but its form: the next index, a known status, digits, a flag, and a
    payload that `Value` accepts. The first line that is otherwise is a fault, and nothing after
    it is read.
    """

    position: int
    stop: int
    raises: tuple[str, ...] = ()
    """Exceptions that are an answer."""
    outcomes: list[Outcome] = field(default_factory=list)
    loaded: bool = False
    load_failure: Outcome | None = None
    closed: bool = False
    printed: int = 0
    """Characters that the program printed."""
    fault: Status | None = None
    _rest: bytes = b""
    _total: int = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._total += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self.fault is None:
                self._line(line)
        if len(self._rest) > MAX_LINE or self._total > MAX_TOTAL:
            self.fault, self._rest = "too_large", b""

    def _line(self, line: bytes) -> None:
        parts = line.split(b"\t", 4)
        try:
            if parts[0] == b"L":
                self._load(parts)
            elif parts[0] == b"D":
                self.printed = _digits(parts[1])
                self.closed = True
            else:
                self._call(parts)
        except (ValueError, IndexError, RecursionError):
            self.fault = "protocol"

    def _load(self, parts: list[bytes]) -> None:
        if self.loaded or self.load_failure:
            raise ValueError("loaded twice")
        status = parts[1].decode("ascii")
        if status == "ok":
            self.loaded = True
            return
        error, message = _error(parts[3])
        self.load_failure = Outcome(LOAD_FAILURES[status], error=error, message=message)

    def _call(self, parts: list[bytes]) -> None:
        index, status, micros, mutated, payload = parts
        wrong = (
            status not in STATUSES or mutated not in {b"0", b"1"} or self.position >= self.stop
        )
        if wrong or index != b"%d" % self.position:
            raise ValueError("not the expected line")
        outcome = _outcome(status, _digits(micros), mutated == b"1", payload)
        if outcome.status == "raised" and outcome.error in self.raises:
            outcome = replace(outcome, status="ok", value=Value.raised(outcome.error))
        self.outcomes.append(outcome)
        self.position += 1


def _outcome(status: bytes, micros: int, mutated: bool, payload: bytes) -> Outcome:
    name: Status = status.decode("ascii")  # type: ignore[assignment]
    if name == "ok":
        value = Value.from_wire(payload.decode("ascii"))
        if value.in_words or value.raised_class:
            raise ValueError("not for a program to say")
        return Outcome("ok", value=value, micros=micros, mutated=mutated)
    error, message = _error(payload)
    return Outcome(name, error=error, message=message, micros=micros, mutated=mutated)


def _error(payload: bytes) -> tuple[str | None, str]:
    if payload == b"-":
        return None, ""
    name, message = json.loads(payload)
    if not (isinstance(name, str) and name.isidentifier() and isinstance(message, str)):
        raise ValueError("not a class and a message")
    return name[:100], message[:200]


def _digits(text: bytes) -> int:
    if not text.isdigit() or len(text) > MAX_MICROS_DIGITS:
        raise ValueError("not a count")
    return int(text)
