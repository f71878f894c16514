"""Multiply the texts that a script reads: by the layout of its input, within its constraints.

Small cases find most wrong programs: few items, small values, so that ties and coincidences
happen. So most texts are tiny, some are at the edges of what the statement allows, a few are of
medium size. Where the statement shows no layout, the samples' own tokens are varied.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache, cached_property

from consilience.inputs.constraints import Constraints, constraints, evaluate
from consilience.inputs.layout import (
    Free,
    Line,
    MisfitError,
    Node,
    Reading,
    Repeat,
    Row,
    Scalar,
    layouts,
    read_sample,
    split,
)
from consilience.inputs.moods import MOODS
from consilience.inputs.words import Words

ATTEMPTS = 30
MOST_TRIES = 12
"""Texts drawn for one that is wanted: where constraints are hard to meet there are fewer."""
LONGEST = 4_000
"""Characters of a text that is kept."""
_INTEGER = re.compile(r"-?\d{1,30}")
_DISTINCT = re.compile(
    r"distinct|different|pairwise|simple graph|multi-?edge|multiple edges|permutation|!=|\\ne",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r"_\{?1\}?\s*(?:<|\\l[et]q?)|ascending|sorted|increasing|non-?decreasing|in order",
    re.IGNORECASE,
)
_TREE = re.compile(r"\btrees?\b", re.IGNORECASE)
_CONNECTED = re.compile(r"\bconnected\b", re.IGNORECASE)


def mutate_texts(
    pool: Sequence[str], *, count: int, seed: int, statement: str = ""
) -> list[str]:
    """Return up to *count* new texts like those of *pool*, all distinct.

    Deterministic by *seed*, whatever PYTHONHASHSEED is.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    found = _followed(pool, statement)
    maker: _Maker | _Shuffler = (
        _Maker(rng, statement, *found) if found else _Shuffler(rng, pool)
    )
    known = {_squeezed(text) for text in pool}
    made: list[str] = []
    for _ in range(MOST_TRIES * count):
        if len(made) >= count:
            break
        text = maker.text()
        if text is not None and len(text) <= LONGEST and _squeezed(text) not in known:
            known.add(_squeezed(text))
            made.append(text)
    return made


def _squeezed(text: str) -> str:
    return "\n".join(" ".join(tokens) for tokens in split(text))


def _followed(
    pool: Sequence[str], statement: str
) -> tuple[tuple[Node, ...], list[Reading]] | None:
    """Find the first layout that every sample follows."""
    for layout in layouts(statement):
        try:
            return layout, [read_sample(layout, text) for text in pool]
        except MisfitError:
            continue
    return None


class _UnfitError(Exception):
    """What was drawn breaks a constraint."""


class _Maker:
    """Draws texts of one layout."""

    def __init__(
        self,
        rng: random.Random,
        statement: str,
        layout: tuple[Node, ...],
        readings: list[Reading],
    ) -> None:
        self._rng = rng
        self._statement = statement
        self._layout = layout
        self._readings = readings
        self._limits: Constraints = constraints(statement)
        self._sizes = frozenset(_counted(layout))
        self._mood = MOODS[0]
        self._turn = 0
        self._words = Words(statement, readings)
        self._distinct = cache(self._distinct)  # type: ignore[method-assign]
        self._ordered = cache(self._ordered)  # type: ignore[method-assign]

    def text(self) -> str | None:
        """Draw a text; None where what was drawn breaks a constraint."""
        self._mood = MOODS[self._turn % len(MOODS)]
        self._turn += 1
        try:
            lines = self._block(self._layout, {})
        except _UnfitError:
            return None
        return "\n".join(lines) + "\n"

    def _block(self, layout: Sequence[Node], env: dict[str, int]) -> list[str]:
        lines: list[str] = []
        for node in layout:
            if isinstance(node, Line):
                lines.append(self._line(node, env))
            elif isinstance(node, Free):
                lines += self._free(node, env)
            else:
                lines += self._repeat(node, env)
        return lines

    def _line(self, line: Line, env: dict[str, int]) -> str:
        parts: list[str] = []
        for part in line.parts:
            if isinstance(part, Scalar):
                parts.append(self._scalar(part.name, env))
            else:
                parts += self._row(part, env)
        if not self._limits.hold(env):
            raise _UnfitError
        return " ".join(parts)

    def _repeat(self, node: Repeat, env: dict[str, int]) -> list[str]:
        count = self._count(node.count, env)
        if self._is_tree(node):
            return self._edges(node, count, env)
        lines: list[str] = []
        seen: set[str] = set()
        for _ in range(count):
            for _ in range(ATTEMPTS):
                inner = dict(env)
                try:
                    drawn = self._block(node.body, inner)
                except _UnfitError:
                    continue
                text = self._identity(node, drawn)
                if not (text in seen and self._distinct_lines(node)):
                    break
            else:
                raise _UnfitError
            seen.add(text)
            lines += drawn
        return sorted(lines, key=_by_number) if self._sorted_lines(node) else lines

    def _identity(self, node: Repeat, drawn: list[str]) -> str:
        """Tell when two lines are the same: an edge is, whichever way it is written."""
        if len(drawn) == 1 and self._words.joins(node):
            return " ".join(sorted(drawn[0].split()[:2]))
        return "\n".join(drawn)

    def _count(self, expression: str, env: dict[str, int]) -> int:
        count = evaluate(expression, env)
        if count is None or not 0 <= count <= 400:
            raise _UnfitError
        return count

    def _scalar(self, name: str, env: dict[str, int]) -> str:
        if self._words.is_word(name):
            return self._words.draw(name, env, self._rng, self._mood.items + 1)
        value = self._number(name, env)
        env[name] = value
        return str(value)

    def _number(self, name: str, env: dict[str, int]) -> int:
        low, high = self._range(name, env)
        if high < low:
            raise _UnfitError
        if name in self._sizes:
            return self._mood.size(self._rng, low, high)
        return self._mood.number(self._rng, low, high, self._words.numbers(name))

    def _range(self, name: str, env: dict[str, int]) -> tuple[int, int]:
        """Return what *name* may be: as the statement says, else as the samples show."""
        low, high = self._limits.low(name, env), self._limits.high(name, env)
        seen = self._words.numbers(name)
        if low is None:
            low = min([*seen, 1]) if high is None else min([*seen, 1, high])
        if high is None:
            high = max([*seen, low + 9])
        return low, high

    def _row(self, row: Row, env: dict[str, int]) -> list[str]:
        count = self._count(row.count, env)
        if self._words.is_glued(row.name):
            return [self._words.text(row.name, count, self._rng)]
        if self._words.is_word(row.name):
            return [
                self._words.draw(row.name, env, self._rng, self._mood.items + 1)
                for _ in range(count)
            ]
        if self._words.permuted(row.name):
            return self._permutation(row.name, count)
        drawn = [self._element(row.name, env) for _ in range(count)]
        if self._distinct(row.name):
            drawn = self._without_repeats(row.name, drawn, env)
        if self._ordered(row.name):
            drawn.sort()
        return list(map(str, drawn))

    def _element(self, name: str, env: dict[str, int]) -> int:
        return self._number(name, {k: v for k, v in env.items() if k != name})

    def _permutation(self, name: str, count: int) -> list[str]:
        first = self._words.permuted(name) - 1
        values = list(range(first, first + count))
        self._rng.shuffle(values)
        return list(map(str, values))

    def _without_repeats(self, name: str, drawn: list[int], env: dict[str, int]) -> list[int]:
        low, high = self._range(name, env)
        room = list(range(low, min(high, low + len(drawn) + self._mood.span) + 1))
        if len(room) < len(drawn):
            raise _UnfitError
        return self._rng.sample(room, len(drawn))

    def _free(self, node: Free, env: dict[str, int]) -> list[str]:
        """Draw lines of the kinds that were seen, with small numbers in their places."""
        count = self._count(node.count, env)
        lines = [
            line for reading in self._readings for line in reading.values.get(node.name, [])
        ]
        kinds: dict[tuple[str, int], list[list[str]]] = {}
        for line in lines:
            kinds.setdefault((line[0] if line else "", len(line)), []).append(line)
        if not kinds:
            raise _UnfitError
        chosen = sorted(kinds)
        return [self._like(kinds[self._rng.choice(chosen)], env) for _ in range(count)]

    def _like(self, lines: list[list[str]], env: dict[str, int]) -> str:
        columns = list(zip(*lines, strict=True))
        kept = columns[0][:1] if columns else ()
        most = min([v for n, v in env.items() if n in self._sizes], default=9)
        drawn = [self._rng.choice(column) for column in columns[1:]]
        for place, token in enumerate(drawn):
            if _INTEGER.fullmatch(token) and self._rng.random() < 0.8:
                low = min(int(each) for each in columns[place + 1])
                drawn[place] = str(self._rng.randint(min(low, 1), max(1, most)))
        return " ".join([*kept, *drawn])

    # --- what all samples have in common

    def _distinct(self, name: str) -> bool:
        rows = self._words.rows(name)
        kept = all(len(set(row)) == len(row) for row in rows)
        return kept and any(len(row) > 1 for row in rows) and self._says_distinct

    def _ordered(self, name: str) -> bool:
        rows = [[int(each) for each in row] for row in self._words.rows(name) if len(row) > 1]
        return bool(rows) and self._says_sorted and all(row == sorted(row) for row in rows)

    def _distinct_lines(self, node: Repeat) -> bool:
        return self._says_distinct and self._words.distinct_lines(node)

    def _sorted_lines(self, node: Repeat) -> bool:
        return (
            self._says_sorted
            and len(node.body) == 1
            and isinstance(node.body[0], Line)
            and len(node.body[0].parts) == 1
            and self._words.sorted_lines(node)
        )

    @cached_property
    def _says_distinct(self) -> bool:
        return bool(_DISTINCT.search(self._statement))

    @cached_property
    def _says_sorted(self) -> bool:
        return bool(_SORTED.search(self._statement))

    # --- graphs

    def _is_tree(self, node: Repeat) -> bool:
        shaped = (
            len(node.body) == 1
            and isinstance(node.body[0], Line)
            and len(node.body[0].parts) >= 2
            and all(isinstance(part, Scalar) for part in node.body[0].parts)
        )
        says = _TREE if re.search(r"-\s*1\s*$", node.count) else _CONNECTED
        return shaped and bool(says.search(self._statement)) and self._words.joins(node)

    def _edges(self, node: Repeat, count: int, env: dict[str, int]) -> list[str]:
        """Draw the edges of a connected graph; further columns are drawn as they are."""
        line = node.body[0]
        if not isinstance(line, Line):
            raise _UnfitError
        size = env.get("N", count + 1)
        places = list(range(1, size + 1))
        self._rng.shuffle(places)
        pairs = [(places[self._rng.randrange(i)], places[i]) for i in range(1, size)]
        while len(pairs) < count:
            pairs.append(self._pair(size, pairs))
        self._rng.shuffle(pairs)
        upward = self._words.upward(node)
        return [
            self._edge(sorted(pair) if upward else pair, line, env) for pair in pairs[:count]
        ]

    def _pair(self, size: int, pairs: list[tuple[int, int]]) -> tuple[int, int]:
        for _ in range(ATTEMPTS):
            a, b = self._rng.randint(1, size), self._rng.randint(1, size)
            if a != b and (a, b) not in pairs and (b, a) not in pairs:
                return a, b
        raise _UnfitError

    def _edge(self, pair: Sequence[int], line: Line, env: dict[str, int]) -> str:
        rest = [self._scalar(part.name, dict(env)) for part in line.parts[2:]]
        return " ".join([str(pair[0]), str(pair[1]), *rest])


class _Shuffler:
    """Varies the tokens of samples whose layout nobody knows, but not those that count."""

    def __init__(self, rng: random.Random, pool: Sequence[str]) -> None:
        self._rng = rng
        self._pool = [split(text) for text in pool if text.strip()]
        tokens = [token for lines in self._pool for line in lines for token in line]
        self._numbers = [int(token) for token in tokens if _INTEGER.fullmatch(token)]
        letters = {c for t in tokens if not _INTEGER.fullmatch(t) for c in t}
        self._letters = sorted(letters) or ["a"]

    def text(self) -> str | None:
        """Vary a sample."""
        if not self._pool:
            return None
        lines = self._rng.choice(self._pool)
        counts = {len(lines) - place for place in range(1, len(lines) + 1)}
        counts |= {len(line) for line in lines} | {len(t) for line in lines for t in line}
        varied = [[self._token(token, counts) for token in line] for line in lines]
        return "\n".join(" ".join(line) for line in varied) + "\n"

    def _token(self, token: str, counts: set[int]) -> str:
        if self._rng.random() < 0.4:
            return token
        if not _INTEGER.fullmatch(token):
            return "".join(self._rng.choice(self._letters) for _ in token)
        if int(token) in counts and len(self._pool) > 0:
            return token
        low, high = min(self._numbers), max(self._numbers)
        return str(self._rng.randint(low, min(high, low + 20)))


def _counted(layout: Sequence[Node]) -> list[str]:
    """List the names that say how many of something there are."""
    found: list[str] = []
    for node in layout:
        if isinstance(node, Repeat | Free):
            found += re.findall(r"[A-Za-z]\w*", node.count)
        if isinstance(node, Repeat):
            found += _counted(node.body)
        if isinstance(node, Line):
            rows = [part for part in node.parts if isinstance(part, Row)]
            found += [name for row in rows for name in re.findall(r"[A-Za-z]\w*", row.count)]
    return found


def _by_number(line: str) -> tuple[int, str]:
    return (int(line), "") if _INTEGER.fullmatch(line) else (0, line)
