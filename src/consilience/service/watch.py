"""Follow a piece of work: how far it is, and whether anyone still wants it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from consilience.backends.local import Threads
from consilience.code import normalise
from consilience.sandbox import Level, Limits, Outcome, Sandbox
from consilience.task import Probe, Target

CORES = os.cpu_count() or 1
"""Programs that run at once."""


class Step(TypedDict):
    """How far one stage is."""

    stage: str
    done: int
    total: int


class StoppedError(Exception):
    """The work was called off; what was paid for is stored."""


class Watch:
    """Shared by the thread that works and those that ask how far it is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stages: dict[str, Step] = {}
        self._stopped = threading.Event()

    def stage(self, task_id: str, stage: str, done: int, total: int) -> None:
        """Note how far a stage is: the `progress` of a `Judge`.

        Raises:
            StoppedError: the work was called off.
        """
        with self._lock:
            self._stages[stage] = Step(stage=stage, done=done, total=total)
        self.check()

    def steps(self) -> list[Step]:
        """List the stages in the order in which they began."""
        with self._lock:
            return list(self._stages.values())

    def stop(self) -> None:
        """Call the work off: it ends at its next step."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Tell whether the work was called off."""
        return self._stopped.is_set()

    def check(self) -> None:
        """Go on, or raise StoppedError where the work was called off."""
        if self.stopped:
            raise StoppedError


@dataclass(frozen=True, slots=True)
class WatchedSandbox:
    """A sandbox that many share: program by program, so that work can be called off."""

    sandbox: Sandbox
    watch: Watch
    turns: threading.Semaphore
    """How many programs run at once, of all work together: one worker each is kept warm."""

    @property
    def level(self) -> Level:
        """The isolation that was proved."""
        return self.sandbox.level

    def run(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        """Do as the sandbox itself; programs that are equal but for layout are run once."""

        def one(source: str) -> list[Outcome]:
            with self.turns:
                self.watch.check()
                [outcomes] = self.sandbox.run([source], target, inputs, limits)
            return outcomes

        keys = [normalise(program) for program in programs]
        distinct = dict(zip(keys, programs, strict=True))
        rows = dict(zip(distinct, Threads(CORES).map(one, distinct.values()), strict=True))
        self.watch.check()
        return [rows[key] for key in keys]

    def close(self) -> None:
        """Do nothing: the sandbox is not this work's own."""
