"""What is known of each parameter of a call: by the statement's constraints, else by examples.

A table's columns have names of their own where the statement gives them, as in
`queries[i] = [l_i, r_i]`; its rows' length is `|queries0|`, of words in a row `|queries00|`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from consilience.inputs.constraints import Constraints, Relation, constraints
from consilience.inputs.spellings import base_name

Args = tuple[Any, ...]
Env = dict[str, int]

_DISTINCT = re.compile(
    r"distinct|unique|permutation|no (?:two|duplicate)|different", re.IGNORECASE
)
_SORTED = re.compile(
    r"sorted|non-?decreasing|ascending|increasing order|strictly increasing", re.IGNORECASE
)
_TREE = re.compile(r"\btree\b", re.IGNORECASE)
_LOWER = re.compile(r"lower-?\s?case", re.IGNORECASE)
_DIGITS = re.compile(r"\bdigits\b", re.IGNORECASE)
_COLUMNS = re.compile(r"\b(\w+)\[\w+\]\s*(?:=|==|is|are|contains?)?\s*\[([A-Za-z_{}, ]+)\]")
_NAME = re.compile(r"\|?[A-Za-z]\w*\|?")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a call by name."""

    columns: Mapping[str, Sequence[Any]]
    """What the examples have in each place."""
    limits: Constraints
    statement: str
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of a table's columns."""

    @property
    def bounded(self) -> bool:
        """Tell whether the statement bounds any parameter."""
        spoken = {name for each in self.limits.relations for name in (each.left, each.right)}
        return any({name, f"|{name}|"} & spoken for name in self.columns)

    def counts(self) -> frozenset[str]:
        """Return the names that bound sizes from above: how many there are."""
        sizes = [each.right for each in self.limits.relations if each.left.startswith("|")]
        found = {part for side in sizes for part in _NAME.findall(side)}
        return frozenset(found & set(self.columns))

    def order(self) -> list[str]:
        """Order names so that each comes after those that bound it from above."""
        left = list(self.columns)
        ordered: list[str] = []
        while left:
            needs = {name: self._needs(name) & set(left) - {name} for name in left}
            scalars = [n for n in left if not isinstance(self.columns[n][0], list | str)]
            chosen = min(
                left,
                key=lambda n: (len(needs[n]), n not in scalars, list(self.columns).index(n)),
            )
            ordered.append(chosen)
            left.remove(chosen)
        return ordered

    def _needs(self, name: str) -> set[str]:
        mine = {name, f"|{name}|", f"|{name}0|", *self.tables.get(name, ())}
        others = [
            part.strip("|").rstrip("0")
            for each in self.limits.relations
            if each.left in mine and each.sign != "!="
            for part in _NAME.findall(each.right)
        ]
        return set(others)

    def note(self, env: Env, name: str, value: Any) -> None:
        """Add to *env* what the *value* of *name* tells, and what follows from it."""
        if isinstance(value, int) and not isinstance(value, bool):
            env[name] = value
        if isinstance(value, str | list):
            env[f"|{name}|"] = len(value)
        if isinstance(value, list) and value and isinstance(value[0], list | str):
            env[f"|{name}0|"] = len(value[0])
        for alias, size in self.limits.equal(env):
            env.setdefault(alias, size)

    def number(self, name: str, env: Env, seen: Sequence[int]) -> tuple[int, int]:
        """Return the least and the largest value of *name*."""
        low, high = self.limits.low(name, env), self.limits.high(name, env)
        size = self.limits.high(f"|{name}|", env) if low is None and high is None else None
        if size is not None:  # |x| <= 5 of a number
            return -size, size
        low = min([*seen, 1 if high is None else min(1, high)]) if low is None else low
        return low, (max([*seen, low + 9]) if high is None else high)

    def size(self, name: str, env: Env, seen: Sequence[int]) -> tuple[int, int]:
        """Return the least and the largest size, *name* as `|nums|`."""
        low, high = self.limits.low(name, env), self.limits.high(name, env)
        if low is None:
            low = min([*seen, 1 if high is None else high])
        return max(0, low), (max([*seen, low]) if high is None else high)

    def even(self, name: str, drawn: int, high: int) -> int:
        """Keep a number odd or even where the statement says so."""
        parity = self.limits.parity.get(name)
        if parity is None or drawn % 2 == parity:
            return drawn
        return drawn + (1 if drawn < high else -1)

    def names_of_columns(self, name: str, width: int) -> tuple[str, ...]:
        """Return the names of a table's columns, where the statement bounds them."""
        spoken = {side for each in self.limits.relations for side in (each.left, each.right)}
        told = self.tables.get(name, ())
        numbered = tuple(f"{name}Column{place}" for place in range(width)) if width < 6 else ()
        for names in (told, numbered):
            if len(names) == width and set(names) & spoken:
                return names
        return ()

    def letters(self, seen: Sequence[str]) -> list[str]:
        """Return the characters that occur, and those near them that the statement allows."""
        found = {character for value in seen for character in value}
        if all(c.isascii() and c.islower() for c in found) and _LOWER.search(self.statement):
            # A statement that quotes its few letters means these: '(' and ')', 'a' and 'b'.
            quoted = set(re.findall(r"['\"`]([a-z])['\"`]", self.statement))
            found |= quoted if quoted and found <= quoted else {"a", "b", "c"}
        if found and all(map(str.isdigit, found)) and _DIGITS.search(self.statement):
            found |= set("0129")
        return sorted(found) or ["a"]

    def distinct(self, seen: Sequence[list[Any]]) -> bool:
        """Tell whether items of a list are all different."""
        try:
            kept = all(len(set(map(repr, value))) == len(value) for value in seen)
        except TypeError:
            return False
        return kept and bool(_DISTINCT.search(self.statement))

    def ordered(self, seen: Sequence[list[Any]]) -> bool:
        """Tell whether items of a list ascend."""
        try:
            kept = all(value == sorted(value) for value in seen)
        except TypeError:
            return False
        return kept and bool(_SORTED.search(self.statement))

    def permuted(self, seen: Sequence[list[Any]]) -> int | None:
        """Return the first number where every example is a permutation."""
        if not all(type(item) is int for value in seen for item in value):
            return None
        for first in (0, 1):
            spans = [list(range(first, first + len(value))) for value in seen]
            if max(map(len, seen)) > 2 and [sorted(value) for value in seen] == spans:
                return first
        return None

    def tree(self, seen: Sequence[list[Any]]) -> bool:
        """Tell whether a table holds the edges of a tree."""
        rows = [row for value in seen for row in value]
        joins = bool(rows) and all(
            isinstance(row, list) and len(row) >= 2 and row[0] != row[1] for row in rows
        )
        return joins and bool(_TREE.search(self.statement))


def parameters(names: Sequence[str], pool: Sequence[Args], statement: str) -> Parameters:
    """Bring together what *statement* and examples say of *names*."""
    columns = dict(zip(names, zip(*pool, strict=True), strict=True))
    tables = {
        match[1]: tuple(base_name(part.strip()) for part in match[2].split(","))
        for match in _COLUMNS.finditer(statement)
        if match[1] in columns
    }
    said = constraints(statement)
    learned = tuple(_learned(columns, said))
    limits = Constraints(said.relations + learned, said.parity, said.uneven)
    return Parameters(columns, limits, statement, tables)


def _learned(columns: Mapping[str, Sequence[Any]], said: Constraints) -> Iterator[Relation]:
    """Yield that two sizes are equal, or a number is a size, where all examples agree."""
    sizes = {
        (f"|{name}|" if isinstance(values[0], list | str) else name): [
            len(value) if isinstance(value, list | str) else value for value in values
        ]
        for name, values in columns.items()
        if isinstance(values[0], list | str) or type(values[0]) is int
    }
    for one, two in combinations(sizes, 2):
        own = all(said.high(name, {}) is not None for name in (one, two))
        if "|" not in one + two or len(set(sizes[one])) < 2 or own:
            continue  # what the statement bounds each on its own is equal by chance
        if sizes[one] == sizes[two]:
            yield Relation(one, "<=", two)
            yield Relation(two, "<=", one)
