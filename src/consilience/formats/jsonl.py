"""JSON lines, plain or gzipped: read with an address for every fault, append after a crash.

Infinity and NaN, which Python's JSON has and the standard has not, are read but never written.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import InputError


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file: an object, and where it stands."""

    fields: Mapping[str, Any]
    path: Path
    line: int

    @property
    def place(self) -> str:
        """Where the line stands, as `file:line`."""
        return f"{self.path.name}:{self.line}"

    def text(self, name: str, default: str | None = None) -> str:
        """Read a field that must be text; without a *default* it must be there."""
        found = self.fields.get(name, default)
        if not isinstance(found, str):
            raise self.fault(name, "is not text" if name in self.fields else "is missing")
        return found

    def items(self, name: str) -> list[Any]:
        """Read a field that must be a list; an absent one is empty."""
        found = self.fields.get(name, [])
        if isinstance(found, str):
            hint = "Encoded or pickled data is never decoded here: give the values as JSON."
            raise self.fault(name, "is text where a list is expected", hint)
        if found == {}:  # MBPP+ writes its one task without further inputs this way
            return []
        if not isinstance(found, list):
            raise self.fault(name, "is not a list")
        return found

    def fault(self, name: str, what: str, hint: str | None = None) -> InputError:
        """Make the error that says where and what is wrong with field *name*."""
        fields = ", ".join(f'"{field}"' for field in self.fields)
        return InputError(
            f'{self.place}: "{name}" {what}.',
            hint=hint or f"This line has: {fields or 'nothing'}.",
        )


def read_rows(path: Path, *, forgive_torn_end: bool = False) -> Iterator[Row]:
    """Read the objects of a JSON lines file.

    Blank lines are skipped; with *forgive_torn_end* so is a last line that a crash cut off.

    Raises:
        InputError: the file cannot be read, or a line is not a JSON object.
    """
    text = _decode(path)
    lines = text.split("\n")
    last = max((i for i, line in enumerate(lines) if line.strip()), default=-1)
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            if forgive_torn_end and i == last and _is_torn(text, line, error):
                return
            raise _broken(path, i + 1, error) from None
        if not isinstance(fields, dict):
            message = f"{path.name}:{i + 1}: not a JSON object."
            raise InputError(
                message, hint='Each line must be an object: {"task_id": ..., ...}.'
            )
        yield Row(fields, path, i + 1)


def _is_torn(text: str, line: str, error: Exception) -> bool:
    """Tell a line that ends too soon from one that is wrong."""
    if not text.endswith("\n"):
        return True
    at_end = isinstance(error, json.JSONDecodeError) and error.pos >= len(line.rstrip())
    return at_end or "Unterminated" in str(error)


def _broken(path: Path, line: int, error: Exception) -> InputError:
    what = str(error)
    if isinstance(error, json.JSONDecodeError):
        what = f"{error.msg.lower()}, column {error.colno}"
    hint = "Each line must be one JSON object: mend or remove this one."
    return InputError(f"{path.name}:{line}: not JSON ({what}).", hint=hint)


def _decode(path: Path) -> str:
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "the gzip data is damaged"
        message = f"{path}: {reason}."
        raise InputError(message, hint="Is this the right path?") from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"{path.name}:{line}: not UTF-8 text (byte {error.start})."
        raise InputError(message, hint=_hint_for_binary(data)) from None


def _hint_for_binary(data: bytes) -> str:
    if data[:1] == b"\x80":
        return (
            "This looks like a pickle, which can run code when read: convert it to JSON lines."
        )
    return "Convert the file to JSON lines in UTF-8."


def append_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append objects; a torn last line that a crash left is cut away first.

    Each line reaches the file in one write, so after a crash at most the last line is torn.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        _drop_torn_end(file)
        for row in rows:
            file.write(dump_row(row).encode() + b"\n")
            file.flush()
        os.fsync(file.fileno())


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write encoded objects, a line each; compressed where the name ends in .gz.

    The same lines give the same bytes: no time stands in the header.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = b"".join(line + b"\n" for line in lines)
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def dump_row(row: Mapping[str, Any]) -> str:
    """Write one object as strict JSON on one line.

    Raises:
        ValueError: a number is not finite.
    """
    return json.dumps(row, allow_nan=False)


def _drop_torn_end(file: Any) -> None:
    size = file.seek(0, os.SEEK_END)
    start = size
    tail = b""
    while start > 0 and b"\n" not in tail:
        start = max(0, start - 65536)
        file.seek(start)
        tail = file.read(size - start)
    torn = tail.rpartition(b"\n")[2]
    if not torn:
        return
    try:
        json.loads(torn)
    except ValueError:
        file.truncate(size - len(torn))
    else:  # whole but for its line end
        file.seek(0, os.SEEK_END)
        file.write(b"\n")
