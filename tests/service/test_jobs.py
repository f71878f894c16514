"""Jobs: none is lost, none is done twice, and none stands in the way of the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from service_stand import BOUNDS, ENTROPY, JUDGE, RANK, state, until

from consilience.errors import ConsilienceError, InputError
from consilience.service import Kind
from consilience.service.jobs import ATTEMPTS, Queue
from consilience.service.journal import Journal
from consilience.service.lanes import Job
from consilience.service.orders import Order, convert
from consilience.service.refusals import ClosingError, MismatchError, QueueFullError
from consilience.service.watch import StoppedError, Watch

Do = Callable[[Order, Watch], dict[str, Any]]


class Slow:
    """Work that goes on until it is let go, and knows what runs at the same time."""

    def __init__(self) -> None:
        self.begun: list[Order] = []
        self.at_once = 0
        self.most = 0
        self.go = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, order: Order, watch: Watch) -> dict[str, Any]:
        with self._lock:
            self.begun.append(order)
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        try:
            done = 0
            while not self.go.wait(0.005):
                done += 1
                watch.stage("t", "waiting", done, 10_000)
        finally:
            with self._lock:
                self.at_once -= 1
        return {"answer": 42}


class Stand:
    """Opens queues on one journal, one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.queue: Queue | None = None
        self.journal: Journal | None = None

    def open(self, do: Do) -> Queue:
        self.journal = Journal(self.path)
        self.queue = Queue(do, self.journal, BOUNDS)
        return self.queue

    def close(self, grace: float = 0.0) -> int:
        left = self.queue.close(grace) if self.queue else 0
        if self.journal:
            self.journal.close()
        self.queue = self.journal = None
        return left


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def stand(tmp_path: Path, slow: Slow) -> Iterator[Stand]:
    stand = Stand(tmp_path / "jobs.sqlite")
    yield stand
    slow.go.set()
    stand.close()


def task(name: str) -> dict[str, Any]:
    return JUDGE | {"task": {"prompt": f"Write {name}.", "entry_point": name}}


def submit(queue: Queue, kind: Kind, fields: dict[str, Any], **options: Any) -> Job:
    options = {"keep": True} | options
    return queue.submit(kind, convert(kind, fields, BOUNDS), **options)


def fill(queue: Queue, slow: Slow, count: int) -> list[Job]:
    """Submit *count* jobs, each when the two that run at once have begun: two more may wait."""
    jobs = []
    for number in range(count):
        jobs.append(submit(queue, "judge", task(f"f{number}")))
        until(lambda number=number: len(slow.begun) >= min(number + 1, 2))
    return jobs


def test_a_job_runs_and_its_result_is_kept(stand: Stand, slow: Slow):
    slow.go.set()
    queue = stand.open(slow)
    job = submit(queue, "judge", JUDGE)
    assert job.over.result(20) == b'{"answer":42}'
    assert queue.result(job.entry.id) == b'{"answer":42}'
    entry = queue.find(job.entry.id)
    assert entry is not None
    assert (entry.state, entry.attempts, entry.task) == ("done", 1, "")
    assert entry.started is not None
    assert entry.finished is not None


def test_short_orders_do_not_wait_for_those_that_ask_a_model(stand: Stand, slow: Slow):
    def do(order: Order, watch: Watch) -> dict[str, Any]:
        return slow(order, watch) if hasattr(order, "choices") else {"quick": True}

    queue = stand.open(do)
    jobs = fill(queue, slow, 3)
    assert submit(queue, "rank", RANK, keep=False).over.result(20) == b'{"quick":true}'
    assert not any(job.over.done() for job in jobs)


def test_two_jobs_that_would_ask_the_same_run_one_after_the_other(stand: Stand, slow: Slow):
    queue = stand.open(slow)
    first = submit(queue, "judge", JUDGE)
    until(lambda: len(slow.begun) == 1)  # the queue holds two more
    second = submit(queue, "tests", {"task": JUDGE["task"]})
    other = submit(queue, "judge", task("other"))
    until(lambda: len(slow.begun) == 2)
    assert [state(queue, job) for job in (first, second, other)] == [
        "running",
        "queued",
        "running",
    ]
    assert queue.ahead(second.entry.id) == 0
    assert queue.ahead(first.entry.id) is None
    slow.go.set()
    assert second.over.result(20)


def test_a_full_queue_says_when_to_come_back(stand: Stand, slow: Slow):
    queue = stand.open(slow)
    fill(queue, slow, 4)
    with pytest.raises(QueueFullError) as caught:
        submit(queue, "judge", task("one_more"))
    assert caught.value.retry_after
    assert str(caught.value.retry_after) in caught.value.hint
    assert queue.counts() == (2, 2)


def test_an_order_sent_again_under_its_key_is_the_same_job(stand: Stand, slow: Slow):
    queue = stand.open(slow)
    first = submit(queue, "judge", JUDGE, once="mine")
    assert submit(queue, "judge", JUDGE, once="mine") is first
    with pytest.raises(MismatchError):
        submit(queue, "judge", task("other"), once="mine")
    slow.go.set()
    first.over.result(20)
    again = submit(queue, "judge", JUDGE, once="mine")
    assert again.entry.id == first.entry.id
    assert again.over.done()
    assert len(slow.begun) == 1


def test_a_job_that_waits_is_cancelled_at_once_and_one_that_runs_at_its_next_step(
    stand: Stand, slow: Slow
):
    queue = stand.open(slow)
    jobs = fill(queue, slow, 3)
    until(lambda: len(slow.begun) == 2)
    for job in (jobs[2], jobs[0]):
        queue.cancel(job.entry.id)
        with pytest.raises(StoppedError):
            job.over.result(20)
        assert state(queue, job) == "cancelled"
    assert state(queue, jobs[1]) == "running"
    queue.cancel("nosuch")
    slow.go.set()
    jobs[1].over.result(20)
    queue.cancel(jobs[1].entry.id)
    assert state(queue, jobs[1]) == "done"


def test_progress_is_told_while_it_runs_and_kept_afterwards(stand: Stand, slow: Slow):
    queue = stand.open(slow)
    job = submit(queue, "judge", JUDGE)
    until(job.watch.steps)
    entry = queue.find(job.entry.id)
    assert entry is not None
    assert b'"stage":"waiting"' in (entry.progress or b"")
    slow.go.set()
    job.over.result(20)
    entry = queue.find(job.entry.id)
    assert entry is not None
    assert b'"stage":"waiting"' in (entry.progress or b"")


def test_a_failure_is_told_and_ends_no_other_job(
    stand: Stand, caplog: pytest.LogCaptureFixture
):
    def do(order: Order, watch: Watch) -> dict[str, Any]:
        if hasattr(order, "choices"):
            raise InputError("No.", hint="Yes.")
        if hasattr(order, "samples"):
            raise ZeroDivisionError
        return {}

    queue = stand.open(do)
    named, odd = submit(queue, "judge", JUDGE), submit(queue, "entropy", ENTROPY)
    with pytest.raises(InputError):
        named.over.result(20)
    with pytest.raises(ZeroDivisionError):
        odd.over.result(20)
    entries = [queue.find(job.entry.id) for job in (named, odd)]
    assert [entry and entry.status for entry in entries] == [400, 500]
    assert b'"hint":"Yes."' in ((entries[0] and entries[0].fault) or b"")
    assert b"ZeroDivisionError" in ((entries[1] and entries[1].fault) or b"")
    assert "Traceback" in caplog.text
    assert submit(queue, "rank", RANK).over.result(20) == b"{}"


def test_what_is_not_finished_when_the_server_stops_goes_on_at_the_next_start(
    stand: Stand, slow: Slow
):
    queue = stand.open(slow)
    jobs = fill(queue, slow, 3)
    unkept = submit(queue, "entropy", ENTROPY, keep=False)
    until(lambda: len(slow.begun) == 3)
    assert stand.close() == 3
    for job in (*jobs, unkept):
        with pytest.raises(ClosingError):
            job.over.result(0)
    slow.go.set()
    queue = stand.open(slow)
    until(lambda: all(state(queue, job) == "done" for job in jobs))
    assert [queue.find(job.entry.id).attempts for job in jobs] == [1, 1, 1]  # type: ignore[union-attr]


def test_a_stopping_server_lets_short_work_end_and_takes_nothing_new(stand: Stand, slow: Slow):
    queue = stand.open(slow)
    job = submit(queue, "judge", JUDGE)
    until(lambda: slow.begun)
    threading.Timer(0.1, slow.go.set).start()
    assert queue.close(20) == 0
    assert job.over.result(0) == b'{"answer":42}'
    with pytest.raises(ClosingError):
        submit(queue, "judge", task("late"))


def test_a_job_that_takes_the_server_down_each_time_is_given_up(stand: Stand, slow: Slow):
    journal = Journal(stand.path)
    slow.go.set()
    job = submit(Queue(slow, journal, BOUNDS, asking=0), "judge", JUDGE)
    for attempt in range(ATTEMPTS):
        journal.begin(job.entry.id, float(attempt))
    journal.close()
    queue = stand.open(slow)
    entry = queue.find(job.entry.id)
    assert entry is not None
    assert entry.state == "failed"
    assert b"3 times" in (entry.fault or b"")
    assert slow.begun == []


def test_an_answer_nobody_waited_for_longer_becomes_a_job(stand: Stand, slow: Slow):
    queue = stand.open(slow)
    job = submit(queue, "entropy", ENTROPY, keep=False)
    assert queue.find(job.entry.id) is None
    until(lambda: slow.begun)
    queue.keep(job)
    assert state(queue, job) == "running"
    slow.go.set()
    assert job.over.result(20)
    assert queue.result(job.entry.id) == b'{"answer":42}'
    queue.keep(job)


def test_a_journal_that_cannot_be_written_ends_no_worker(
    stand: Stand, slow: Slow, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    slow.go.set()
    queue = stand.open(slow)

    def full(*_: object) -> None:
        raise ConsilienceError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(stand.journal, "begin", full)
        with pytest.raises(ConsilienceError, match="full"):
            submit(queue, "judge", JUDGE).over.result(20)
    assert "goes on when the server starts again" in caplog.text
    assert submit(queue, "judge", task("next")).over.result(20)
