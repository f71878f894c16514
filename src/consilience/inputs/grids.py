"""What grids of characters have in common: a border of one character, marks that occur once."""

from __future__ import annotations

import random
from collections.abc import Sequence

FEWEST = 2
"""Samples that show a habit."""


def alike(
    lines: Sequence[str], samples: Sequence[Sequence[str]], rng: random.Random
) -> list[str]:
    """Return *lines* with the border and the marks that all *samples* have."""
    if len(samples) < FEWEST or len({len(line) for line in lines}) != 1 or not lines[0]:
        return list(lines)
    cells = [list(line) for line in lines]
    marks = _marks(samples)
    common = [c for row in cells for c in row if c not in marks]
    inside = [(i, j) for i in range(len(cells)) for j in range(len(cells[0]))]
    border = _border(samples)
    if border:
        edge = [
            (i, j) for i, j in inside if i in {0, len(cells) - 1} or j in {0, len(cells[0]) - 1}
        ]
        for i, j in edge:
            cells[i][j] = border
        inside = [place for place in inside if place not in set(edge)]
    _place(cells, inside, marks, rng.choice(common) if common else "", rng)
    return ["".join(row) for row in cells]


def _place(
    cells: list[list[str]],
    inside: Sequence[tuple[int, int]],
    marks: Sequence[str],
    other: str,
    rng: random.Random,
) -> None:
    """Put each mark somewhere inside, once, and *other* where marks were drawn by chance."""
    for i, j in inside:
        if cells[i][j] in marks:
            cells[i][j] = other or marks[0]
    if len(inside) >= len(marks):
        for (i, j), mark in zip(rng.sample(inside, len(marks)), marks, strict=True):
            cells[i][j] = mark


def _marks(samples: Sequence[Sequence[str]]) -> list[str]:
    texts = ["".join(grid) for grid in samples if grid]
    once = [{c for c in text if text.count(c) == 1} for text in texts]
    return sorted(set.intersection(*once)) if once and max(map(len, texts)) > 6 else []


def _border(samples: Sequence[Sequence[str]]) -> str:
    edges = {
        c
        for grid in samples
        if grid and grid[0]
        for c in [*grid[0], *grid[-1], *(row[0] for row in grid), *(row[-1] for row in grid)]
    }
    within = {c for grid in samples for row in grid[1:-1] for c in row[1:-1]}
    return next(iter(edges)) if len(edges) == 1 and len(within) > 1 else ""
