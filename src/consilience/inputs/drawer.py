"""Draws the arguments of a call within what is known of its parameters."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from consilience.inputs.moods import ITEMS, MOODS, Mood
from consilience.inputs.parameters import Args, Env, Parameters
from consilience.inputs.tables import hollow

ATTEMPTS = 20
"""Rows drawn for one that keeps the constraints."""


class UnfitError(Exception):
    """What was drawn breaks a constraint."""


class Drawer:
    """Draws one call after another."""

    def __init__(self, rng: random.Random, known: Parameters) -> None:
        """Take what is *known* of the parameters."""
        self._rng = rng
        self._known = known
        self._mood = MOODS[0]
        self._env: Env = {}
        self._left = 0
        self._order = known.order()
        self._spelling: dict[str, tuple[bool, list[str], list[int]]] = {}
        self._flats: dict[str, list[Any]] = {}
        self._counts = known.counts()

    def draw(self, mood: Mood) -> Args | None:
        """Draw a call; None where the constraints cannot be met so."""
        self._mood, self._env, self._left = mood, {}, 3 * ITEMS
        drawn: dict[str, Any] = {}
        try:
            for name in self._order:
                drawn[name] = self._value(name, name, self._known.columns[name])
                self._known.note(self._env, name, drawn[name])
        except UnfitError:
            return None
        kept = self._known.limits.hold(self._env)
        return tuple(drawn[name] for name in self._known.columns) if kept else None

    def _value(self, name: str, deep: str, seen: Sequence[Any]) -> Any:
        """Draw a value of *name*, whose size is called *deep*."""
        rule = _RULES.get(type(seen[0])) if seen else None
        if rule is None or len({type(value) for value in seen}) > 1:
            raise UnfitError(name)
        return rule(self, name, deep, seen)

    def _boolean(self, _: str, __: str, ___: Sequence[Any]) -> bool:
        return self._rng.random() < 0.5

    def _fraction(self, name: str, _: str, seen: Sequence[float]) -> float:
        low, high = self._known.number(name, self._env, [int(min(seen)), int(max(seen)) + 1])
        return round(min(high, low + self._rng.random() * min(self._mood.span, high - low)), 5)

    def _number(self, name: str, _: str, seen: Sequence[int]) -> int:
        low, high = self._known.number(name, self._env, seen)
        if high < low:
            raise UnfitError(name)
        if name in self._counts:
            return self._known.even(name, self._mood.size(self._rng, low, high), high)
        return self._known.even(name, self._mood.number(self._rng, low, high, seen), high)

    def _text(self, _: str, deep: str, seen: Sequence[str]) -> str:
        if deep not in self._spelling:
            lengths = sorted({len(value) for value in seen})
            self._spelling[deep] = _structured(seen), self._known.letters(seen), lengths
        structured, letters, lengths = self._spelling[deep]
        size = self._size(deep, lengths)
        if structured:
            return self._respelled(self._rng.choice(seen), fixed=self._fixed(deep))
        few = self._rng.sample(letters, min(len(letters), self._rng.choice([1, 2, 2, 3, 26])))
        return "".join(self._rng.choices(few, k=size))

    def _fixed(self, deep: str) -> bool:
        low, high = self._known.size(f"|{deep}|", self._env, [0])
        return low == high

    def _respelled(self, text: str, *, fixed: bool) -> str:
        """Draw other digits and letters for those of *text*; what stands between them stays."""
        kept = self._rng.random()
        parts = re.split(r"([^\W_]+)", text)
        for place in range(1, len(parts), 2):
            word = parts[place]
            if not fixed and self._rng.random() < 0.4:
                word = "".join(self._rng.choices(word, k=self._rng.randint(1, len(word) + 1)))
            parts[place] = "".join(
                c if self._rng.random() < kept else self._rng.choice(_kin(c)) for c in word
            )
        return "".join(parts)

    def _size(self, deep: str, seen: Sequence[int]) -> int:
        low, high = self._known.size(f"|{deep}|", self._env, seen)
        if not low <= min(high, self._mood.most):
            raise UnfitError(deep)
        size = self._known.even(f"|{deep}|", self._mood.size(self._rng, low, high), high)
        self._left -= size
        if self._left < 0:
            raise UnfitError(deep)
        return size

    def _items(self, name: str, deep: str, seen: Sequence[list[Any]]) -> list[Any]:
        inner = [item for value in seen for item in value]
        if deep == name and self._known.tree(seen):
            return self._tree(name, seen)
        size = self._size(deep, [len(value) for value in seen])
        if deep == name:
            self._known.note(self._env, name, [None] * size)
        if not inner:
            return []
        permuted = self._known.permuted(seen)
        if permuted is not None:
            return self._rng.sample(range(permuted, permuted + size), size)
        if isinstance(inner[0], list):
            return self._rows(name, deep, seen, size)
        return self._flat(name, deep, seen, size)

    def _flat(self, name: str, deep: str, seen: Sequence[list[Any]], size: int) -> list[Any]:
        inner = [item for value in seen for item in value]
        if size and inner[0] == -1 and self._known.tree([[[0, 1]]]):
            return [-1, *map(self._rng.randrange, range(1, size))]  # parents
        draw = partial(self._value, name, f"{deep}0", inner)
        if self._known.distinct(seen):
            drawn = self._apart(draw, inner, name, size)
        elif type(inner[0]) is int and size > 60:
            drawn = self._many(name, inner, size)
        else:
            drawn = [draw() for _ in range(size)]
        return sorted(drawn) if self._known.ordered(seen) else drawn

    def _many(self, name: str, seen: Sequence[int], size: int) -> list[int]:
        low, high = self._known.number(name, self._env, seen)
        if high < low:
            raise UnfitError(name)
        return [self._mood.number(self._rng, low, high, seen) for _ in range(size)]

    def _apart(
        self, draw: Callable[[], Any], inner: Sequence[Any], name: str, size: int
    ) -> list[Any]:
        if type(inner[0]) is int:
            low, high = self._known.number(name, self._env, inner)
            low = max(low, -size - self._mood.span)
            room = range(low, min(high, low + 2 * size + self._mood.span) + 1)
            if len(room) < size:
                raise UnfitError(name)
            return self._rng.sample(room, size)
        drawn = dict.fromkeys(draw() for _ in range(min(4 * size, size + 200)))
        if len(drawn) < size:
            raise UnfitError(name)
        return list(drawn)[:size]

    def _rows(self, name: str, deep: str, seen: Sequence[list[Any]], size: int) -> list[Any]:
        """Draw a table: by its columns, or of the examples' width, or square where they are."""
        inner = [row for value in seen for row in value]
        widths = sorted({len(row) for row in inner})
        square = all(len(row) == len(value) for value in seen for row in value)
        least, most = self._known.size(f"|{deep}0|", self._env, widths)
        level = len(seen) > 1 and all(len({len(row) for row in value}) <= 1 for value in seen)
        drawn: list[Any] = []
        known: set[str] = set()
        alike = self._known.distinct(seen)
        width = size if square else widths[0] if len(widths) == 1 else 0
        width = least if least == most else width
        if not width and level:
            width = self._size(f"{deep}0", widths)
        if size * width > self._left:
            raise UnfitError(name)
        for _ in range(size):
            for _ in range(ATTEMPTS):
                row = self._row(
                    name, f"{deep}0", inner, width or self._size(f"{deep}0", widths)
                )
                if row is not None and not (alike and repr(row) in known):
                    break
            else:
                raise UnfitError(name)
            known.add(repr(row))
            drawn.append(row)
        return hollow(drawn, seen) if square and width == size else drawn

    def _row(
        self, name: str, deep: str, inner: Sequence[list[Any]], width: int
    ) -> list[Any] | None:
        flat = self._flats.setdefault(deep, [item for row in inner for item in row])
        if not flat:
            return []
        self._left -= width
        if self._left < 0:
            raise UnfitError(name)
        names = self._known.names_of_columns(name, width)
        if not names:
            if all(type(item) is int for item in flat[:9]):
                return self._many(name, flat, width)
            return [self._value(name, f"{deep}0", flat) for _ in range(width)]
        outer, row = self._env, []
        self._env = dict(outer)
        try:
            for place, column in enumerate(names):
                row.append(self._value(column, f"{column}", [r[place] for r in inner]))
                if type(row[-1]) is int:
                    self._env[column] = row[-1]
            kept = self._known.limits.hold(self._env, names)
        except UnfitError:
            kept = False
        finally:
            self._env = outer
        return row if kept and not self._turned(row, inner) else None

    def _turned(self, row: list[Any], inner: Sequence[list[Any]]) -> bool:
        """Tell whether a row breaks an order of its first two that all examples keep."""
        if len(inner) < 4 or any(
            type(r[0]) is not int or type(r[1]) is not int for r in inner if len(r) > 1
        ):
            return False
        pairs = [(r[0], r[1]) for r in inner if len(r) > 1]
        if len(pairs) < 4 or len(row) < 2:
            return False
        if all(a < b for a, b in pairs):
            return bool(row[0] >= row[1])
        return all(a != b for a, b in pairs) and bool(row[0] == row[1]) and len(row) < 4

    def _tree(self, name: str, seen: Sequence[list[list[Any]]]) -> list[list[Any]]:
        """Draw the edges of a tree on the numbers from 0 or 1 on."""
        first = min(min(row[:2]) for value in seen for row in value)
        size = self._env.get(f"|{name}|")
        low, high = self._known.size(f"|{name}|", self._env, [1, 9])
        count = self._mood.size(self._rng, low, high) if size is None else size
        places = list(range(first, first + count + 1))
        self._rng.shuffle(places)
        near = self._rng.random() < 0.3  # long paths, too
        edges = [
            [places[i - 1 if near else self._rng.randrange(i)], places[i]]
            for i in range(1, len(places))
        ]
        rest = [row[2:] for value in seen for row in value]
        return [[*edge, *self._rng.choice(rest)] for edge in edges]


def _structured(seen: Sequence[str]) -> bool:
    """Tell whether texts are words with the same marks between them, as dates are."""
    marks = {"".join(re.findall(r"[\W_]", text)) for text in seen}
    return (
        len(seen) > 1 and len(marks) == 1 and marks != {""} and any(map(str.isalnum, seen[0]))
    )


def _kin(character: str) -> str:
    for kind in (string.digits, string.ascii_lowercase, string.ascii_uppercase):
        if character in kind:
            return kind
    return character


_RULES: dict[type, Callable[[Drawer, str, str, Sequence[Any]], Any]] = {
    bool: Drawer._boolean,
    int: Drawer._number,
    float: Drawer._fraction,
    str: Drawer._text,
    list: Drawer._items,
}
