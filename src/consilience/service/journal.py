"""Keep accepted jobs and their results in one SQLite file, so that a killed server goes on.

Not in the `Store`: there an entry never changes, and `consilience cache clear` empties it. The
file belongs to one server at a time. It holds what clients sent: only its owner may read it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import StoreError
from consilience.service import Kind, State

KEEP_SECONDS = 24 * 3600.0
MOST_KEPT = 10_000
"""Results, whatever their age."""

_APPLICATION_ID = 0x434F4E4A  # "CONJ"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    task TEXT NOT NULL, body BLOB NOT NULL, once TEXT UNIQUE, state TEXT NOT NULL,
    attempts INTEGER NOT NULL, submitted REAL NOT NULL, started REAL, finished REAL,
    progress BLOB, result BLOB, fault BLOB, status INTEGER
)
"""
_FIELDS = (
    "id, kind, task, body, once, state, attempts, submitted, started, finished,"
    " progress, fault, status"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A job as the journal knows it; its result is read apart."""

    id: str
    kind: Kind
    task: str
    """What the client calls the task; empty where it has no name."""
    body: bytes
    once: str | None
    """The client's own key: an order that is sent again under it is the same job."""
    state: State
    attempts: int
    """How often it was begun."""
    submitted: float
    """Seconds since 1970, as all times here."""
    started: float | None = None
    finished: float | None = None
    progress: bytes | None = None
    fault: bytes | None = None
    status: int | None = None
    """The HTTP status that goes with the fault."""


class Journal:
    """All jobs, by id; threads may share it."""

    def __init__(self, path: Path | None, *, keep_seconds: float = KEEP_SECONDS) -> None:
        """Open the journal at *path*, or begin it; results are kept for *keep_seconds*.

        Without a path it is in memory alone, for a client that nothing has to outlive.

        Raises:
            StoreError: another server has it, it is no journal, or it cannot be written.
        """
        self.path, self._keep_seconds = path, keep_seconds
        self._lock = threading.Lock()
        with self._told():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=1.0, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def accept(self, entry: Entry) -> None:
        """Write a new job; when this returns it survives even a power cut."""
        self.forget(entry.submitted - self._keep_seconds)
        values = [getattr(entry, name.strip()) for name in _FIELDS.split(",")]
        marks = ", ".join("?" * len(values))
        self._do(f"INSERT INTO jobs ({_FIELDS}) VALUES ({marks})", *values)  # noqa: S608  # only question marks

    def get(self, job_id: str) -> Entry | None:
        """Find a job."""
        return self._one("id = ?", job_id)

    def known(self, once: str) -> Entry | None:
        """Find the job that a client sent under its own key."""
        return self._one("once = ?", once)

    def result(self, job_id: str) -> bytes | None:
        """Return the result of a job that is done."""
        rows = self._do("SELECT result FROM jobs WHERE id = ?", job_id)
        return bytes(rows[0][0]) if rows and rows[0][0] is not None else None

    def unfinished(self) -> list[Entry]:
        """List the jobs that are still to be done, in the order in which they came.

        Those that a killed server left running are queued again.
        """
        self._do("UPDATE jobs SET state = 'queued' WHERE state = 'running'")
        rows = self._do(f"SELECT {_FIELDS} FROM jobs WHERE state = 'queued' ORDER BY number")  # noqa: S608  # constants
        return [Entry(*row) for row in rows]

    def begin(self, job_id: str, when: float) -> None:
        """Note that a job is worked on."""
        query = "UPDATE jobs SET state = 'running', started = ?, attempts = attempts + 1"
        self._do(f"{query} WHERE id = ?", when, job_id)

    def suspend(self, job_id: str) -> None:
        """Put a job back that the server had no time to finish; the attempt does not count."""
        query = "UPDATE jobs SET state = 'queued', attempts = attempts - 1 WHERE id = ?"
        self._do(query, job_id)

    def finish(self, entry: Entry, result: bytes | None = None) -> None:
        """Write how a job ended; this is done before anyone is told."""
        query = "UPDATE jobs SET state = ?, finished = ?, progress = ?, result = ?, fault = ?"
        told = (entry.state, entry.finished, entry.progress, result, entry.fault)
        self._do(f"{query}, status = ? WHERE id = ?", *told, entry.status, entry.id)

    def forget(self, before: float) -> int:
        """Delete jobs that ended before that time, or beyond `MOST_KEPT`; return how many."""
        newest = "SELECT number FROM jobs WHERE finished NOT NULL ORDER BY number DESC LIMIT 1"
        query = f"DELETE FROM jobs WHERE finished < ? OR (finished NOT NULL AND number <= ({newest} OFFSET ?))"  # noqa: S608, E501  # constants
        return len(self._do(f"{query} RETURNING number", before, MOST_KEPT))

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._connection.close()

    def _one(self, condition: str, value: str) -> Entry | None:
        rows = self._do(f"SELECT {_FIELDS} FROM jobs WHERE {condition}", value)  # noqa: S608  # constants
        return Entry(*rows[0]) if rows else None

    def _do(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock, self._told():
            return self._connection.execute(query, values).fetchall()

    def _prepare(self) -> None:
        connection = self._connection
        # Held until the process ends, however it ends: no second server resumes our jobs.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and mark != _APPLICATION_ID:
            raise self._foreign()
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(_SCHEMA)
        connection.execute("CREATE INDEX IF NOT EXISTS ended ON jobs (finished)")
        connection.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the errors of SQLite and of the file system into a `StoreError`."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                message = f"Another server already keeps its jobs in {self.path}."
                hint = "End it, or name another file with --jobs."
                raise StoreError(message, hint=hint) from None
            if "not a database" in str(error):
                raise self._foreign() from None
            message = f"The journal of jobs {self.path} cannot be used: {error}."
            raise StoreError(message, hint="Name another file with --jobs.") from error
        except OSError as error:
            message = f"The journal of jobs {self.path} cannot be opened: {error.strerror}."
            raise StoreError(message, hint="Name another file with --jobs.") from error

    def _foreign(self) -> StoreError:
        message = f"{self.path} is not a journal of jobs."
        return StoreError(message, hint="It was left as it is. Name another file with --jobs.")
