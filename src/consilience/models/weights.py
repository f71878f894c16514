"""Weights by name: what there is, where it lies on this machine, and how it gets here.

A file counts only with the size and the SHA-256 of its pin, wherever it came from.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from consilience.errors import ModelNotFoundError, WeightsError
from consilience.models.registry import DEFAULT_CODER, DEFAULT_ENCODER, ENTRIES, Entry
from consilience.models.sources import File, Progress, Source, SourceError, part
from consilience.models.sources.download import check
from consilience.models.sources.lock import locked
from consilience.store import cache_folder

__all__ = [
    "DEFAULT_CODER",
    "DEFAULT_ENCODER",
    "Entry",
    "Status",
    "entries",
    "path",
    "pull",
    "status",
]

_CHECKED = ".checked"
_Stamps = dict[str, tuple[int, int, str]]  # file name -> size, mtime in ns, SHA-256
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Status:
    """What of an entry is on this machine."""

    state: Literal["present", "partial", "absent"]
    path: Path
    """Where it is, or would be: the file, or the folder of several."""
    bytes: int
    """Of finished and unfinished files."""


def entries() -> tuple[Entry, ...]:
    """List the weights that can be pulled."""
    return ENTRIES


def path(name: str) -> Path:
    """Return where the weights are: their file, or the folder where there are several.

    Raises:
        ModelNotFoundError: there is no such name.
        WeightsError: they are not on this machine, or not what was pinned.
    """
    entry = _entry(name)
    folder = _folder(entry)
    hint = f"Fetch them: consilience models pull {name}"
    for file in entry.files:
        if not _whole(folder, file):
            message = f"The weights {name} are not on this machine."
            raise WeightsError(message, hint=hint)
        _check(folder, file, hint)
    return _place(entry)


def status(name: str) -> Status:
    """Tell what is on this machine, by sizes alone."""
    entry = _entry(name)
    folder = _folder(entry)
    present = all(_whole(folder, file) for file in entry.files)
    lying = sum(f.stat().st_size for f in folder.iterdir()) if folder.is_dir() else 0
    state: Literal["present", "partial", "absent"] = (
        "present" if present else "partial" if lying else "absent"
    )
    return Status(state, _place(entry), lying)


def pull(name: str, *, progress: Progress | None = None) -> Path:
    """Bring the weights here, from the first source that gives what was pinned.

    What an interrupted pull has fetched is kept and taken up.

    Raises:
        ModelNotFoundError: there is no such name.
        WeightsError: no source gave them; the message says what each answered.
    """
    entry = _entry(name)
    folder = _folder(entry)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", lambda: _log.warning("Another process pulls %s.", name)):
            missing = [file for file in entry.files if not _good(folder, file)]
            if missing:
                _fetch(entry, missing, folder, progress or (lambda *_: None))
                _tidy(folder, entry)
    except OSError as error:
        message = (
            f"The weights {name} cannot be written to {folder}: {error.strerror or error}."
        )
        raise WeightsError(message, hint="CONSILIENCE_CACHE names another folder.") from error
    return _place(entry)


def _entry(name: str) -> Entry:
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in ENTRIES)
    message = f"There are no weights called {name!r}."
    raise ModelNotFoundError(message, hint=f"Known: {known}.")


def _folder(entry: Entry) -> Path:
    return cache_folder() / "models" / entry.name


def _place(entry: Entry) -> Path:
    folder = _folder(entry)
    return folder / entry.files[0].name if len(entry.files) == 1 else folder


def _whole(folder: Path, file: File) -> bool:
    target = folder / file.name
    return target.is_file() and target.stat().st_size == file.size


def _good(folder: Path, file: File) -> bool:
    if not _whole(folder, file):
        return False
    try:
        _check(folder, file, "")
    except WeightsError as error:
        _log.warning("%s Fetching it again.", error)
        return False
    return True


def _check(folder: Path, file: File, hint: str) -> None:
    """Hash the file unless it was found right and has not been touched since."""
    target = folder / file.name
    if _stamps(folder).get(file.name) != _stamp(target, file):
        check(target, file.sha256, str(target), hint)
        _remember(folder, file)


def _stamp(target: Path, file: File) -> tuple[int, int, str]:
    facts = target.stat()
    return facts.st_size, facts.st_mtime_ns, file.sha256


def _remember(folder: Path, file: File) -> None:
    """Note that the file was found right; without that it is merely hashed more often."""
    stamps = {**_stamps(folder), file.name: _stamp(folder / file.name, file)}
    fresh = folder / f"{_CHECKED}.{os.getpid()}"
    try:
        fresh.write_bytes(msgspec.json.encode(stamps))
        fresh.replace(folder / _CHECKED)
    except OSError:  # weights in a folder that only an administrator may write to
        _log.debug("The check of %s could not be noted.", file.name)


def _stamps(folder: Path) -> _Stamps:
    try:
        return msgspec.json.decode((folder / _CHECKED).read_bytes(), type=_Stamps)
    except (OSError, msgspec.DecodeError):
        return {}


def _fetch(entry: Entry, files: Sequence[File], folder: Path, progress: Progress) -> None:
    failures: list[WeightsError] = []
    for source in entry.sources:
        try:
            _from(source, files, folder, progress)
        except WeightsError as error:
            failures.append(error)
            _log.warning("%s: not from %s: %s", entry.name, source.name, error)
        else:
            return
    wrong = [error for error in failures if not isinstance(error, SourceError)]
    if wrong:
        raise wrong[-1]
    reasons = " ".join(f"{s.name}: {e}" for s, e in zip(entry.sources, failures, strict=True))
    message = f"The weights {entry.name} could not be fetched. {reasons}"
    raise WeightsError(
        message, hint="What came is kept: run it again when the network is there."
    )


def _tidy(folder: Path, entry: Entry) -> None:
    """Remove what sources that gave up have left."""
    kept = {file.name for file in entry.files}
    for lying in folder.iterdir():
        if lying.is_file() and lying.name not in kept and not lying.name.startswith("."):
            lying.unlink()


def _from(source: Source, files: Sequence[File], folder: Path, progress: Progress) -> None:
    """Fetch *files* from *source*; once more from nothing where an old part spoilt them."""
    parts = [part(folder, file, source) for file in files]
    resumed = any(target.exists() for target in parts)
    source.fetch(files, folder, progress)
    try:
        for file, target in zip(files, parts, strict=True):
            check(target, file.sha256, file.name)
    except WeightsError:
        for target in parts:
            target.unlink(missing_ok=True)
        if not resumed:
            raise
        _from(source, files, folder, progress)
        return
    for file, target in zip(files, parts, strict=True):
        target.replace(folder / file.name)
        _remember(folder, file)
