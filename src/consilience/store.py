"""Keep what was paid for or computed: a content-addressed store in one SQLite file.

An entry is bytes under a kind ("reply", "outcome", "embedding") and a key, a `digest` of all
that determines it; so an entry never changes and writing it again is harmless. Threads and
processes may share a file. A file that is not ours is refused and left as it is; a file of ours
that was cut off is set aside under another name with a warning, and a new one is begun.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

from consilience.errors import StoreError

BUSY_SECONDS = 60.0
"""How long a writer waits for another process before it gives up."""

_APPLICATION_ID = 0x434F4E53  # "CONS": tells our SQLite files from anyone else's
_MAGIC = b"SQLite format 3\x00"
_BATCH = 500  # keys a SELECT; SQLite's default limit of variables was 999 for long
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key)
) WITHOUT ROWID
"""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Holding:
    """What the store has of one kind."""

    kind: str
    count: int
    bytes: int


class Store:
    """A map from (kind, key) to bytes that survives the process."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the store at *path*, or begin it.

        Raises:
            StoreError: the file is not a store, or cannot be read or written.
        """
        self.path = Path(path)
        self._lock = threading.RLock()
        with _told(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _open(self.path)

    def get(self, kind: str, key: str) -> bytes | None:
        """Return the entry, or None where there is none."""
        return self.get_many(kind, [key]).get(key)

    def items(self, kind: str) -> list[tuple[str, bytes]]:
        """Return all entries of *kind*, in the order of their keys."""
        query = "SELECT key, value FROM entries WHERE kind = ? ORDER BY key"
        with self._asking() as connection:
            return connection.execute(query, [kind]).fetchall()

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Write one entry."""
        self.put_many(kind, {key: value})

    def get_many(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Return those of the entries that are there."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            query = f"SELECT key, value FROM entries WHERE kind = ? AND key IN ({marks})"  # noqa: S608  # only question marks
            with self._asking() as connection:
                found.update(connection.execute(query, [kind, *batch]).fetchall())
        return found

    def put_many(self, kind: str, items: Mapping[str, bytes]) -> None:
        """Write the entries, all of them or, when that fails, none."""
        rows = [(kind, key, value) for key, value in items.items()]
        with self._asking() as connection, _transaction(connection):
            connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)

    def info(self) -> tuple[Holding, ...]:
        """Count the entries and their bytes, by kind in alphabetical order."""
        query = (
            "SELECT kind, count(*), sum(length(value)) FROM entries GROUP BY kind ORDER BY kind"
        )
        with self._asking() as connection:
            return tuple(Holding(*row) for row in connection.execute(query))

    def clear(self, kind: str | None = None) -> int:
        """Delete the entries of *kind*, or all of them; return how many there were."""
        query = "DELETE FROM entries WHERE :kind IS NULL OR kind = :kind"
        with self._asking() as connection:
            removed = connection.execute(query, {"kind": kind}).rowcount
            connection.execute("VACUUM")
        return removed

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _asking(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _told(self.path):
            yield self._connection


def digest(*parts: str | bytes) -> str:
    """Hash *parts* (SHA-256, hexadecimal) such that no two different sequences run together."""
    total = hashlib.sha256()
    for part in parts:
        # A reply may hold a lone surrogate; it must hash, not raise.
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(b"s" if isinstance(part, str) else b"b")
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


def cache_folder() -> Path:
    """Name the folder for stores and weights: CONSILIENCE_CACHE, else the platform's own."""
    given = os.environ.get("CONSILIENCE_CACHE")
    return (
        Path(given).expanduser() if given else Path(platformdirs.user_cache_dir("consilience"))
    )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite and of the file system into a `StoreError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        message = f"The store {path} cannot be used: {error}."
        raise StoreError(message, hint=_hint(error)) from error
    except OSError as error:
        message = f"The store {path} cannot be opened: {error.strerror or error}."
        raise StoreError(message, hint="Name another file with --store.") from error


def _hint(error: sqlite3.DatabaseError) -> str:
    if "locked" in str(error):
        return (
            "Another process has held it for long; end it, or name another file with --store."
        )
    if "full" in str(error):
        return "Free some disk space; what is stored is kept."
    return "Nothing was deleted. Name another file with --store, or move this one away."


def _open(path: Path) -> sqlite3.Connection:
    """Connect to our file at *path*; set it aside first where it was cut off."""
    _refuse_foreign(path)
    try:
        return _connect(path)
    except sqlite3.DatabaseError as error:
        if not _damaged(error):
            raise
        _set_aside(path, str(error))
        return _connect(path)


def _refuse_foreign(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(72)
    # A beginning of the magic alone is ours, cut off very early; an empty file is a new store.
    ours = len(head) < 72 or head[68:72] in {_APPLICATION_ID.to_bytes(4, "big"), b"\0\0\0\0"}
    if not (ours and head[:16] == _MAGIC[: len(head)]):
        message = f"{path} is not a store of Consilience."
        raise StoreError(message, hint="It was left as it is. Name another file with --store.")


def _damaged(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    }


def _set_aside(path: Path, reason: str) -> None:
    spare = next(
        name
        for number in range(1, 1_000_000)
        if not (name := path.with_name(f"{path.name}.damaged-{number}")).exists()
    )
    path.replace(spare)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    _log.warning("The store %s is damaged (%s): kept as %s, begun anew.", path, reason, spare)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    if tables and "entries" not in tables:
        message = "The file is an SQLite database of something else."
        raise StoreError(message, hint="It was left as it is. Name another file with --store.")
    _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
    connection.execute("PRAGMA synchronous = NORMAL")  # with WAL: safe against a killed process
    if not tables:
        with _transaction(connection):
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(_SCHEMA)


def _patiently(action: Callable[[], object]) -> None:
    # Switching to WAL does not wait for the busy timeout when two processes create one file.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
