"""Run untrusted programs: the protocol and the outcome of one call.

Implementations are in `pool` (the judge's side) and `worker` (what runs inside).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from consilience.task import Probe, Target
from consilience.values import Value

Status = Literal[
    "ok",
    "raised",
    "timeout",
    "memory",
    "exit",
    "crash",
    "too_large",
    "tampered",
    "skipped",
    "protocol",
    "load_raised",
    "load_timeout",
    "load_crash",
    "load_memory",
    "no_entry_point",
    "context",
    "infrastructure",
]
Level = Literal["strict", "container", "none"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use."""

    cpu_seconds: float = 2.0
    """CPU time a call."""
    wall_seconds: float = 20.0
    """Wall time a call: only to stop sleepers, so far larger than the CPU time."""
    memory_mb: int = 512
    total_seconds: float = 120.0
    """Wall time of all calls of one program together."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call of one program did."""

    status: Status
    value: Value | None = None
    """What was returned; where that is None, the arguments if the call changed them."""
    error: str | None = None
    """Name of the nearest builtin exception class, where one was raised."""
    message: str = ""
    micros: int = 0
    mutated: bool = False
    """The call changed its arguments."""

    @property
    def ok(self) -> bool:
        """Tell whether a value came back."""
        return self.status == "ok"


class Sandbox(Protocol):
    """Anything that runs programs and tells what each call did."""

    @property
    def level(self) -> Level:
        """The isolation that was proved."""
        ...

    def run(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        """Drive *target* of each program by each input; a text names a function.

        Returns one row a program, one outcome an input, in the order given. Arguments are
        passed as fresh copies. A program's failure is an outcome; a fault of the sandbox itself
        is a `SandboxError` or an outcome of status `infrastructure`, never a wrong answer.
        """
        ...

    def close(self) -> None:
        """End every process that this sandbox started."""
        ...
