"""Composes texts of one layout: draws its numbers, words, rows, tables and graphs.

What the statement bounds is drawn within its bounds; what all samples have in common, and the
statement speaks of (distinct, sorted, a tree), is kept.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from consilience.inputs import graphs, grids
from consilience.inputs.constraints import Constraints, base_name, constraints, evaluate, plain
from consilience.inputs.layout import Free, Line, Node, Reading, Repeat, Row, Scalar
from consilience.inputs.moods import ITEMS, MOODS, Mood
from consilience.inputs.words import Words

ATTEMPTS = 30
"""Lines drawn for one that keeps the constraints."""
MOST_COUNTED = 400
"""Items of a small text."""
_INTEGER = re.compile(r"-?\d{1,30}")
_NAME = re.compile(r"[A-Za-z]\w*")
_DISTINCT = re.compile(
    r"distinct|different|pairwise|simple graph|multi-?edge|multiple edges|permutation|!=|\\ne",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"\(([A-Za-z]\w*?)_\w, ?([A-Za-z]\w*?)_\w\)\s*(?:!=|(?:are|is) (?:\w+ )?(?:distinct|different))"
)
_SORTED = re.compile(
    r"_\{?1\}?\s*(?:<|\\l[et]q?)|ascending|sorted|increasing|non-?decreasing|in order",
    re.IGNORECASE,
)
_TREE = re.compile(r"\btrees?\b", re.IGNORECASE)
_LESS_ONE = r"-\s*\(?1\s*\)?$"
_CONNECTED = re.compile(r"\bconnected\b", re.IGNORECASE)

Env = dict[str, int]


class UnfitError(Exception):
    """What was drawn breaks a constraint."""


class Composer:
    """Draws texts of one layout."""

    def __init__(
        self,
        rng: random.Random,
        statement: str,
        layout: tuple[Node, ...],
        readings: list[Reading],
    ) -> None:
        """Take a *layout* that the samples follow, and what they hold by it."""
        self._rng = rng
        self._statement = statement
        self._layout = layout
        self._readings = readings
        self._limits: Constraints = constraints(statement)
        self._words = Words(statement, readings)
        self._sizes = frozenset(_counted(layout)) | self._lengths()
        self._kept: dict[tuple[str, str], bool] = {}
        self._mood = MOODS[0]
        self._left = 0
        self._rows: dict[str, list[int]] = {}
        self._used: dict[frozenset[str], set[int]] = {}
        self._ahead: dict[str, list[int]] = {}

    @property
    def scalars_only(self) -> bool:
        """Tell whether there is nothing to count: single tokens alone."""
        return not self._sizes

    def text(self, mood: Mood) -> str | None:
        """Draw a text; None where what was drawn breaks a constraint."""
        self._mood, self._left, self._rows = mood, 6 * ITEMS, {}
        self._used, self._ahead = {}, {}
        try:
            lines = self._block(self._layout, {})
        except UnfitError:
            return None
        return "\n".join(lines) + "\n"

    def _lengths(self) -> frozenset[str]:
        """Return the names of numbers that are the length of a text."""
        names = {name for reading in self._readings for name in reading.values}
        return frozenset(
            part
            for each in self._limits.relations
            if each.left.startswith("|") and self._words.is_word(each.left.strip("|"))
            for part in _NAME.findall(each.right)
            if part in names
        )

    def _spend(self, tokens: int) -> None:
        self._left -= tokens
        if self._left < 0:
            raise UnfitError

    def _block(self, layout: Sequence[Node], env: Env) -> list[str]:
        lines: list[str] = []
        for node in layout:
            if isinstance(node, Line):
                lines.append(self._line(node, env))
            elif isinstance(node, Free):
                lines += self._free(node, env)
            else:
                lines += self._repeat(node, env)
        return lines

    def _line(self, line: Line, env: Env) -> str:
        parts: list[str] = []
        for part in line.parts:
            if isinstance(part, Scalar):
                parts.append(self._scalar(part.name, env))
            else:
                parts += self._row(part, env)
        if not self._limits.hold(env, tuple(part.name for part in line.parts)):
            raise UnfitError
        self._spend(len(parts))
        return " ".join(parts)

    def _repeat(self, node: Repeat, env: Env) -> list[str]:
        count = self._count(node.count, env)
        if self._is_tree(node):
            return self._edges(node, count, env)
        self._begin(node, count, env)
        if count * self._width(node, env) > self._left:
            raise UnfitError
        lines: list[str] = []
        seen: set[str] = set()
        apart = self._distinct_lines(node)
        for _ in range(count):
            for _ in range(ATTEMPTS):
                try:
                    drawn = self._block(node.body, dict(env))
                except UnfitError:
                    self._spend(1)
                    continue
                text = self._identity(node, drawn) if apart else ""
                if not (apart and text in seen):
                    break
            else:
                raise UnfitError
            seen.add(text)
            lines += drawn
        if self._words.is_grid(node):
            return grids.alike(lines, self._words.grids(node), self._rng)
        return sorted(lines, key=_by_number) if self._sorted_lines(node) else lines

    def _width(self, node: Repeat, env: Env) -> int:
        """Tell how many tokens one repetition has at least."""
        parts = [part for line in node.body if isinstance(line, Line) for part in line.parts]
        counts = [evaluate(part.count, env) if isinstance(part, Row) else 1 for part in parts]
        glued = any(self._words.is_glued(part.name) for part in parts)
        return 1 if glued else sum(count or 0 for count in counts)

    def _begin(self, node: Repeat, count: int, env: Env) -> None:
        """Begin anew with what items of a table differ from, and with columns that ascend."""
        parts = [part for line in node.body if isinstance(line, Line) for part in line.parts]
        for part in parts:
            self._used.pop(self._group(part.name), None)
            if part.name in self._limits.rising and isinstance(part, Scalar):
                rows = self._without_repeats(part.name, [0] * count, env)
                self._ahead[part.name] = sorted(rows, reverse=True)

    def _group(self, name: str) -> frozenset[str]:
        """Return the names whose items must all differ from those of *name*; maybe none."""
        return next((group for group in self._limits.apart if name in group), frozenset())

    def _identity(self, node: Repeat, drawn: list[str]) -> str:
        """Tell when two lines are the same: an edge is, whichever way it is written."""
        line = node.body[0]
        names = [part.name for part in line.parts] if isinstance(line, Line) else []
        pair = next((pair for pair in self._pairs if set(pair) <= set(names)), None)
        if len(drawn) == 1 and pair:
            tokens = drawn[0].split()
            return " ".join(tokens[names.index(name)] for name in pair)
        if len(drawn) == 1 and self._words.joins(node):
            return " ".join(sorted(drawn[0].split()[:2]))
        return "\n".join(drawn)

    def _count(self, expression: str, env: Mapping[str, int]) -> int:
        count = evaluate(expression, env)
        if count is None or not 0 <= count <= max(MOST_COUNTED, self._mood.most):
            raise UnfitError
        return count

    def _scalar(self, name: str, env: Env) -> str:
        if self._words.is_word(name):
            return self._word(name, env)
        if self._ahead.get(name):
            value = self._ahead[name].pop()
        else:
            value = self._unused(name, env) if self._group(name) else self._number(name, env)
        env[name] = value
        return str(value)

    def _unused(self, name: str, env: Env) -> int:
        """Draw a number that no item before had."""
        used = self._used.setdefault(self._group(name), set())
        value = self._number(name, env)
        if value in used:
            low, high = self._range(name, env)
            low = max(low, -self._mood.span - len(used))
            near = range(low, min(high, low + self._mood.span + len(used) + 1) + 1)
            free = [one for one in near if one not in used]
            if not free:
                raise UnfitError
            value = self._rng.choice(free)
        used.add(value)
        return value

    def _word(self, name: str, env: Env) -> str:
        drawn = self._words.draw(name, env, self._rng, self._mood)
        self._spend(len(drawn) // 8)
        return drawn

    def _number(self, name: str, env: Mapping[str, int]) -> int:
        low, high = self._range(name, env)
        if name in self._sizes:
            if low > self._mood.most:
                raise UnfitError
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

    def _row(self, row: Row, env: Env) -> list[str]:
        count = self._count(row.count, env)
        name = row.name
        if self._words.is_glued(name):
            self._spend(count // 8)
            return [self._words.text(name, count, self._rng)]
        if self._words.is_word(name):
            return [self._word(name, env) for _ in range(count)]
        self._spend(count)
        if self._words.permuted(name):
            return self._permutation(name, count)
        alone = {k: v for k, v in env.items() if k != name}
        drawn = self._elements(row, count, alone)
        if self._distinct(name):
            drawn = self._without_repeats(name, drawn, env)
        if self._ordered(name):
            drawn.sort()
        self._rows[name] = drawn
        return list(map(str, drawn))

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

    def _permutation(self, name: str, count: int) -> list[str]:
        first = self._words.permuted(name) - 1
        values = list(range(first, first + count))
        self._rng.shuffle(values)
        return list(map(str, values))

    def _without_repeats(self, name: str, drawn: list[int], env: Env) -> list[int]:
        low, high = self._range(name, {k: v for k, v in env.items() if k != name})
        low = max(low, -len(drawn) - self._mood.span)
        room = range(low, min(high, low + 2 * len(drawn) + self._mood.span) + 1)
        if len(room) < len(drawn):
            raise UnfitError
        return self._rng.sample(room, len(drawn))

    def _free(self, node: Free, env: Env) -> list[str]:
        """Draw lines of the kinds that were seen, with numbers near those seen in their place."""
        count = self._count(node.count, env)
        self._spend(3 * count)
        lines = [
            line for reading in self._readings for line in reading.values.get(node.name, [])
        ]
        kinds: dict[tuple[str, int], list[list[str]]] = {}
        for line in lines:
            kinds.setdefault((line[0] if line else "", len(line)), []).append(line)
        if not kinds:
            raise UnfitError
        chosen = sorted(kinds)
        if len(kinds) * 2 > len(lines) and len({length for _, length in kinds}) == 1:
            columns = list(zip(*lines, strict=True))  # the first token is no kind but a value
            return [self._like(columns, env, 0) for _ in range(count)]
        shown = {kind: list(zip(*kinds[kind], strict=True)) for kind in chosen}
        return [self._like(shown[self._rng.choice(chosen)], env, 1) for _ in range(count)]

    def _like(self, columns: Sequence[Sequence[str]], env: Env, kept: int) -> str:
        most = min([v for n, v in env.items() if n in self._sizes], default=9)
        drawn = [self._rng.choice(column) for column in columns]
        for place in range(kept, len(columns)):
            if _INTEGER.fullmatch(drawn[place]) and self._rng.random() < 0.8:
                low = min(int(each) for each in columns[place])
                drawn[place] = str(self._rng.randint(min(low, 1), max(1, most)))
        return " ".join(drawn)

    # --- what all samples have in common

    def _keeps(self, what: str, name: str, says: bool, kept: bool) -> bool:
        return self._kept.setdefault((what, name), says and kept)

    def _distinct(self, name: str) -> bool:
        known = self._kept.get(("distinct", name))
        if known is not None:
            return known
        rows = self._words.rows(name)
        kept = all(len(set(row)) == len(row) for row in rows) and any(len(r) > 1 for r in rows)
        listed = bool(self._group(name)) or name in self._limits.rising
        return listed or self._keeps("distinct", name, self._says_distinct, kept)

    def _ordered(self, name: str) -> bool:
        known = self._kept.get(("ordered", name))
        if known is not None:
            return known
        rows = [[int(each) for each in row] for row in self._words.rows(name) if len(row) > 1]
        kept = bool(rows) and all(row == sorted(row) for row in rows)
        if name in self._limits.rising:
            return True
        return self._keeps("ordered", name, self._says_sorted, kept)

    def _distinct_lines(self, node: Repeat) -> bool:
        return self._says_distinct and self._words.distinct_lines(node)

    def _sorted_lines(self, node: Repeat) -> bool:
        line = node.body[0] if len(node.body) == 1 else None
        return (
            self._says_sorted
            and isinstance(line, Line)
            and (len(line.parts) == 1 or self._words.rising_lines(node))
            and self._words.sorted_lines(node)
        )

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return _PAIR.findall(plain(self._statement))

    @cached_property
    def _says_distinct(self) -> bool:
        return bool(_DISTINCT.search(self._statement))

    @cached_property
    def _says_sorted(self) -> bool:
        return bool(_SORTED.search(self._statement))

    # --- graphs

    def _is_tree(self, node: Repeat) -> bool:
        line = node.body[0] if len(node.body) == 1 else None
        shaped = isinstance(line, Line) and len(line.parts) >= 2
        says = _TREE if re.search(_LESS_ONE, node.count) else _CONNECTED
        return (
            shaped
            and all(isinstance(part, Scalar) for part in getattr(line, "parts", ()))
            and bool(says.search(self._statement))
            and self._words.joins(node)
        )

    def _edges(self, node: Repeat, count: int, env: Env) -> list[str]:
        """Draw the edges of a connected graph; further columns are drawn as they are."""
        line = node.body[0]
        minus = re.search(_LESS_ONE, node.count)
        size = count + 1 if minus else env.get("N", env.get("n", count + 1))
        pairs = graphs.connected(size, count, self._rng)
        if pairs is None or not isinstance(line, Line):
            raise UnfitError
        upward = self._words.upward(node)
        self._spend(count * len(line.parts))
        return [self._edge(sorted(pair) if upward else pair, line, env) for pair in pairs]

    def _edge(self, pair: Sequence[int], line: Line, env: Env) -> str:
        rest = [self._scalar(part.name, dict(env)) for part in line.parts[2:]]
        return " ".join([str(pair[0]), str(pair[1]), *rest])


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


def _by_number(line: str) -> tuple[int, str]:
    first = line.split(" ", maxsplit=1)[0]
    return (int(first), "") if _INTEGER.fullmatch(first) else (0, line)
