"""What the journal has taken survives: a kill, a restart, a second server."""

from __future__ import annotations

import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.errors import StoreError
from consilience.service import journal as module
from consilience.service.journal import Entry, Journal

ENTRY = Entry("a1", "judge", "find", b"{}", None, "queued", 0, 1000.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.sqlite"


def reopened(path: Path, old: Journal) -> Journal:
    old.close()
    return Journal(path)


def test_jobs_come_back_in_their_order_and_running_ones_are_queued_again(path: Path):
    journal = Journal(path)
    for number in range(3):
        journal.accept(replace(ENTRY, id=f"job{number}"))
    journal.begin("job1", 1001.0)
    journal.begin("job0", 1002.0)
    journal.finish(replace(ENTRY, id="job0", state="done", finished=1003.0), b"[1]")
    journal = reopened(path, journal)
    left = journal.unfinished()
    assert [(entry.id, entry.state, entry.attempts) for entry in left] == [
        ("job1", "queued", 1),
        ("job2", "queued", 0),
    ]
    assert journal.result("job0") == b"[1]"
    assert journal.result("job1") is None
    assert journal.get("nosuch") is None
    journal.close()


def test_a_suspended_job_has_not_been_tried(path: Path):
    journal = Journal(path)
    journal.accept(ENTRY)
    journal.begin("a1", 1001.0)
    journal.suspend("a1")
    [left] = journal.unfinished()
    assert left.attempts == 0
    journal.close()


def test_a_second_server_is_refused_and_told_what_to_do(path: Path):
    journal = Journal(path)
    with pytest.raises(StoreError, match="Another server") as caught:
        Journal(path)
    assert "--jobs" in caught.value.hint
    journal.accept(ENTRY)
    journal.close()


def test_a_foreign_file_is_refused_and_left_alone(path: Path):
    path.write_text("mine" * 100, encoding="utf-8")
    with pytest.raises(StoreError, match="not a journal"):
        Journal(path)
    assert path.read_text(encoding="utf-8") == "mine" * 100
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="not a journal"):
        Journal(path)


def test_a_path_that_cannot_be_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        Journal(tmp_path / "file" / "jobs.sqlite")


def test_without_a_path_it_lives_in_memory():
    journal = Journal(None)
    journal.accept(ENTRY)
    assert [entry.id for entry in journal.unfinished()] == ["a1"]
    journal.close()


def test_only_its_owner_may_read_what_clients_sent(path: Path):
    Journal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_old_results_are_forgotten_and_jobs_never(path: Path, monkeypatch: pytest.MonkeyPatch):
    journal = Journal(path, keep_seconds=100.0)
    journal.accept(replace(ENTRY, id="waits"))
    for number in range(3):
        ended = replace(ENTRY, id=f"job{number}", state="done", finished=1000.0 + number)
        journal.accept(ended)
    journal.accept(replace(ENTRY, id="later", submitted=1101.5))
    assert [journal.get(f"job{number}") is None for number in range(3)] == [True, True, False]
    monkeypatch.setattr(module, "MOST_KEPT", 0)
    assert journal.forget(0.0) == 1
    assert [entry.id for entry in journal.unfinished()] == ["waits", "later"]
    journal.close()


def test_a_broken_disk_is_told(path: Path):
    journal = Journal(path)
    journal.close()
    with pytest.raises(StoreError, match="cannot be used"):
        journal.get("a1")
