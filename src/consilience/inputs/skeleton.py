"""A session as a skeleton and its literals, so that what mutates arguments mutates sessions.

The maximal literal subtrees of the steps are leaves, inside constructor calls and keyword
arguments too: `Order(date(2024, 1, 31), tags=["a"])` has the leaves 2024, 1, 31 and ["a"].
"""

from __future__ import annotations

import ast
import calendar
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.code.literals import plain
from consilience.code.parsing import parse
from consilience.task import Session
from consilience.values import source

MAX_LEAF = 1_000
"""Characters of one leaf."""

_HOLE = "_leaf_{}_"
_HOLES = re.compile(r"\b_leaf_(\d+)_(\.| \*\*|\[)?")
"""With what follows and binds tighter than a sign."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A literal of a session, as data that can be mutated."""

    place: str
    """Where it stands: `push.0` is the first argument of any `push`."""
    value: Any
    form: tuple[str, ...] = ()
    """Of a text such as "2024-01-31": what stands between its numbers; *value* are these."""
    widths: tuple[int, ...] = ()
    members: tuple[str, ...] = ()
    """Of a member of an enum: all of them, as written; *value* is the number of one."""
    dated: str = ""
    """Of a call such as `date(2024, 1, 31)`: what is called; *value* are its arguments."""

    def write(self, value: Any) -> str:
        """Write *value* as this leaf is written."""
        if self.dated:
            return f"{self.dated}({', '.join(map(str, _on_calendar(value)))})"
        if self.members:
            return self.members[int(value) % len(self.members)]
        if not self.form:
            return source(value)
        digits = [str(abs(n)).zfill(w) for n, w in zip(value, self.widths, strict=True)]
        pairs = zip(self.form, [*digits, ""], strict=True)
        return repr("".join(text for pair in pairs for text in pair))


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What is left of a session without its literals."""

    steps: tuple[str, ...]
    """With a name such as `_leaf_3_` in place of every literal."""
    leaves: tuple[Leaf, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what two sessions share that differ in their literals only."""
        return self.steps, *((x.form, x.widths, x.members, x.dated) for x in self.leaves)

    @property
    def values(self) -> tuple[Any, ...]:
        """The leaves as a tuple of arguments."""
        return tuple(leaf.value for leaf in self.leaves)

    def fill(self, values: Sequence[Any]) -> Session:
        """Write the session that has *values* for leaves."""
        written = [leaf.write(value) for leaf, value in zip(self.leaves, values, strict=True)]

        def put(hole: re.Match[str]) -> str:
            text = written[int(hole[1])]
            return f"({text}){hole[2]}" if hole[2] else text

        return Session(tuple(_HOLES.sub(put, step) for step in self.steps))


def skeleton(
    session: Session,
    members: Mapping[str, tuple[str, ...]] | None = None,
    *,
    formed: bool = False,
    tied: bool = False,
) -> Skeleton | None:
    """Take the literals out of *session*; None where it does not parse.

    *members* are those of the enums that are known. With *formed*, texts that are made of
    numbers ("12:30", "1.50") become these numbers, so that they keep their form. With *tied*,
    equal texts are one leaf, so that what is added under a name is found under it.
    """
    digger = _Digger(members or {}, formed=formed, tied=tied)
    trees = [parse(step) for step in session.steps]
    dug = [digger.visit(tree) for tree in trees if tree is not None]
    if len(dug) < len(trees) or not trees:
        return None
    return Skeleton(tuple(map(ast.unparse, dug)), tuple(digger.leaves))


class _Digger(ast.NodeTransformer):
    """Puts a hole in place of every literal."""

    def __init__(
        self, members: Mapping[str, tuple[str, ...]], *, formed: bool, tied: bool
    ) -> None:
        self.leaves: list[Leaf] = []
        self._tied = tied
        self._members = members
        self._formed = formed
        self._place = ""

    def visit(self, node: ast.AST) -> Any:
        """Dig in one node."""
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.arguments):
            return node
        if isinstance(node, ast.expr):
            leaf = self._leaf(node)
            if leaf is not None:
                return ast.Name(_HOLE.format(self._number(leaf)), ast.Load())
        if isinstance(node, ast.Call):
            return self._call(node)
        return self.generic_visit(node)

    def _number(self, leaf: Leaf) -> int:
        for number, other in enumerate(self.leaves if self._tied else ()):
            if isinstance(leaf.value, str) and leaf.value == other.value:
                return number
        self.leaves.append(leaf)
        return len(self.leaves) - 1

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        """Dig in the values alone where the keys are names of fields."""
        if not _holds_record(node):
            node.keys = [key and self.visit(key) for key in node.keys]
        node.values = [self.visit(value) for value in node.values]
        return node

    def _call(self, node: ast.Call) -> ast.Call:
        outer, name = self._place, ast.unparse(node.func).split(".")[-1]
        node.func = self.visit(node.func)
        for place, argument in enumerate(node.args):
            self._place = f"{name}.{place}"
            node.args[place] = self.visit(argument)
        for keyword in node.keywords:
            self._place = f"{name}.{keyword.arg}"
            keyword.value = self.visit(keyword.value)
        self._place = outer
        return node

    def _leaf(self, node: ast.expr) -> Leaf | None:
        if isinstance(node, ast.Attribute):
            return self._member(node)
        if isinstance(node, ast.Call) and _is_date(node):
            given = tuple(plain(argument) for argument in node.args)
            return Leaf(self._place, given, dated=ast.unparse(node.func))
        if not _is_literal(node) or _holds_record(node) or self._is_parted(node):
            return None
        try:
            value = plain(node)
        except ValueError:
            return None
        if self._formed and isinstance(value, str) and _is_form(value):
            numbers = _DIGITS.findall(value)
            return Leaf(
                self._place,
                tuple(map(int, numbers)),
                tuple(_DIGITS.split(value)),
                tuple(map(len, numbers)),
            )
        return Leaf(self._place, value) if len(repr(value)) <= MAX_LEAF else None

    def _is_parted(self, node: ast.expr) -> bool:
        """Tell whether a container is not one leaf but several."""
        if isinstance(node, ast.Constant):
            return False
        constants = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
        texts = [value for value in constants if isinstance(value, str)]
        return (self._tied and bool(texts)) or (self._formed and any(map(_is_form, texts)))

    def _member(self, node: ast.Attribute) -> Leaf | None:
        text = ast.unparse(node.value)
        names = self._members.get(text.split(".")[-1], ())
        if node.attr not in names:
            return None
        written = tuple(f"{text}.{name}" for name in names)
        return Leaf(self._place, names.index(node.attr), members=written)


def _is_date(node: ast.Call) -> bool:
    """Tell whether it is a `date` or `datetime` of plain numbers, which has to stay a day."""
    numbers = [each.value for each in node.args if isinstance(each, ast.Constant)]
    return (
        ast.unparse(node.func).split(".")[-1] in {"date", "datetime"}
        and not node.keywords
        and 3 <= len(node.args) == len(numbers) <= 7
        and all(type(number) is int for number in numbers)
    )


def _on_calendar(numbers: Sequence[int]) -> list[int]:
    year, month, day = numbers[0] % 9999 or 1, (numbers[1] - 1) % 12 + 1, numbers[2]
    rest = [n % top for n, top in zip(numbers[3:], (24, 60, 60, 10**6), strict=False)]
    return [year, month, (day - 1) % calendar.monthrange(year, month)[1] + 1, *rest]


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is not ...
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return isinstance(getattr(node, "ctx", None), ast.Load | None) and all(
            map(_is_literal, node.elts)
        )
    if isinstance(node, ast.Dict):
        return all(key is not None and _is_literal(key) for key in node.keys) and all(
            map(_is_literal, node.values)
        )
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_literal(node.left) and _is_literal(node.right)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"set", "frozenset", "float"}
        and not node.keywords
        and all(map(_is_literal, node.args))
    )


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)


def _is_form(text: str) -> bool:
    """Tell whether a text is mostly numbers with something between them."""
    digits = sum(map(len, _DIGITS.findall(text)))
    return 0 < digits < 40 and text.isascii() and 2 * digits >= len(text)


def _holds_record(node: ast.expr) -> bool:
    """Tell whether a dict within has values of several kinds: its keys are names of fields."""
    return any(
        len({type(getattr(value, "value", value)) for value in each.values}) > 1
        and all(isinstance(getattr(key, "value", None), str) for key in each.keys)
        for each in ast.walk(node)
        if isinstance(each, ast.Dict)
    )
