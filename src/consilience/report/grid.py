"""The pass matrix as a picture: a row a candidate, a column a test, a mark an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from consilience.report.shapes import Shown, Test
from consilience.sandbox import Status

ROUTES = {
    "given": ("G", "given by the task"),
    "inductive": ("I", "voted by general programs"),
    "transductive": ("T", "voted by programs written for this very input"),
    "predicted": ("P", "predicted by the model"),
    "reference": ("R", "from a reference solution"),
}
"""Route -> its letter above a column, and what it means."""

MARKS = {
    "pass": ("✓", "gave what is expected"),
    "wrong": ("✗", "gave something else"),
    "raised": ("!", "raised an exception"),
    "stopped": ("■", "was stopped: time, memory, a crash"),
    "unrun": ("·", "could not be run: no fault of the candidate"),
}
"""Kind of outcome -> its mark, so that colour is never all there is, and what it means."""

_STOPPED = frozenset(get_args(Status)) - {"ok", "raised", "load_raised"}


@dataclass(frozen=True, slots=True)
class Column:
    """A test."""

    index: int
    letter: str
    doubtful: bool
    begins: bool
    """The first of its route: a gap goes before it."""
    told: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What one candidate did on one test."""

    kind: str
    mark: str
    begins: bool
    told: str


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate and its cells."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole picture."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    routes: tuple[str, ...]
    """The routes and outcomes that occur, for the legend."""
    kinds: tuple[str, ...]


def grid(data: Shown) -> Grid:
    """Lay the matrix out: candidates best first, tests by route, doubtful ones last."""
    order = sorted(
        range(len(data.tests)), key=lambda place: _by_route(data.tests[place], place)
    )
    columns = _columns(data.tests, order)
    lines = tuple(
        Line(row.label, tuple(_cell(data.tests[c.index], row.index, c) for c in columns))
        for row in data.ranking
    )
    found = {cell.kind for line in lines for cell in line.cells}
    routes = {test.route for test in data.tests}
    return Grid(
        columns,
        lines,
        tuple(route for route in ROUTES if route in routes),
        tuple(kind for kind in MARKS if kind in found),
    )


def kind(test: Test, place: int) -> str:
    """Tell what kind of outcome the candidate at *place* had on *test*."""
    passed = test.passed[place]
    if passed is not False:
        return "unrun" if passed is None else "pass"
    got = test.got[place]
    status = test.status[place] if place < len(test.status) else _guess(got)
    if status in {"raised", "load_raised"}:
        return "raised"
    return "wrong" if status == "ok" else "stopped"


def _guess(got: str) -> str:
    """Read the status off what was got: text that a program returned stands in quotes."""
    if got.startswith("raised "):
        return "raised"
    return got if got in _STOPPED else "ok"


def _by_route(test: Test, place: int) -> tuple[int, bool, int]:
    known = list(ROUTES)
    rank = known.index(test.route) if test.route in known else len(known)
    return rank, not test.reliable, place


def _columns(tests: Sequence[Test], order: Sequence[int]) -> tuple[Column, ...]:
    columns, before = [], None
    for place in order:
        test = tests[place]
        letter, means = ROUTES.get(test.route, ("?", test.route))
        doubt = "" if test.reliable else ", but no route was sure"
        told = f"test {place + 1}: {test.call} should be {test.expected} ({means}{doubt})"
        begins = before is not None and before != test.route
        columns.append(Column(place, letter, not test.reliable, begins, told))
        before = test.route
    return tuple(columns)


def _cell(test: Test, place: int, column: Column) -> Cell:
    found = kind(test, place)
    mark, means = MARKS[found]
    told = f"{means}: {test.got[place]}" if found != "unrun" else means
    return Cell(found, mark, column.begins, f"test {column.index + 1}: {told}")
