"""Work on orders in turn, and lose none of them.

A job is promised once the journal has it, and its result is in the journal before anyone is
told. Two jobs that would ask the same of the model run one after the other: the second finds
the replies in the store.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

import msgspec

from consilience.errors import ConsilienceError
from consilience.service import OVER, Bounds, Kind, State
from consilience.service.journal import Entry, Journal
from consilience.service.lanes import Job, Lanes
from consilience.service.orders import Order, read
from consilience.service.refusals import (
    ClosingError,
    MismatchError,
    QueueFullError,
    fault,
    status_of,
)
from consilience.service.watch import StoppedError, Watch
from consilience.service.work import Answer, shared_prompts

ATTEMPTS = 3
"""How often a job is begun; one that takes the server down each time is then given up."""
LAST_WORDS = 2.0
"""Seconds for jobs to notice that they are called off when the server goes down."""

_log = logging.getLogger(__name__)


class Queue:
    """Takes orders, works on them in threads of its own, and keeps what became of them."""

    def __init__(
        self,
        do: Callable[[Order, Watch], Answer],
        journal: Journal,
        bounds: Bounds,
        *,
        asking: int = 2,
        quick: int = 2,
    ) -> None:
        """Go on with what the journal has, then take new orders.

        Args:
            do: carries out an order.
            journal: where jobs are kept.
            bounds: what the queue will hold.
            asking: jobs at once that ask the model.
            quick: jobs at once that do not.
        """
        self._do, self._journal, self._bounds = do, journal, bounds
        self._lanes = Lanes({True: asking, False: quick})
        self.ahead, self.counts = self._lanes.ahead, self._lanes.counts
        for entry in journal.unfinished():
            self._resume(entry)
        for lane in [True] * asking + [False] * quick:
            threading.Thread(target=self._work, args=(lane,), daemon=True).start()

    def submit(self, kind: Kind, order: Order, *, once: str | None = None, keep: bool) -> Job:
        """Take an order.

        With *keep* it is in the journal when this returns, and survives the server.

        Raises:
            QueueFullError: too many wait already.
            MismatchError: *once* was given to another order before.
            ClosingError: the server is going down.
        """
        body, now = msgspec.json.encode(order), time.time()
        entry = Entry(secrets.token_hex(16), kind, _name(order), body, once, "queued", 0, now)
        job = Job(entry, order, shared_prompts(order), keep)
        with self._lanes.lock:
            earlier = self._earlier(entry)
            if earlier is not None:
                return earlier
            self._refuse(kind)
            if keep:
                self._journal.accept(entry)
            self._lanes.enter(job)
        return job

    def keep(self, job: Job) -> None:
        """Promise a job for which the client no longer waits; nothing where it is over."""
        with self._lanes.lock:
            if not job.kept and job.entry.state not in OVER:
                self._journal.accept(job.entry)
                job.kept = True

    def find(self, job_id: str) -> Entry | None:
        """Return what is known of a job."""
        job = self.alive(job_id)
        if job is None:
            return self._journal.get(job_id)
        return replace(job.entry, progress=msgspec.json.encode(job.watch.steps()))

    def alive(self, job_id: str) -> Job | None:
        """Return a job that is not over yet and that a client may ask for."""
        job = self._lanes.alive.get(job_id)
        return job if job is not None and job.kept else None

    def result(self, job_id: str) -> bytes | None:
        """Return the result of a job that is done."""
        return self._journal.result(job_id)

    def cancel(self, job_id: str) -> None:
        """Call a job off: at once where it waits, at its next step where it runs."""
        job = self.alive(job_id)
        if job is not None:
            self.drop(job)

    def drop(self, job: Job) -> None:
        """Call off a job that is at hand, whether it is kept or not."""
        job.cancelled = True
        job.watch.stop()
        if self._lanes.withdraw(job):
            self._end(job, "cancelled", error=StoppedError())

    def close(self, grace: float = 10.0) -> int:
        """Begin nothing more, wait for what runs, put the rest back; return how many are left.

        What is not finished after *grace* seconds is called off at its next step, and goes on
        when a server opens the journal again.
        """
        deadline = time.monotonic() + grace
        self._lanes.close()
        self._lanes.settle(deadline)
        with self._lanes.lock:
            for job in self._lanes.running.values():
                job.watch.stop()
        self._lanes.settle(deadline + LAST_WORDS)
        with self._lanes.lock:
            left = list(self._lanes.alive.values())
            for job in left:
                _tell(job, error=ClosingError("The server is going down."))
        return sum(job.kept for job in left)

    # --- taking

    def _resume(self, entry: Entry) -> None:
        try:
            _check_attempts(entry)
            order = read(entry.kind, entry.body, self._bounds)
        except ConsilienceError as error:  # or another version wrote it, or limits shrank
            self._journal.finish(_ended(entry, "failed", error))
        else:
            self._lanes.enter(Job(entry, order, shared_prompts(order), kept=True))

    def _earlier(self, entry: Entry) -> Job | None:
        """Find the job that was sent under the same key before."""
        known = None if entry.once is None else self._journal.known(entry.once)
        if known is None:
            return None
        if (known.kind, known.body) != (entry.kind, entry.body):
            message = f"The Idempotency-Key {entry.once!r} stands for another order already."
            raise MismatchError(message)
        alive = self.alive(known.id)
        if alive is not None:
            return alive
        over: Future[bytes] = Future()
        over.set_result(b"")  # it is read from the journal
        return Job(
            known, read(known.kind, known.body, self._bounds), None, kept=True, over=over
        )

    def _refuse(self, kind: Kind) -> None:
        if self._lanes.closed:
            raise ClosingError("The server is going down.", hint="Try again when it is back.")
        waiting = self._lanes.waiting(kind)
        if waiting >= self._bounds.queue:
            message = f"{waiting} jobs wait already, as many as this server will hold."
            raise QueueFullError(message, retry_after=self._lanes.retry_after(kind))

    # --- working

    def _work(self, asking: bool) -> None:
        while (job := self._lanes.take(asking)) is not None:
            begun = time.monotonic()
            try:
                self._one(job)
            except Exception as error:  # the journal cannot be written now
                _log.exception("job %s goes on when the server starts again", job.entry.id)
                _tell(job, error=error)
            finally:
                self._lanes.leave(job, time.monotonic() - begun)

    def _one(self, job: Job) -> None:
        """Work on a job, and write down how it ended."""
        self._begin(job)
        try:
            answer = self._do(job.order, job.watch)
        except StoppedError as stopped:
            if job.cancelled:
                self._end(job, "cancelled", error=stopped)
            else:
                self._suspend(job)
        except Exception as error:  # whatever it is, one job must not end the others
            if not isinstance(error, ConsilienceError):
                _log.exception("job %s (%s) failed", job.entry.id, job.entry.kind)
            self._end(job, "failed", error=error)
        else:
            self._end(job, "done", result=msgspec.json.encode(answer))

    def _begin(self, job: Job) -> None:
        now = time.time()
        with self._lanes.lock:
            if job.kept:
                self._journal.begin(job.entry.id, now)
            attempts = job.entry.attempts + 1
            job.entry = replace(job.entry, state="running", started=now, attempts=attempts)

    def _suspend(self, job: Job) -> None:
        with self._lanes.lock:
            if job.kept:
                self._journal.suspend(job.entry.id)
                _log.info("job %s (%s) goes on later", job.entry.id, job.entry.kind)

    def _end(
        self,
        job: Job,
        state: State,
        *,
        result: bytes = b"",
        error: Exception | None = None,
    ) -> None:
        with self._lanes.lock:
            ended = _ended(job.entry, state, error)
            job.entry = replace(ended, progress=msgspec.json.encode(job.watch.steps()))
            if job.kept:
                self._journal.finish(job.entry, result)
            self._lanes.alive.pop(job.entry.id, None)
        _tell(job, result=result, error=error)
        _log.info("job %s (%s) %s", job.entry.id, job.entry.kind, state)


def _check_attempts(entry: Entry) -> None:
    if entry.attempts >= ATTEMPTS:
        message = f"The server ended {entry.attempts} times while it worked on this job."
        hint = "Its log may say why; send fewer or smaller candidates."
        raise ConsilienceError(message, hint=hint)


def _ended(entry: Entry, state: State, error: Exception | None) -> Entry:
    failed = state == "failed" and error is not None
    return replace(
        entry,
        state=state,
        finished=time.time(),
        fault=msgspec.json.encode(fault(error)) if failed and error else None,
        status=status_of(error) if failed and error else None,
    )


def _tell(job: Job, *, result: bytes = b"", error: Exception | None = None) -> None:
    """Wake whoever waits for the job; only the first word counts."""
    if job.over.done():
        return
    if error is None:
        job.over.set_result(result)
    else:
        job.over.set_exception(error)


def _name(order: Order) -> str:
    """Say what the client calls the task; empty where it has no name."""
    task = getattr(order, "task", None)
    return "" if task is None else task.id or task.entry_point or ""
