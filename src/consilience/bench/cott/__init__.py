"""CoTT's experiment: every method on the same inputs, each vote recorded.

A row holds what every program and every answer gave on every input, so that all methods, all
thresholds and all analyses are computed from the record, with no model and no program run.
Outputs are numbered within an input: equal numbers mean equal outputs, None a failure.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec

from consilience.errors import InputError
from consilience.formats.jsonl import write_lines

SCHEMA = "consilience.bench.cott/1"
Labels = tuple[int | None, ...]
Cost = dict[str, tuple[int, int]]
"""Tokens read and written, by stage."""


class Stated(msgspec.Struct, frozen=True):
    """An example of the task itself: a given test."""

    call: str
    expected: int
    values: tuple[str, ...]
    """The distinct outputs, in wire form; of a long one its digest, as text."""
    right: tuple[bool, ...]
    """Which of them the reference solution's rule accepts."""
    candidates: Labels
    voters: Labels


class InputRow(msgspec.Struct, frozen=True):
    """One input, and what everything gave on it."""

    call: str
    origin: str
    values: tuple[str, ...]
    right: tuple[bool, ...]
    truth: int | None
    """What the reference solution gives; None: the input is invalid for it."""
    candidates: Labels
    voters: Labels
    """General programs, one a sample (p_ind)."""
    transductive: Labels = ()
    """Programs written for this very input, in the order drawn (p_trans)."""
    cot: Labels = ()
    """What one greedy chain of thought states."""
    sol_ver: Labels = ()
    """What several chains of thought state."""
    syntra: int | None = None
    """What the hypothesis that SYNTRA kept gives."""
    tokens: Cost = {}
    """Of what was asked about this input alone."""


class TaskRow(msgspec.Struct, frozen=True):
    """One reranking task with everything that was seen of it."""

    task_id: str
    dataset: str
    candidates: tuple[str, ...]
    """How a person knows them."""
    truth: tuple[float, ...]
    """Their share of the reference inputs."""
    truth_inputs: int
    believing: tuple[bool, ...]
    """Which voters pass the task's own examples; all, if none does."""
    given: tuple[Stated, ...]
    inputs: tuple[InputRow, ...]
    tokens: Cost
    """Of what was asked once for the task: inputs, induction, syntra."""
    queries: int = 0
    """Inputs that SYNTRA asked about."""
    model: str | None = None
    settings: dict[str, object] = {}
    schema: str = SCHEMA


def read_rows(path: Path) -> list[TaskRow]:
    """Read the rows of a record.

    Raises:
        InputError: a line is none of ours, or the file cannot be read.
    """
    return list(_rows(path))


def write_rows(path: Path, rows: list[TaskRow]) -> None:
    """Write *rows* as JSON lines, by task; compressed where the name ends in .gz."""
    ordered = sorted(rows, key=lambda row: (row.dataset, row.task_id))
    write_lines(path, map(msgspec.json.encode, ordered))


def _rows(path: Path) -> Iterator[TaskRow]:
    hint = "Name what `consilience bench cott -o` wrote."
    try:
        held = path.read_bytes()
        lines = (gzip.decompress(held) if path.suffix == ".gz" else held).splitlines()
    except (OSError, EOFError) as error:
        message = f"{path}: {getattr(error, 'strerror', None) or error}."
        raise InputError(message, hint=hint) from None
    for number, line in enumerate(lines, 1):
        try:
            row = msgspec.json.decode(line, type=TaskRow)
        except msgspec.DecodeError as error:
            message = f"{path}, line {number}: {error}."
            raise InputError(message, hint=hint) from None
        if row.schema != SCHEMA:
            message = f"{path}, line {number}: schema is {row.schema!r}, not {SCHEMA!r}."
            raise InputError(message, hint=hint)
        yield row
