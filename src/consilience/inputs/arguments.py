"""Arguments of a call, drawn within what the statement says of them.

LeetCode's constraints bound each parameter by name: `1 <= nums.length <= 50`,
`1 <= nums[i] <= 100`, `1 <= k <= nums.length`. What is not said is learned from the examples.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from consilience.code import Signature
from consilience.inputs.constraints import constraints
from consilience.inputs.moods import MOODS, Mood
from consilience.values import identity

Args = tuple[Any, ...]

MOST_TRIES = 8
"""Calls drawn for one that is wanted."""
MOST_ITEMS = 60
_DISTINCT = re.compile(r"distinct|unique|permutation|no (?:two|duplicate)", re.IGNORECASE)
_SORTED = re.compile(r"sorted|non-?decreasing|ascending|increasing order", re.IGNORECASE)
_TREE = re.compile(r"\b(?:valid )?tree\b", re.IGNORECASE)
_LOWER = re.compile(r"lower-?\s?case", re.IGNORECASE)


def draw_arguments(
    pool: Sequence[Args], *, count: int, seed: int, signature: Signature | None, statement: str
) -> list[Args]:
    """Return up to *count* new calls within the constraints, distinct and none of *pool*.

    Nothing comes back where the statement bounds none of the parameters.
    """
    names = [parameter.name for parameter in signature.parameters] if signature else []
    fitting = [args for args in pool if len(args) == len(names)]
    limits = constraints(statement)
    spoken = {name for each in limits.relations for name in (each.left, each.right)}
    if not fitting or not any(name in spoken or f"|{name}|" in spoken for name in names):
        return []
    drawer = _Drawer(random.Random(seed), names, fitting, statement)  # noqa: S311
    seen = {identity.key(args) for args in pool}
    made: list[Args] = []
    for turn in range(MOST_TRIES * count):
        if len(made) >= count:
            break
        args = drawer.draw(MOODS[turn % len(MOODS)])
        name = identity.key(args)
        if args is not None and name not in seen:
            seen.add(name)
            made.append(args)
    return made


class _Drawer:
    """Draws one call after another."""

    def __init__(
        self, rng: random.Random, names: Sequence[str], pool: Sequence[Args], statement: str
    ) -> None:
        self._rng = rng
        self._columns = dict(zip(names, zip(*pool, strict=True), strict=True))
        self._statement = statement
        self._limits = constraints(statement)
        self._mood = MOODS[0]
        self._env: dict[str, int] = {}

    def draw(self, mood: Mood) -> Args | None:
        """Draw a call; None where the constraints cannot be met so."""
        self._mood, self._env = mood, {}
        drawn: dict[str, Any] = {}
        for name in self._order():
            try:
                drawn[name] = self._value(name, self._columns[name])
            except ValueError:
                return None
            self._note(name, drawn[name])
        return tuple(drawn[name] for name in self._columns) if self._holds() else None

    def _order(self) -> list[str]:
        """Draw last what is bounded by the others: `k <= nums.length` after `nums`."""

        def depends(name: str) -> int:
            bounds = [
                other
                for each in self._limits.relations
                for mine, other in ((each.left, each.right), (each.right, each.left))
                if mine in {name, f"|{name}|"} and each.sign != "!="
            ]
            others = [one for one in self._columns if one != name]
            upper = [b for b in bounds if any(re.search(rf"\b{o}\b", b) for o in others)]
            return len(upper) + (not isinstance(self._columns[name][0], list))

        return sorted(self._columns, key=depends)

    def _note(self, name: str, value: Any) -> None:
        if isinstance(value, int) and not isinstance(value, bool):
            self._env[name] = value
        if isinstance(value, str | list):
            self._env[f"|{name}|"] = len(value)
            if name == "nums":
                self._env.setdefault("n", len(value))

    def _holds(self) -> bool:
        return self._limits.hold(self._env)

    def _value(self, name: str, seen: Sequence[Any]) -> Any:
        rule = _RULES.get(type(seen[0]))
        if rule is None or len({type(value) for value in seen}) > 1:
            raise ValueError(name)
        return rule(self, name, seen)

    def boolean(self, _: str, __: Sequence[Any]) -> bool:
        return self._rng.random() < 0.5

    def number(self, name: str, seen: Sequence[int]) -> int:
        low, high = self._range(name, seen)
        if high < low:
            raise ValueError(name)
        return self._mood.number(self._rng, low, high, seen)

    def _range(self, name: str, seen: Sequence[int]) -> tuple[int, int]:
        low, high = self._limits.low(name, self._env), self._limits.high(name, self._env)
        low = min([*seen, 1]) if low is None else low
        return low, (max([*seen, low + 9]) if high is None else high)

    def text(self, name: str, seen: Sequence[str]) -> str:
        return self._text(self._size(f"|{name}|", [len(value) for value in seen]), seen)

    def _text(self, size: int, seen: Sequence[str]) -> str:
        letters = sorted({character for value in seen for character in value})
        if all(letter.islower() for letter in letters) and _LOWER.search(self._statement):
            letters = sorted({*letters, "a", "b", "c"})
        letters = letters or ["a"]
        few = self._rng.sample(letters, min(len(letters), self._rng.choice([1, 2, 2, 3, 26])))
        return "".join(self._rng.choice(few) for _ in range(size))

    def _size(self, name: str, seen: Sequence[int]) -> int:
        low, high = self._limits.low(name, self._env), self._limits.high(name, self._env)
        low = min([*seen, 1]) if low is None else low
        high = max([*seen, low]) if high is None else high
        if high < low:
            raise ValueError(name)
        return self._mood.size(self._rng, low, min(high, MOST_ITEMS))

    def items(self, name: str, seen: Sequence[list[Any]]) -> list[Any]:
        inner = [item for value in seen for item in value]
        if _TREE.search(self._statement) and self._joins(inner):
            return self._tree(name, seen)
        size = self._size(f"|{name}|", [len(value) for value in seen])
        self._env[f"|{name}|"] = size
        if not inner:
            return []
        permuted = self._permuted(seen)
        if permuted is not None:
            return self._rng.sample(range(permuted, permuted + size), size)
        if isinstance(inner[0], list):
            return self._rows(name, seen, inner, size)
        drawn = [self._item(name, inner) for _ in range(size)]
        if _DISTINCT.search(self._statement) and all(len(set(v)) == len(v) for v in seen):
            drawn = self._apart(name, inner, drawn)
        if _SORTED.search(self._statement) and all(v == sorted(v) for v in seen):
            drawn.sort()
        return drawn

    def _item(self, name: str, inner: Sequence[Any]) -> Any:
        if isinstance(inner[0], str):
            size = self._size(f"|{name}0|", [len(value) for value in inner])
            return self._text(size, inner)
        return self._value(name, inner)

    def _apart(self, name: str, inner: Sequence[Any], drawn: list[Any]) -> list[Any]:
        if not isinstance(inner[0], int):
            return list(dict.fromkeys(drawn))
        low, high = self._range(name, inner)
        room = range(low, min(high, low + len(drawn) + self._mood.span) + 1)
        if len(room) < len(drawn):
            raise ValueError(name)
        return self._rng.sample(room, len(drawn))

    def _permuted(self, seen: Sequence[list[Any]]) -> int | None:
        """Return the first number where every example is a permutation."""
        plain = all(isinstance(item, int) for value in seen for item in value)
        for first in (0, 1):
            spans = [list(range(first, first + len(value))) for value in seen]
            if plain and max(map(len, seen)) > 2 and [sorted(v) for v in seen] == spans:
                return first
        return None

    def _rows(
        self, name: str, seen: Sequence[list[Any]], inner: Sequence[list[Any]], size: int
    ) -> list[Any]:
        """Draw a table: of the examples' width, or a square one where they are."""
        widths = {len(row) for row in inner}
        square = all(len(row) == len(value) for value in seen for row in value)
        rectangular = all(len({len(row) for row in value}) <= 1 for value in seen)
        common = size if square else next(iter(widths)) if len(widths) == 1 else 0
        if not common and rectangular:
            common = self._size(f"|{name}0|", sorted(widths))
        rows = []
        for _ in range(size):
            width = common or self._size(f"|{name}0|", sorted(widths))
            rows.append(self._columnwise(name, inner, width, fixed=len(widths) == 1))
        return rows

    def _columnwise(
        self, name: str, inner: Sequence[list[Any]], width: int, *, fixed: bool
    ) -> list[Any]:
        """Draw a row; in a table of fixed width each column has values of its own."""
        flat = [item for row in inner for item in row]
        if not flat:
            return []
        bounded = self._limits.high(name, self._env) is not None
        row: list[Any] = []
        for place in range(width):
            column = (
                [other[place] for other in inner if place < len(other)]
                if fixed and not bounded
                else []
            )
            row.append(self._value(name, column or flat))
        ordered = fixed and width > 1 and len(inner) > 2
        if ordered and all(isinstance(r[0], int) and r[0] <= r[1] for r in inner):
            row[:2] = sorted(row[:2])
        return row

    def _joins(self, inner: Sequence[Any]) -> bool:
        return bool(inner) and all(
            isinstance(row, list) and len(row) >= 2 and row[0] != row[1] for row in inner
        )

    def _tree(self, name: str, seen: Sequence[list[list[int]]]) -> list[list[int]]:
        """Draw the edges of a tree on the numbers from 0 or 1 on."""
        first = min(min(row[:2]) for value in seen for row in value)
        size = self._mood.size(self._rng, 1, MOST_ITEMS)
        places = list(range(first, first + size + 1))
        self._rng.shuffle(places)
        self._env["n"] = size + 1
        edges = [[places[self._rng.randrange(i)], places[i]] for i in range(1, len(places))]
        rest = [row[2:] for value in seen for row in value]
        return [[*edge, *self._rng.choice(rest)] for edge in edges]


_RULES: dict[type, Callable[[_Drawer, str, Sequence[Any]], Any]] = {
    bool: _Drawer.boolean,
    int: _Drawer.number,
    str: _Drawer.text,
    list: _Drawer.items,
}
