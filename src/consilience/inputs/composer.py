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
from consilience.inputs.constraints import Constraints, constraints
from consilience.inputs.formulas import evaluate
from consilience.inputs.layout import Free, Line, Node, Reading, Repeat, Row, Scalar
from consilience.inputs.moods import ITEMS, MOODS, Mood
from consilience.inputs.numbering import Env, Numbers, UnfitError
from consilience.inputs.spellings import plain
from consilience.inputs.words import Words

ATTEMPTS = 30
"""Lines drawn for one that keeps the constraints."""
MOST_COUNTED = 400
"""Items of a small text."""
_INTEGER = re.compile(r"-?\d{1,30}")
_NAME = re.compile(r"[A-Za-z]\w*")
_PAIR = re.compile(
    r"\(([A-Za-z]\w*?)_\w, ?([A-Za-z]\w*?)_\w\)\s*"
    r"(?:!=|(?:are|is) (?:\w+ )?(?:distinct|different))"
)
_TREE = re.compile(r"\btrees?\b", re.IGNORECASE)
_LESS_ONE = r"-\s*\(?1\s*\)?$"
_CONNECTED = re.compile(r"\bconnected\b", re.IGNORECASE)


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
        self._mood = MOODS[0]
        self._left = 0
        self._numbers = Numbers(rng, statement, self._words, layout)

    @property
    def scalars_only(self) -> bool:
        """Tell whether there is nothing to count: single tokens alone."""
        return not self._numbers.sizes

    def text(self, mood: Mood) -> str | None:
        """Draw a text; None where what was drawn breaks a constraint."""
        self._mood, self._left = mood, 6 * ITEMS
        self._numbers.start(mood)
        try:
            lines = self._block(self._layout, {})
        except UnfitError:
            return None
        return "\n".join(lines) + "\n"

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
        self._numbers.begin(node, count, env)
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
        value = self._numbers.scalar(name, env)
        env[name] = value
        return str(value)

    def _word(self, name: str, env: Env) -> str:
        drawn = self._words.draw(name, env, self._rng, self._mood)
        self._spend(len(drawn) // 8)
        return drawn

    def _row(self, row: Row, env: Env) -> list[str]:
        count = self._count(row.count, env)
        name = row.name
        if self._words.is_glued(name):
            self._spend(count // 8)
            return [self._words.text(name, count, self._rng)]
        if self._words.is_word(name):
            return [self._word(name, env) for _ in range(count)]
        self._spend(count)
        return list(map(str, self._numbers.row(row, count, env)))

    def _free(self, node: Free, env: Env) -> list[str]:
        """Draw lines of the kinds that were seen, with numbers near those in their place."""
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
        most = min([v for n, v in env.items() if n in self._numbers.sizes], default=9)
        drawn = [self._rng.choice(column) for column in columns]
        for place in range(kept, len(columns)):
            if _INTEGER.fullmatch(drawn[place]) and self._rng.random() < 0.8:
                low = min(int(each) for each in columns[place])
                drawn[place] = str(self._rng.randint(min(low, 1), max(1, most)))
        return " ".join(drawn)

    # --- what all samples have in common

    def _distinct_lines(self, node: Repeat) -> bool:
        return self._numbers.says_distinct and self._words.distinct_lines(node)

    def _sorted_lines(self, node: Repeat) -> bool:
        line = node.body[0] if len(node.body) == 1 else None
        return (
            self._numbers.says_sorted
            and isinstance(line, Line)
            and (len(line.parts) == 1 or self._words.rising_lines(node))
            and self._words.sorted_lines(node)
        )

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return _PAIR.findall(plain(self._statement))

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


def _by_number(line: str) -> tuple[int, str]:
    first = line.split(" ", maxsplit=1)[0]
    return (int(first), "") if _INTEGER.fullmatch(first) else (0, line)
