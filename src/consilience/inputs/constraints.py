"""What a statement says of the numbers in its input: chains such as `1 <= A_i < B_i <= N`.

TeX, plain text and mixtures are read (`spellings`), and what is said in words (`prose`). A name
stands for all its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

from consilience.inputs import prose
from consilience.inputs.formulas import Env, evaluate, parsed
from consilience.inputs.spellings import INDEX, plain

Range = tuple[int | None, int | None]
MOST_RANGES = 10_000
LONGEST_CHAIN = 200
DEEPEST = 2
"""Names through which a bound is followed."""

_NAME = re.compile(r"\|[A-Za-z]\w*\||[A-Za-z]\w*")
_SMALL = re.compile(r"-?[\w|+*/^(){}, -]+")
_SOME = re.compile(
    r"_\{?[a-z][+-]1\b|\bat least one\b|\bthere (?:is|are|exists?)\b|\bsuch that\b"
    r"|\bfor each \w+ satisf|\bwhen\b",
    re.IGNORECASE,
)
_SHIFTED = re.compile(r"(\|\w+\||[A-Za-z]\w*)([+-])(\d+)")
_OPERATOR = re.compile(r"(<=|>=|<|>|!=|==)")
_EDGE = re.compile(r"[^\w\s|+*/^(){}.,'\-]")


@dataclass(frozen=True, slots=True)
class Relation:
    """`left` is smaller than, at most, or not `right`."""

    left: str
    sign: str
    """`<`, `<=`, `!=` or `divides`."""
    right: str


@dataclass(frozen=True, slots=True)
class Constraints:
    """The relations of a statement."""

    relations: tuple[Relation, ...]
    parity: Mapping[str, int] = field(default_factory=dict)
    """1 for names that are odd, 0 for even ones."""
    uneven: frozenset[str] = frozenset()
    """Names of which no item is like the next."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All that a name may be, where the statement lists it."""
    apart: tuple[frozenset[str], ...] = ()
    """Groups of names whose items all differ."""
    rising: frozenset[str] = frozenset()
    """Names whose items ascend, no two alike."""
    _mentioned: dict[str, tuple[str, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _ranges: dict[tuple[Any, ...], Range] = field(
        default_factory=dict, compare=False, repr=False
    )
    _among: dict[tuple[str, ...], list[Relation]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def low(self, name: str, env: Env) -> int | None:
        """Return the least value that *name* may have beside those in *env*, where one is."""
        return self._remembered(name, env)[0]

    def high(self, name: str, env: Env) -> int | None:
        """Return the largest value that *name* may have beside those in *env*."""
        return self._remembered(name, env)[1]

    def rests_on(self, name: str, other: str) -> bool:
        """Tell whether a bound of *name* is computed from *other*."""
        if name not in self._mentioned:
            self._mentioned[name] = self._behind(name)
        return other in self._mentioned[name]

    def _remembered(self, name: str, env: Env) -> Range:
        """Bound *name*; of a hundred thousand rows most ask the same."""
        mentioned = self._mentioned.get(name)
        if mentioned is None:
            mentioned = self._mentioned[name] = self._behind(name)
        key = (name, *map(env.get, mentioned))
        found = self._ranges.get(key)
        if found is None:
            if len(self._ranges) > MOST_RANGES:
                self._ranges.clear()
            low = self._bound(name, env, DEEPEST, upper=False)
            high = self._bound(name, env, DEEPEST, upper=True)
            found = self._ranges[key] = (low, high)
        return found

    def _behind(self, name: str) -> tuple[str, ...]:
        """List the names that the bounds of *name* rest on."""
        found = {name}
        for _ in range(DEEPEST + 1):
            sides = [each.right for each in self.relations if each.left in found]
            sides += [each.left for each in self.relations if each.right in found]
            found |= {part for side in sides for part in _NAME.findall(side)}
        return tuple(sorted(found - {name}))

    def _bound(self, name: str, env: Env, depth: int, *, upper: bool) -> int | None:
        """Bound *name* by what its relations say; unknown names by what theirs say."""
        found: list[int] = []
        for each in self.relations:
            mine, other = (each.left, each.right) if upper else (each.right, each.left)
            if mine != name or each.sign not in {"<", "<="}:
                continue
            value = evaluate(other, env)
            if value is None and depth and _NAME.fullmatch(other):
                value = self._bound(other, env, depth - 1, upper=upper)
            if value is not None:
                found.append(
                    value - (each.sign == "<") if upper else value + (each.sign == "<")
                )
        return min(found, default=None) if upper else max(found, default=None)

    def equal(self, env: Env) -> list[tuple[str, int]]:
        """Return what *env* tells of other names: `n == |nums|` tells n once nums is drawn."""
        pairs = {(each.left, each.right) for each in self.relations if each.sign == "<="}
        found = []
        for left, right in sorted(pairs):
            if (right, left) in pairs and left not in env and _NAME.fullmatch(left):
                value = evaluate(right, env)
                if value is not None:
                    found.append((left, value))
        return found

    def hold(self, env: Env, names: tuple[str, ...] = ()) -> bool:
        """Tell whether no relation is broken whose both sides are known.

        With *names*, only those between two of them, or one of them and what varies.
        """
        for each in self._between(names) if names else self.relations:
            left, right = evaluate(each.left, env), evaluate(each.right, env)
            if left is not None and right is not None and not _holds(left, each.sign, right):
                return False
        return True

    def _between(self, names: tuple[str, ...]) -> list[Relation]:
        found = self._among.get(names)
        if found is None:
            sides = [
                (each, set(_NAME.findall(f"{each.left} {each.right}")))
                for each in self.relations
            ]
            found = self._among[names] = [
                each for each, its in sides if its & set(names) and len(its) > 1
            ]
        return found


@lru_cache(maxsize=256)
def constraints(statement: str) -> Constraints:
    """Read every chain of comparisons in *statement*."""
    text = plain(statement)
    lines = list(_lines(_part(text)))
    said = [each for line in lines for each in prose.said(line)] + list(prose.arrays(text))
    found = [relation for line in lines for relation in _relations_of(line)]
    found += [_relation(*map(_operand, each)) for each in said]
    found = [each for each in found if _telling(each)]
    found += [turned for each in found if (turned := _turned(each))]
    part = _part(text)
    return Constraints(
        tuple(dict.fromkeys(found)),
        prose.parities(part),
        prose.uneven(part),
        prose.vocabularies(part),
        prose.apart(part),
        prose.rising(part),
    )


def _part(text: str) -> str:
    """Return the section of constraints, or all that comes before the samples."""
    heads = list(_HEADING.finditer(text))
    if not heads:
        return _SAMPLES.split(text, maxsplit=1)[0]
    return _END.split(text[heads[-1].end() :], maxsplit=1)[0]


_HEADING = re.compile(r"^[#*\s]*constraints?[:*\s]*$", re.IGNORECASE | re.MULTILINE)
_SAMPLES = re.compile(r"^[#*\s]*(?:sample|examples?\b|```)", re.IGNORECASE | re.MULTILINE)
_END = re.compile(
    r"^[#*\s]*(?:sample|examples?\b|input[:*\s]*$|output[:*\s]*$|follow[- ]up|```)",
    re.IGNORECASE | re.MULTILINE,
)


def _telling(each: Relation) -> bool:
    """Tell whether both sides are small expressions, and not both numbers."""
    sides = (each.left, each.right)
    if all(re.fullmatch(r"-?\d+", side) for side in sides):
        return False
    return all(_SMALL.fullmatch(side) and parsed(side) is not None for side in sides)


def _turned(each: Relation) -> Relation | None:
    """Solve `n-1 <= |edges|` and `|edges|+1 <= n` for the name with a number beside it."""
    left, right = _SHIFTED.fullmatch(each.left), _SHIFTED.fullmatch(each.right)
    if left and not each.right.isdigit():
        sign = "-" if left[2] == "+" else "+"
        return Relation(left[1], each.sign, f"({each.right}){sign}{left[3]}")
    if right and not each.left.isdigit():
        sign = "-" if right[2] == "+" else "+"
        return Relation(f"({each.left}){sign}{right[3]}", each.sign, right[1])
    return None


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if _SOME.search(line):
            continue
        stripped = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line)
        # What stands in brackets is a remark of its own.
        yield from re.findall(r"\(([^()]*(?:<=|<)[^()]*)\)", stripped)
        yield re.sub(r"\([^()]*(?:<=|<)[^()]*\)", " ", stripped)


def _relations_of(line: str) -> Iterator[Relation]:
    parts = _OPERATOR.split(line[:LONGEST_CHAIN])
    sides, signs = parts[::2], parts[1::2]
    for place, sign in enumerate(signs):
        lefts = _names_at_end(_new_chain(sides[place])[-1], inner=place > 0)
        next_side = _new_chain(sides[place + 1])[0]
        rights = _names_at_start(next_side, inner=place + 1 < len(signs))
        for left, right in product(lefts, rights):
            yield _relation(left, sign, right)
            if sign == "==":
                yield Relation(right, "<=", left)


def _new_chain(side: str) -> list[str]:
    """Split `N, 1` of `a <= N, 1 <= b`: a number after a comma starts a chain of its own."""
    return re.split(r",\s*(?=-?\d[\d^*{}]*\s*$)", side, maxsplit=1)


def _relation(left: str, sign: str, right: str) -> Relation:
    if sign == "==":
        return Relation(left, "<=", right)
    if sign in {">", ">="}:
        return Relation(right, sign.replace(">", "<"), left)
    return Relation(left, sign, right)


def _names_at_end(side: str, *, inner: bool) -> list[str]:
    """Return the operands just before a sign; one that stands between two signs is a list."""
    if inner:
        return _operands(side)
    words = re.split(r"[:;]|\bthat\b|\band\b|\bif\b|\bwhere\b|,\s+(?=[-\d])", side)
    return _operands(_EDGE.split(words[-1])[-1], last=True)


def _names_at_start(side: str, *, inner: bool) -> list[str]:
    if inner:
        return _operands(side)
    return _operands(re.split(r"[;:]|,\s|\.\s|\.$|\band\b|\bfor\b|\bif\b", side)[0])


def _operands(text: str, *, last: bool = False) -> list[str]:
    found = [_operand(part) for part in re.split(r",(?![^{(]*[})])", text)]
    if last and found and " " in found[-1]:
        found = [_operand(found[-1].rsplit(" ", maxsplit=1)[-1])]
    return [each for each in found if each]


def _operand(text: str) -> str:
    return re.sub(r"\s+", " ", INDEX.sub("", text)).strip(" .")


def _holds(left: int, sign: str, right: int) -> bool:
    if sign == "divides":
        return left != 0 and right % left == 0
    return {"<": left < right, "<=": left <= right, "!=": left != right}[sign]
