"""The judge's side: workers in parallel, each program once, every call an outcome."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from consilience.errors import SandboxError
from consilience.sandbox import Level, Limits, Outcome, Status
from consilience.sandbox.inside.confinement import LAYERS
from consilience.sandbox.isolation import start_strict
from consilience.sandbox.job import Job, Transcript, pack_inputs
from consilience.sandbox.process import (
    Ending,
    HarnessError,
    Setup,
    WorkerDiedError,
    WorkerProcess,
)

RECYCLE = 2000


@dataclass(frozen=True, slots=True)
class Execution:
    """Everything that running one program told."""

    outcomes: tuple[Outcome, ...]
    printed: int = 0
    """Characters that the program printed, where it lived to tell."""
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    """Bytes, of the largest of its processes."""
    deaths: int = 0
    """How many of its processes died or were killed in a call."""


class ForkServer:
    """Runs untrusted programs in confined workers that fork a child a program."""

    def __init__(
        self,
        *,
        workers: int | None = None,
        level: Level = "strict",
        without: Sequence[str] = (),
        normalise: Callable[[str], str] = str,
    ) -> None:
        self._level: Level = level
        layers = tuple(layer for layer in LAYERS if layer not in without)
        self._setup = Setup(layers if level == "strict" else ("rlimits",))
        self._normalise = normalise
        self._count = workers or os.cpu_count() or 1
        self._idle: list[WorkerProcess] = []
        self._lock = threading.Lock()
        self._closed = False
        self._release(self._start())

    @property
    def level(self) -> Level:
        """The isolation that was proved."""
        return self._level

    def run(
        self,
        programs: Sequence[str],
        entry_point: str,
        inputs: Sequence[tuple[Any, ...]],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        """Call *entry_point* of each program on each input: a row a program."""
        executions = self.execute(programs, entry_point, inputs, limits)
        return [list(execution.outcomes) for execution in executions]

    def execute(
        self,
        programs: Sequence[str],
        entry_point: str,
        inputs: Sequence[tuple[Any, ...]],
        limits: Limits | None = None,
    ) -> list[Execution]:
        """Like `run`, with what each program used and printed.

        Programs that are equal after normalisation are run once and share their execution.
        """
        packed = pack_inputs(inputs)
        keys = [self._normalise(program) for program in programs]
        unique = dict(zip(reversed(keys), reversed(programs), strict=True))
        job = Job("", entry_point, packed, 0, len(packed), limits or Limits())
        jobs = {key: replace(job, code=program) for key, program in unique.items()}
        done = self._spread(jobs)
        return [done[key] for key in keys]

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _spread(self, jobs: dict[str, Job]) -> dict[str, Execution]:
        """Run the jobs on as many workers as there are, each taking the next that is left."""
        done: dict[str, Execution] = {}
        failures: list[BaseException] = []
        queue = _Shared(iter(jobs.items()))

        def drain() -> None:
            try:
                for key, job in queue:
                    done[key] = self._execute(job)
            except BaseException as error:  # handed to the caller's thread below
                failures.append(error)

        count = min(self._count, len(jobs))
        threads = [threading.Thread(target=drain, daemon=True) for _ in range(count - 1)]
        for thread in threads:
            thread.start()
        drain()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return done

    def _execute(self, job: Job) -> Execution:
        reason = ""
        for _ in range(2):
            worker = self._acquire()
            try:
                execution = _Run(job).on(worker)
            except (WorkerDiedError, HarnessError) as error:
                worker.close()
                reason = str(error)
            except BaseException:
                worker.close()
                raise
            else:
                self._release(worker)
                return execution
        lost = Outcome("infrastructure", message=f"twice: {reason}"[:200])
        return Execution((lost,) * len(job.inputs))

    def _acquire(self) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise SandboxError("This sandbox is closed.")
            if self._idle:
                return self._idle.pop()
        return self._start()

    def _release(self, worker: WorkerProcess) -> None:
        with self._lock:
            if not self._closed and worker.jobs < RECYCLE:
                self._idle.append(worker)
                return
        worker.close()

    def _start(self) -> WorkerProcess:
        if self._level == "none":
            return WorkerProcess(self._setup)
        worker, _ = start_strict(self._setup)
        return worker


class _Shared:
    """An iterator that several threads may draw from."""

    def __init__(self, items: Iterator[tuple[str, Job]]) -> None:
        self._items = items
        self._lock = threading.Lock()

    def __iter__(self) -> _Shared:
        return self

    def __next__(self) -> tuple[str, Job]:
        with self._lock:
            return next(self._items)


@dataclass(slots=True)
class _Run:
    """One program's way through its inputs, over as many children as it takes.

    Results travel in batches, so a death loses some: the first time, the calls without a result
    are run again with each reported at once, and from then on whoever dies is known exactly.
    """

    job: Job
    outcomes: list[Outcome] = field(default_factory=list)
    at_once: bool = False
    printed: int = 0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    deaths: int = 0

    def on(self, worker: WorkerProcess) -> Execution:
        """Run every input on *worker*."""
        end = time.monotonic() + self.job.limits.total_seconds
        while len(self.outcomes) < self.job.stop:
            if time.monotonic() > end:
                self._fill(Outcome("skipped", message="the program's whole time is over"))
                break
            self._step(worker, end)
        return Execution(
            tuple(self.outcomes), self.printed, self.cpu_seconds, self.peak_memory, self.deaths
        )

    def _step(self, worker: WorkerProcess, end: float) -> None:
        start = len(self.outcomes)
        job = replace(self.job, start=start, at_once=self.at_once)
        transcript = Transcript(start, job.stop)
        ending = worker.run(job.pack(), transcript, job.limits, end)
        self._account(transcript, ending)
        if transcript.load_failure:
            self._fill(transcript.load_failure)
        elif not transcript.loaded and self.at_once:
            self._fill(_death(ending, loading=True))
        elif len(self.outcomes) < job.stop:
            self._blame(ending, transcript)
        self.at_once = True

    def _blame(self, ending: Ending, transcript: Transcript) -> None:
        self.deaths += 1
        last = len(self.outcomes) == self.job.stop - 1
        if self.at_once or transcript.fault or (transcript.loaded and last):
            self.outcomes.append(_death(ending, fault=transcript.fault))

    def _account(self, transcript: Transcript, ending: Ending) -> None:
        self.outcomes += transcript.outcomes
        self.printed += transcript.printed
        self.cpu_seconds += ending.cpu_seconds
        self.peak_memory = max(self.peak_memory, ending.peak_memory)

    def _fill(self, outcome: Outcome) -> None:
        self.outcomes += [outcome] * (self.job.stop - len(self.outcomes))


TIMERS = {signal.SIGPROF, signal.SIGXCPU, signal.SIGALRM, signal.SIGVTALRM}


def _death(ending: Ending, *, loading: bool = False, fault: Status | None = None) -> Outcome:
    """Name how the child died, as the outcome of the call that it died in."""
    if fault:
        return Outcome(fault)
    if ending.killed or (
        os.WIFSIGNALED(ending.status) and os.WTERMSIG(ending.status) in TIMERS
    ):
        return Outcome("load_timeout" if loading else "timeout")
    if os.WIFSIGNALED(ending.status):
        name = signal.Signals(os.WTERMSIG(ending.status)).name
        return Outcome("load_crash" if loading else "crash", message=name)
    code = os.WEXITSTATUS(ending.status)
    return Outcome("load_crash" if loading else "exit", message=f"exit code {code}")
