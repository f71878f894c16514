"""Draws numbers and rows of numbers within what statement and samples say of their names."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from consilience.inputs.constraints import constraints
from consilience.inputs.layout import Free, Line, Node, Repeat, Row, Scalar
from consilience.inputs.moods import ITEMS, MOODS, Mood
from consilience.inputs.spellings import base_name
from consilience.inputs.words import Words

ATTEMPTS = 10
"""Numbers drawn for one that no item before had."""
MOST_FREE = 1000
"""Numbers among which those that are left over are looked for."""

_NAME = re.compile(r"[A-Za-z]\w*")
Env = dict[str, int]

_DISTINCT = re.compile(
    r"distinct|different|pairwise|simple graph|multi-?edge|multiple edges|permutation|!=|\\ne",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r"_\{?1\}?\s*(?:<|\\l[et]q?)|ascending|sorted|increasing|non-?decreasing|in order",
    re.IGNORECASE,
)


class UnfitError(Exception):
    """What was drawn breaks a constraint."""


class Numbers:
    """Draws the numbers of one text after another."""

    def __init__(
        self, rng: random.Random, statement: str, words: Words, layout: Sequence[Node]
    ) -> None:
        """Take what the samples show, and how they are laid out."""
        self._rng = rng
        self._statement = statement
        self._limits = constraints(statement)
        self._words = words
        self.sizes = frozenset(_counted(layout)) | words.lengths()
        self._outer = frozenset(_cases(layout, self.sizes))
        self._kept: dict[tuple[str, str], bool] = {}
        self.start(MOODS[0])

    def start(self, mood: Mood) -> None:
        """Begin another text."""
        self._mood = mood
        self._rows: dict[str, list[int]] = {}
        self._used: dict[frozenset[str], set[int]] = {}
        self._ahead: dict[str, list[int]] = {}

    def row(self, row: Row, count: int, env: Env) -> list[int]:
        """Draw *count* numbers, distinct or in order where they are so."""
        name = row.name
        if self._words.permuted(name):
            return self._permutation(name, count)
        alone = {k: v for k, v in env.items() if k != name}
        drawn = self._elements(row, count, alone)
        if self._distinct(name):
            drawn = self._without_repeats(name, drawn, env)
        if self._ordered(name):
            drawn.sort()
        self._rows[name] = drawn
        return drawn

    def scalar(self, name: str, env: Env) -> int:
        """Draw one number: the next of a column that ascends, or one that none before had."""
        if self._ahead.get(name):
            return self._ahead[name].pop()
        return self._unused(name, env) if self._group(name) else self._number(name, env)

    def begin(self, node: Repeat, count: int, env: Env) -> None:
        """Begin anew with what items of a table differ from, and with columns that ascend."""
        parts = [part for line in node.body if isinstance(line, Line) for part in line.parts]
        for part in parts:
            self._used.pop(self._group(part.name), None)
            if part.name in self._limits.rising and isinstance(part, Scalar):
                rows = self._without_repeats(part.name, [0] * count, env)
                self._ahead[part.name] = sorted(rows, reverse=True)

    def _unused(self, name: str, env: Env) -> int:
        """Draw a number that no item before had."""
        used = self._used.setdefault(self._group(name), set())
        value = self._number(name, env)
        if value in used:
            low, high = self._range(name, env)
            low = max(low, -self._mood.span - len(used))
            near = range(low, min(high, low + self._mood.span + 2 * len(used) + 1) + 1)
            tried = (self._rng.choice(near) for _ in range(ATTEMPTS))
            found = next((one for one in tried if one not in used), None)
            value = self._last(near, used) if found is None else found
        used.add(value)
        return value

    def _last(self, near: range, used: set[int]) -> int:
        free = [one for one in near if one not in used] if len(near) < MOST_FREE else []
        if not free:
            raise UnfitError
        return self._rng.choice(free)

    def _number(self, name: str, env: Mapping[str, int]) -> int:
        low, high = self._range(name, env)
        if name in self.sizes:
            if low > self._mood.most:
                raise UnfitError
            if (
                name in self._outer
                and self._mood.most >= ITEMS // 100
                and self._rng.random() < 0.8
            ):
                high = max(low, min(high, 2))  # few cases, that each of them may be large
            return self._even(name, self._mood.size(self._rng, low, high), high)
        return self._even(
            name, self._mood.number(self._rng, low, high, self._words.numbers(name)), high
        )

    def _even(self, name: str, drawn: int, high: int) -> int:
        """Keep a number odd or even where the statement says so."""
        parity = self._limits.parity.get(name)
        if parity is None or drawn % 2 == parity:
            return drawn
        return drawn + (1 if drawn < high else -1)

    def _range(self, name: str, env: Mapping[str, int]) -> tuple[int, int]:
        """Return what *name* may be: as the statement says, else as the samples show."""
        said = name if "_" not in name else base_name(name)
        low, high = self._limits.low(said, env), self._limits.high(said, env)
        far = self._limits.high(f"|{name}|", env) if low is None else None
        if far is not None and high is None:  # |x| <= 5 of a number
            return -far, far
        seen = self._words.numbers(name)
        if low is None:
            low = min([*seen, 1]) if high is None else min([*seen, 1, high])
        if high is None:
            high = max([*seen, low + 9])
        if high < low:
            raise UnfitError
        return low, high

    def _elements(self, row: Row, count: int, env: Env) -> list[int]:
        """Draw the numbers of a row, each beside those in its place in rows that bound it."""
        name = row.name
        if self._limits.rests_on(name, "i"):
            skipped = re.search(r"-\((\d+)\)$", row.count)
            first = int(skipped[1]) + 1 if skipped else 1
            return [self._number(name, env | {"i": first + i}) for i in range(count)]
        beside = [
            other
            for other, drawn in self._rows.items()
            if len(drawn) == count and other != name and self._relate(name, other)
        ]
        if beside:
            return [
                self._number(name, env | {other: self._rows[other][i] for other in beside})
                for i in range(count)
            ]
        low, high = self._range(name, env) if count else (0, 0)
        seen = self._words.numbers(name)
        drawn = [self._mood.number(self._rng, low, high, seen) for _ in range(count)]
        if name in self._limits.uneven:
            for i in range(1, count):
                if drawn[i] == drawn[i - 1]:
                    drawn[i] = drawn[i] + 1 if drawn[i] < high else low
        if name in self._limits.parity and "+" in self._statement and count:
            return self._summed(name, drawn, low, high)
        return drawn

    def _summed(self, name: str, drawn: list[int], low: int, high: int) -> list[int]:
        """Make the sum odd or even: `D_1 + ... + D_M is odd`."""
        if sum(drawn) % 2 != self._limits.parity[name]:
            if low == high:
                raise UnfitError
            drawn[-1] += 1 if drawn[-1] < high else -1
        return drawn

    def _relate(self, one: str, two: str) -> bool:
        return any({each.left, each.right} == {one, two} for each in self._limits.relations)

    def _permutation(self, name: str, count: int) -> list[int]:
        first = self._words.permuted(name) - 1
        values = list(range(first, first + count))
        self._rng.shuffle(values)
        return values

    def _without_repeats(self, name: str, drawn: list[int], env: Env) -> list[int]:
        low, high = self._range(name, {k: v for k, v in env.items() if k != name})
        low = max(low, -len(drawn) - self._mood.span)
        room = range(low, min(high, low + 2 * len(drawn) + self._mood.span) + 1)
        if len(room) < len(drawn):
            raise UnfitError
        return self._rng.sample(room, len(drawn))

    # --- what all samples have in common

    def _group(self, name: str) -> frozenset[str]:
        """Return the names whose items must all differ from those of *name*; maybe none."""
        return next((group for group in self._limits.apart if name in group), frozenset())

    def _keeps(self, what: str, name: str, says: bool, kept: bool) -> bool:
        return self._kept.setdefault((what, name), says and kept)

    def _distinct(self, name: str) -> bool:
        known = self._kept.get(("distinct", name))
        if known is not None:
            return known
        rows = self._words.rows(name)
        kept = all(len(set(row)) == len(row) for row in rows) and any(len(r) > 1 for r in rows)
        listed = bool(self._group(name)) or name in self._limits.rising
        return listed or self._keeps("distinct", name, self.says_distinct, kept)

    def _ordered(self, name: str) -> bool:
        known = self._kept.get(("ordered", name))
        if known is not None:
            return known
        rows = [[int(each) for each in row] for row in self._words.rows(name) if len(row) > 1]
        kept = bool(rows) and all(row == sorted(row) for row in rows)
        if name in self._limits.rising:
            return True
        return self._keeps("ordered", name, self.says_sorted, kept)

    @cached_property
    def says_distinct(self) -> bool:
        """Tell whether the statement speaks of what differs."""
        return bool(_DISTINCT.search(self._statement))

    @cached_property
    def says_sorted(self) -> bool:
        """Tell whether the statement speaks of an order."""
        return bool(_SORTED.search(self._statement))


def _counted(layout: Sequence[Node]) -> list[str]:
    """List the names that say how many of something there are."""
    found: list[str] = []
    for node in layout:
        if isinstance(node, Repeat | Free):
            found += _NAME.findall(node.count)
        if isinstance(node, Repeat):
            found += _counted(node.body)
        if isinstance(node, Line):
            rows = [part for part in node.parts if isinstance(part, Row)]
            found += [name for row in rows for name in _NAME.findall(row.count)]
    return found


def _cases(layout: Sequence[Node], sizes: frozenset[str]) -> Iterator[str]:
    """Yield the names that count what has sizes of its own."""
    for node in layout:
        if isinstance(node, Repeat):
            parts = [
                part for line in node.body if isinstance(line, Line) for part in line.parts
            ]
            if any(isinstance(part, Scalar) and part.name in sizes for part in parts):
                yield from _NAME.findall(node.count)
