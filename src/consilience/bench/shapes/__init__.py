"""How well programs of every shape are judged: rows that hold figures and no text of a task.

A record is JSON lines: a head, then a row a task in the order they came. A row says which
candidates are right and how each was scored by every rule; all tables are counted from that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from consilience.errors import InputError
from consilience.formats.jsonl import read_rows as read_lines

SCHEMA = "consilience.bench.shapes/1"
Scores = tuple[float | None, ...]
"""One a candidate; larger is better, None is below all."""


class Found(msgspec.Struct, frozen=True):
    """What a verdict said of the candidates of one task."""

    judged: bool
    """False where no winner may be named; who wants one then has to draw by lot."""
    reason: str = ""
    """Why it was not judged, without any text of the task."""
    scores: Scores = ()
    trust: tuple[float, ...] = ()
    """Probability that each candidate is right; empty where none was given."""
    probes: int = 0
    """How many were tried beside the task's own examples."""
    usable: int = 0
    """On how many most of the candidates that pass the examples gave an answer."""
    seconds: float = 0.0
    program_cpu: float = 0.0
    """CPU seconds of the programs."""
    own_cpu: float = 0.0
    """CPU seconds of the judge itself."""
    calls: int = 0
    """How many times a program was run on a probe."""
    tokens: tuple[int, int] = (0, 0)
    """Read and written by a model."""


class ShapeRow(msgspec.Struct, frozen=True):
    """One task."""

    task_id: str
    shape: str
    difficulty: str
    """As its site says; empty where it does not."""
    right: tuple[bool, ...]
    examples: int
    """How many examples the task states."""
    passed: Scores
    """Share of them that each candidate passes; None where there are none."""
    majority: Scores
    """Share of the candidates that do the same on every probe, 0 where nothing came back."""
    found: dict[str, Found]
    """By verb: behaviour is `judge --until behaviour`, tests is `judge` with a model."""

    @property
    def mixed(self) -> bool:
        """Tell whether there is something to choose: a right candidate and a wrong one."""
        return len(set(self.right)) == 2


class Head(msgspec.Struct, frozen=True):
    """What a record was made of, and on what."""

    tasks: str
    """The file, and the first half of its digest."""
    samples: str
    model: str
    """Empty where no model was asked."""
    settings: dict[str, Any]
    """All choices, the seed among them."""
    chosen: str
    """Which tasks: all, or how many of which."""
    machine: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    """Tasks without truth, each with the reason."""
    schema: str = SCHEMA

    def same_run(self, other: Head) -> bool:
        """Tell whether a run with this head may go on where *other* stopped."""
        names = ("tasks", "samples", "model", "settings", "chosen", "schema")
        return all(getattr(self, name) == getattr(other, name) for name in names)


def read_record(path: Path) -> tuple[Head, list[ShapeRow]]:
    """Read a record of `bench shapes`; a last line that a crash cut off is skipped.

    Raises:
        InputError: it is none, or cannot be read.
    """
    lines = [row.fields for row in read_lines(path, forgive_torn_end=True)]
    if not lines or lines[0].get("schema") != SCHEMA:
        found = lines[0].get("schema") if lines else None
        message = f"{path}: its schema is {found!r}, not {SCHEMA!r}."
        raise InputError(message, hint="Name what `consilience bench shapes` wrote.")
    try:
        rows = [msgspec.convert(line, ShapeRow) for line in lines[1:]]
        return msgspec.convert(lines[0], Head), rows
    except msgspec.ValidationError as error:
        message = f"{path}: {error}."
        raise InputError(message, hint="Was it written by another version?") from None
