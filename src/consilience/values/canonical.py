"""The canonical form of a value: one text for all values that are equal, numbers apart.

Numbers with a tolerance cannot be hashed or rounded into classes (closeness is not transitive).
So a form is a skeleton, in which every such number is `#`, and the numbers themselves. Members
of sets and keys of dicts are exact and stand in the skeleton.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from consilience.values.wire import Node, load

Level = Literal["strict", "py", "lenient"]
"""How alike is equal: by type too, as Python's `==`, or sequences of any kind alike."""

Number = int | float | complex | Fraction | Decimal

MAX_DECIMAL_EXPONENT = 5000
"""Larger decimals are not expanded: they equal only decimals."""


@dataclass(frozen=True, slots=True)
class Form:
    """The skeleton of a value and, in order, the numbers that fit its gaps."""

    skeleton: str
    numbers: tuple[Number, ...]

    @property
    def exact(self) -> Hashable:
        """A key that equal values share: equal numbers hash alike, whatever their types."""
        return (
            self.skeleton,
            *("nan" if is_nan(number) else number for number in self.numbers),
        )


def form(payload: str, level: Level = "py") -> Form:
    """Bring a value in wire form into its canonical form at *level*."""
    writer = _Writer(level)
    skeleton = writer.write(load(payload))
    return Form(skeleton, tuple(writer.numbers))


def number_text(number: Number) -> str:
    """Write the exact rational value, so that 1, 1.0, Fraction(1) and Decimal("1") agree."""
    if isinstance(number, complex):
        return f"({number_text(number.real)},{number_text(number.imag)}j)"
    if is_nan(number):
        return "nan"
    if isinstance(number, float | Decimal) and math.isinf(number):
        return str(float(number))
    if isinstance(number, Decimal) and abs(number.adjusted()) > MAX_DECIMAL_EXPONENT:
        return f"decimal {number.normalize()}"
    numerator, denominator = number.as_integer_ratio()
    # Hexadecimal: decimal text of an integer stops at 4,300 digits and costs quadratic time.
    return f"{numerator:x}" if denominator == 1 else f"{numerator:x}/{denominator:x}"


def is_nan(number: Number) -> bool:
    """Tell whether this is the number that Python says differs from itself."""
    return isinstance(number, float) and math.isnan(number)


class _Writer:
    """Writes the skeleton of one value and collects its numbers."""

    def __init__(self, level: Level) -> None:
        self.strict = level == "strict"
        self.lenient = level == "lenient"
        self.numbers: list[Number] = []
        self._exact = False

    def write(self, node: Node) -> str:
        if node is None:
            return "None"
        if isinstance(node, str):
            return json.dumps(node)
        if isinstance(node, bool):
            return str(node) if self.strict else self._number(int(node))
        if isinstance(node, int):
            return self._number(node)
        return _RULES[node[0]](self, node)

    def _number(self, number: Number, kind: str = "") -> str:
        if self.strict:
            return f"{kind or type(number).__name__} {number_text(number)}"
        if self._exact:
            return f"#{number_text(number)}"
        self.numbers.append(number)
        return "#"

    def _exactly(self, node: Node) -> str:
        outer, self._exact = self._exact, True
        text = self.write(node)
        self._exact = outer
        return text

    def _all(self, nodes: list[Node]) -> str:
        return ",".join(map(self.write, nodes))

    def integer(self, node: list[Any]) -> str:
        return self._number(int(node[1], 16))

    def floating(self, node: list[Any]) -> str:
        if self.strict:  # text: -0.0 and 0.0 are two values here
            return f"float {node[1]}"
        return self._number(float(node[1]))

    def complex(self, node: list[Any]) -> str:
        if self.strict:
            return f"complex {node[1]} {node[2]}"
        number = complex(float(node[1]), float(node[2]))
        return self._number(number.real if number.imag == 0 else number)

    def sequence(self, node: list[Any]) -> str:
        return f"{'seq' if self.lenient else node[0]}[{self._all(node[1:])}]"

    def iterator(self, node: list[Any]) -> str:
        return f"{'seq' if self.lenient else 'iterator'}[{self._all(node[2:])}]"

    def members(self, node: list[Any]) -> str:
        texts = sorted(set(map(self._exactly, node[1:])))
        return f"{node[0] if self.strict else 'set'}{{{','.join(texts)}}}"

    def mapping(self, node: list[Any]) -> str:
        keyed = sorted(((self._exactly(key), value) for key, value in node[1:]), key=_first)
        return f"dict{{{','.join(f'{key}:{self.write(value)}' for key, value in keyed)}}}"

    def data(self, node: list[Any]) -> str:
        return f"{node[0] if self.strict else 'bytes'} {node[1]}"

    def span(self, node: list[Any]) -> str:
        start, stop, step = (self._bound(bound) for bound in node[1:])
        length = max(0, (stop - start + step - (1 if step > 0 else -1)) // step)
        if self.strict:
            return f"range {start:x} {stop:x} {step:x}"
        # As Python has it: ranges are equal when they give the same numbers.
        shape = [f"{length:x}", f"{start:x}" * (length > 0), f"{step:x}" * (length > 1)]
        return f"range {' '.join(shape)}"

    def _bound(self, node: Any) -> int:
        return node if type(node) is int else int(node[1], 16)

    def standard(self, node: list[Any]) -> str:
        if self.strict or node[1] not in _NUMBER_CLASSES:
            return f"{node[1]} {node[2]}"
        number = _NUMBER_CLASSES[node[1]](node[2])
        # A signalling NaN must not be compared at all; it is one more NaN here.
        if isinstance(number, Decimal) and number.is_nan():
            return self._number(float("nan"))
        return self._number(number)

    def scalar(self, node: list[Any]) -> str:
        return f"numpy {node[1]} {self.write(node[2])}" if self.strict else self.write(node[2])

    def array(self, node: list[Any]) -> str:
        _, kind, shape, items = node
        if self.lenient and len(shape) == 1:
            return f"seq[{self._all(items)}]"
        family = kind if self.strict or kind not in "biufc" else "number"
        return f"array {family} {shape}[{self._all(items)}]"

    def subclass(self, node: list[Any]) -> str:
        _, module, name, own_equality, base = node
        if self.strict or own_equality:
            return f"{json.dumps([module, name])}({self.write(base)})"
        return self.write(base)

    def instance(self, node: list[Any]) -> str:
        fields = sorted(node[3:], key=_first)
        texts = [f"{json.dumps(name)}={self.write(value)}" for name, value in fields]
        return f"object {json.dumps(node[2])}({','.join(texts)})"

    def shared(self, node: list[Any]) -> str:
        return self.instance(["o", "", *node[1:]])

    def session(self, node: list[Any]) -> str:
        return f"session[{self._all(node[1:])}]"

    def printed(self, node: list[Any]) -> str:
        text = tidy(node[1])
        if node[0] == "p":
            text = " ".join(map(self._token, re.split(r"(\s+)", text)))
        return f"printed {json.dumps(text)} then {self._all(node[2:])}"

    def _token(self, token: str) -> str:
        if not _NUMERAL.fullmatch(token):
            return token
        return self._number(float(token) if set(token) & set(".eE") else int(token))

    def verbatim(self, node: list[Any]) -> str:
        return json.dumps(node)


def tidy(text: str) -> str:
    """Return printed text as it is compared: without trailing blanks and final line ends."""
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")


_NUMERAL = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?")

_NUMBER_CLASSES: dict[str, Callable[[str], Number]] = {
    "fractions.Fraction": Fraction,
    "decimal.Decimal": Decimal,
}

_RULES: dict[str, Callable[[_Writer, list[Any]], str]] = {
    "I": _Writer.integer,
    "f": _Writer.floating,
    "c": _Writer.complex,
    "l": _Writer.sequence,
    "t": _Writer.sequence,
    "q": _Writer.sequence,
    "g": _Writer.iterator,
    "s": _Writer.members,
    "z": _Writer.members,
    "d": _Writer.mapping,
    "b": _Writer.data,
    "B": _Writer.data,
    "r": _Writer.span,
    "v": _Writer.standard,
    "N": _Writer.scalar,
    "n": _Writer.array,
    "S": _Writer.subclass,
    "o": _Writer.instance,
    "C": _Writer.shared,
    "O": _Writer.session,
    "P": _Writer.printed,
    "p": _Writer.printed,
    "W": _Writer.verbatim,
    "x": _Writer.verbatim,
    "F": _Writer.verbatim,
    "@": _Writer.verbatim,
    "H": _Writer.verbatim,
    "!": _Writer.verbatim,
}


def _first(pair: Any) -> str:
    return pair[0]  # type: ignore[no-any-return]
