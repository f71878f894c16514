"""One program's way through its inputs, over as many child processes as that takes."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field, replace

from consilience.sandbox import Outcome, Status
from consilience.sandbox.job import PATIENCE, Job, Transcript
from consilience.sandbox.process import Ending, WorkerProcess

TIMERS = {signal.SIGPROF, signal.SIGXCPU, signal.SIGALRM, signal.SIGVTALRM}


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
    unstable: tuple[int, ...] = ()
    """Inputs whose outcome changed with the hash seed, where that was asked for."""


@dataclass(slots=True)
class ProgramRun:
    """One program's way through its inputs, over as many children as it takes.

    Results travel in batches, so a death loses some: the first time, the calls without a result
    are run again with each reported at once, and from then on whoever dies is known exactly.
    """

    job: Job
    isolate_calls: bool = False
    """A child a call, so that no call can change what another one sees."""
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
            if self._late() >= PATIENCE:
                self._fill(Outcome("skipped", message="it ran out of time before"))
                break
            self._step(worker, end)
        return Execution(
            tuple(self.outcomes), self.printed, self.cpu_seconds, self.peak_memory, self.deaths
        )

    def _late(self) -> int:
        return sum(outcome.status == "timeout" for outcome in self.outcomes)

    def _step(self, worker: WorkerProcess, end: float) -> None:
        start = len(self.outcomes)
        stop = start + 1 if self.isolate_calls else self.job.stop
        job = replace(self.job, start=start, stop=stop, at_once=self.at_once, late=self._late())
        transcript = Transcript(start, stop, job.target.raises)
        ending = worker.run(job.pack(), transcript, job.limits, end)
        self._account(transcript, ending)
        if transcript.load_failure:
            self._fill(transcript.load_failure)
        elif not transcript.loaded and self.at_once:
            self._fill(death(ending, loading=True))
        elif len(self.outcomes) < stop:
            self._blame(ending, transcript, last=len(self.outcomes) == stop - 1)
            self.at_once = True

    def _blame(self, ending: Ending, transcript: Transcript, *, last: bool) -> None:
        self.deaths += 1
        if self.at_once or transcript.fault or (transcript.loaded and last):
            self.outcomes.append(death(ending, fault=transcript.fault))

    def _account(self, transcript: Transcript, ending: Ending) -> None:
        self.outcomes += transcript.outcomes
        self.printed += transcript.printed
        self.cpu_seconds += ending.cpu_seconds
        self.peak_memory = max(self.peak_memory, ending.peak_memory)

    def _fill(self, outcome: Outcome) -> None:
        self.outcomes += [outcome] * (self.job.stop - len(self.outcomes))


def death(ending: Ending, *, loading: bool = False, fault: Status | None = None) -> Outcome:
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
