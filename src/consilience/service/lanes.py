"""Jobs that wait and jobs that run: two lanes, so that short ones never wait for a model."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field

from consilience.service import ASKING, Kind
from consilience.service.journal import Entry
from consilience.service.orders import Order
from consilience.service.watch import Watch

LONGEST_WAIT = 300
"""Seconds that a client is told to wait at most before it tries again."""
_WEIGHT = 0.2  # of the latest job in the running mean of how long a job takes


@dataclass(slots=True, eq=False)
class Job:
    """An order on its way."""

    entry: Entry
    order: Order
    alone: str | None
    """No two jobs with this in common run at the same time."""
    kept: bool
    """The journal has it; else the client waits for it on an open connection."""
    watch: Watch = field(default_factory=Watch)
    over: Future[bytes] = field(default_factory=Future)
    """The result; or the exception that says why there is none."""
    cancelled: bool = False

    @property
    def asking(self) -> bool:
        """Tell whether a model is asked: such jobs have a lane of their own."""
        return self.entry.kind in ASKING


class Lanes:
    """What waits, in order, and what runs; `lock` guards both."""

    def __init__(self, workers: dict[bool, int]) -> None:
        """Expect so many *workers*, by whether their jobs ask a model."""
        self.lock = threading.Condition()
        self.alive: dict[str, Job] = {}
        """Every job that is not over, by id."""
        self.running: dict[str, Job] = {}
        self.closed = False
        self._workers = workers
        self._waiting: dict[bool, deque[Job]] = {True: deque(), False: deque()}
        self._spans = {True: 5.0, False: 0.2}

    def enter(self, job: Job) -> None:
        """Queue a job."""
        with self.lock:
            self._waiting[job.asking].append(job)
            self.alive[job.entry.id] = job
            self.lock.notify_all()

    def take(self, asking: bool) -> Job | None:
        """Wait for a job that may begin; None once the lanes are closed."""
        with self.lock:
            while not self.closed:
                busy = {job.alone for job in self.running.values() if job.alone}
                free = (job for job in self._waiting[asking] if job.alone not in busy)
                job = next(free, None)
                if job is not None:
                    self._waiting[asking].remove(job)
                    self.running[job.entry.id] = job
                    return job
                self.lock.wait()
        return None

    def leave(self, job: Job, seconds: float) -> None:
        """Note that a job runs no more, and how long it took."""
        with self.lock:
            self.running.pop(job.entry.id, None)
            self._spans[job.asking] += _WEIGHT * (seconds - self._spans[job.asking])
            self.lock.notify_all()

    def withdraw(self, job: Job) -> bool:
        """Take a job out that has not begun; tell whether it had not."""
        with self.lock:
            waiting = job in self._waiting[job.asking]
            if waiting:
                self._waiting[job.asking].remove(job)
            return waiting

    def waiting(self, kind: Kind) -> int:
        """Count the jobs that wait in the lane of *kind*."""
        with self.lock:
            return len(self._waiting[kind in ASKING])

    def retry_after(self, kind: Kind) -> int:
        """Estimate the seconds until the jobs that wait in that lane have begun."""
        asking = kind in ASKING
        seconds = self._spans[asking] * self.waiting(kind) / self._workers[asking]
        return min(max(math.ceil(seconds), 1), LONGEST_WAIT)

    def ahead(self, job_id: str) -> int | None:
        """Count the jobs before one that waits; None where it does not wait."""
        with self.lock:
            places = [
                place
                for lane in self._waiting.values()
                for place, job in enumerate(lane)
                if job.entry.id == job_id
            ]
        return places[0] if places else None

    def counts(self) -> tuple[int, int]:
        """Count the jobs that wait and those that run."""
        with self.lock:
            return sum(map(len, self._waiting.values())), len(self.running)

    def close(self) -> None:
        """Let no further job begin."""
        with self.lock:
            self.closed = True
            self.lock.notify_all()

    def settle(self, deadline: float) -> None:
        """Wait until nothing runs, but not beyond *deadline* (of `time.monotonic`)."""
        with self.lock:
            while self.running and (left := deadline - time.monotonic()) > 0:
                self.lock.wait(left)
