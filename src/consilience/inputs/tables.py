"""What square tables of the examples have in common: a diagonal of one value, symmetry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def hollow(table: list[Any], seen: Sequence[list[Any]]) -> list[Any]:
    """Keep a diagonal of one value, and symmetry, where all examples have them."""
    places = [(value, i) for value in seen for i in range(len(value))]
    diagonal = {repr(value[i][i]) for value, i in places}
    if len(diagonal) == 1 and len(places) > 3:
        for i, row in enumerate(table):
            row[i] = seen[0][0][0]
    if len(places) > 3 and all(v[i][j] == v[j][i] for v, i in places for j in range(len(v))):
        for i, row in enumerate(table):
            for j in range(i):
                row[j] = table[j][i]
    return table
