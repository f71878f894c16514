"""Verdicts read back from what `--json` printed, checked field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from consilience.errors import InputError
from consilience.formats.jsonl import read_rows
from consilience.report.record import SCHEMA
from consilience.uncertainty import Entropy

HINT = "Name a file that `consilience judge --json` or `consilience bench` wrote."


class Label(Struct, frozen=True):
    """The winner: its place among the candidates, and its name."""

    index: int
    label: str


class Row(Struct, frozen=True):
    """A candidate's place in the ranking."""

    index: int
    label: str
    passed: int
    tests: int
    rank: float | None = None
    score: float | None = None


class Rival(Struct, frozen=True):
    """The tests that tell the winner from one other candidate."""

    rival: str
    index: int
    tests: tuple[int, ...]


class Other(Struct, frozen=True):
    """An outcome that lost the vote."""

    value: str
    votes: int


class Test(Struct, frozen=True):
    """A call, what is expected of it, on what evidence, and what each candidate did."""

    __test__ = False

    call: str
    expected: str
    route: str
    confidence: float
    votes: int
    total: int
    reliable: bool
    passed: tuple[bool | None, ...]
    got: tuple[str, ...]
    status: tuple[str, ...] = ()
    origin: str = ""
    inductive_confidence: float | None = None
    alternatives: tuple[Other, ...] = ()


class Dropped(Struct, frozen=True):
    """An input that became no test."""

    call: str
    reason: str


class Spent(Struct, frozen=True):
    """The tokens of a stage."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False


class Cost(Struct, frozen=True):
    """The tokens of all stages, and their price."""

    prompt_tokens: int
    completion_tokens: int
    dollars: float
    dollars_per_million: float


class Program(Struct, frozen=True):
    """A candidate's name and text."""

    label: str
    code: str


class Shown(Struct, frozen=True):
    """A verdict as a page shows it."""

    schema: str
    task: str
    entry_point: str
    reason: str
    ranking: tuple[Row, ...]
    tests: tuple[Test, ...]
    usage: dict[str, Spent]
    cost: Cost
    isolation: str
    preset: str = ""
    method: str = ""
    model: str | None = None
    tau: float | None = None
    prompt: str = ""
    winner: Label | None = None
    deciding: tuple[Rival, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    candidates: tuple[Program, ...] = ()
    entropy: Entropy | None = None

    @property
    def labels(self) -> dict[int, str]:
        """The candidates' names by their place, best first."""
        return {row.index: row.label for row in self.ranking}


def shown(data: Mapping[str, Any], where: str = "verdict") -> Shown:
    """Check *data*, as `record` made it, and hold it in the form that pages are made of.

    Raises:
        InputError: it is no verdict, a field is missing or of the wrong kind, or the parts
            do not fit each other; *where* is named.
    """
    if data.get("schema") != SCHEMA:
        message = f"{where}: its schema is {data.get('schema')!r}, not {SCHEMA!r}."
        raise InputError(message, hint=HINT)
    try:
        found = msgspec.convert(data, Shown)
    except msgspec.ValidationError as error:
        message = f"{where}: not a whole verdict ({error})."
        raise InputError(message, hint=HINT) from error
    for fault in _misfits(found):
        message = f"{where}: {fault}."
        raise InputError(message, hint=HINT)
    return found


def read(path: Path) -> list[dict[str, Any]]:
    """Read a JSON document, or one a line, as the objects they are.

    Raises:
        InputError: the file cannot be read, or a line is no JSON object.
    """
    try:
        whole = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # no single document: lines, or a clear error
        return [dict(row.fields) for row in read_rows(path)]
    if not isinstance(whole, dict):
        message = f"{path}: not a JSON object."
        raise InputError(message, hint=HINT)
    return [whole]


def _misfits(found: Shown) -> Iterable[str]:
    """Say what does not fit, so that no page is made of half of it."""
    count, tests = len(found.ranking), len(found.tests)
    places = set(range(count))
    if set(found.labels) != places:
        yield "its ranking does not hold each candidate once"
    if found.candidates and len(found.candidates) != count:
        yield f"it has {len(found.candidates)} programs, but {count} places in the ranking"
    if any(len(each) not in {0, count} for t in found.tests for each in (t.passed, t.got)):
        yield "a test has not one outcome a candidate"
    if any(not 0 <= place < tests for rival in found.deciding for place in rival.tests):
        yield "a deciding test is not among its tests"
    chosen = [found.winner] if found.winner else []
    if not {each.index for each in (*found.deciding, *chosen)} <= places:
        yield "a winner or rival is not among its candidates"
    if found.entropy is not None and not _fits(found.entropy, count):
        yield "its entropy is not that of its candidates"


def _fits(entropy: Entropy, count: int) -> bool:
    ends = {end for edge in entropy.edges for end in (edge.first, edge.second)}
    members = sorted(index for each in entropy.classes for index in each.members)
    known = set(range(count))
    return (
        len(entropy.labels) == count
        and members == sorted(known)
        and {*ends, *entropy.unparsable} <= known
        and set(entropy.labels) <= set(range(len(entropy.classes)))
    )
