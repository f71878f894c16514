"""Tells whether arguments that were made otherwise keep what is known of the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.inputs.parameters import Args, Env, Parameters
from consilience.inputs.tables import hollow


class Fitting:
    """Bounds, sizes, letters and habits of the parameters of a call."""

    def __init__(self, known: Parameters) -> None:
        """Take what is *known* of them."""
        self._known = known

    def fits(self, args: Args) -> bool:
        """Tell whether a call keeps the bounds of numbers and of sizes."""
        env: Env = {}
        for name, value in zip(self._known.columns, args, strict=True):
            self._known.note(env, name, value)
        return self._known.limits.hold(env) and all(
            self._fits(name, name, value, env, self._known.columns[name])
            for name, value in zip(self._known.columns, args, strict=True)
        )

    def _fits(self, name: str, deep: str, value: Any, env: Env, seen: Sequence[Any]) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | str | list):
            return True
        if isinstance(value, int):
            low, high = self._known.number(name, env, [])
            return low <= value <= high and self._known.even(name, value, high) == value
        low, high = self._known.size(f"|{deep}|", env, [])
        size = len(value)
        if not low <= size <= max(high, 1) or self._known.even(f"|{deep}|", size, high) != size:
            return False
        if isinstance(value, str):
            return set(value) <= set(self._known.letters([s for s in seen if type(s) is str]))
        return self._fits_list(name, deep, value, env, seen)

    def _fits_list(
        self, name: str, deep: str, value: list[Any], env: Env, seen: Sequence[Any]
    ) -> bool:
        inner = [item for each in seen for item in each]
        if inner and isinstance(inner[0], list) and not self._alike(name, value, env, inner):
            return False
        for habit in (self._known.distinct, self._known.ordered):
            if habit(seen) and not habit([value]):
                return False
        if _square([*seen, value]) and hollow([list(row) for row in value], seen) != value:
            return False
        first = self._known.permuted(seen)
        if first is not None and sorted(value) != list(range(first, first + len(value))):
            return False
        if self._known.tables.get(name) and deep != name:
            return True
        return all(self._fits(name, f"{deep}0", item, env, inner) for item in value)

    def _alike(self, name: str, value: list[Any], env: Env, inner: Sequence[Any]) -> bool:
        """Tell whether rows have the examples' width, and columns keep their bounds."""
        widths = {len(row) for row in inner}
        if len(widths) == 1 and not {len(row) for row in value} <= widths:
            return False
        names = (
            self._known.names_of_columns(name, next(iter(widths))) if len(widths) == 1 else ()
        )
        for row in value if names else ():
            its = {**env, **{n: v for n, v in zip(names, row, strict=True) if type(v) is int}}
            bounded = (self._known.number(n, its, []) for n in names)
            if not self._known.limits.hold(its, names) or any(
                type(v) is int and not low <= v <= high
                for v, (low, high) in zip(row, bounded, strict=True)
            ):
                return False
        return True


def _square(tables: Sequence[Any]) -> bool:
    rows = [(table, row) for table in tables for row in table]
    return bool(rows) and all(
        isinstance(row, list) and len(row) == len(table) for table, row in rows
    )
