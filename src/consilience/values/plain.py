"""Read a value in wire form back: as plain data, as an expression, as a line for a person."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from consilience.values.wire import Node

LONGEST_DECIMAL = 4000
"""Bits above which an integer is written in hexadecimal: Python reads at most 4,300 digits."""


def to_python(node: Node) -> Any:
    """Build plain data.

    A numpy scalar gives its number; an instance of a subclass of a builtin gives the builtin
    (unless the class compares in its own way).

    Raises:
        ValueError: there is no plain data that equals this value.
    """
    if not isinstance(node, list):
        return node
    if node[0] not in _BUILD:
        raise ValueError("not plain data")
    try:
        return _BUILD[node[0]](node)
    except TypeError as error:  # a hostile set may hold a list
        message = f"not plain data: {error}"
        raise ValueError(message) from None


def literal(node: Node) -> str:
    """Write a Python expression over builtins, or raise ValueError."""
    return source(to_python(node))


def source(thing: Any) -> str:
    """Write plain data as a Python expression that gives it back."""
    return _SOURCE.get(type(thing), repr)(thing)


def describe(node: Node) -> str:
    """Write a value on one line for a person."""
    try:
        return literal(node)
    except ValueError:
        tagged: Any = node
        return _DESCRIBE.get(tagged[0], _describe_container)(tagged)


# --- wire form to plain data


def _big(node: list[Any]) -> int:
    return int(node[1], 16)


def _sequence(kind: Callable[[Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda node: kind(to_python(item) for item in node[1:])


def _dict(node: list[Any]) -> Any:
    return {to_python(key): to_python(value) for key, value in node[1:]}


def _range(node: list[Any]) -> Any:
    return range(*map(to_python, node[1:]))


def _subclass(node: list[Any]) -> Any:
    if node[3]:
        raise ValueError("not plain data: its class has its own equality")
    return to_python(node[4])


def _stated(node: list[Any]) -> Any:
    if len(node) == 2:
        raise ValueError("not plain data: words that no value was read from")
    return to_python(node[2])


_BUILD: dict[str, Callable[[list[Any]], Any]] = {
    "I": _big,
    "f": lambda node: float(node[1]),
    "c": lambda node: complex(float(node[1]), float(node[2])),
    "l": _sequence(list),
    "t": _sequence(tuple),
    "s": _sequence(set),
    "z": _sequence(frozenset),
    "d": _dict,
    "b": lambda node: bytes.fromhex(node[1]),
    "B": lambda node: bytearray.fromhex(node[1]),
    "r": _range,
    "N": lambda node: to_python(node[2]),
    "S": _subclass,
    "W": _stated,
}


# --- plain data to source


def _float(number: float) -> str:
    return repr(number) if math.isfinite(number) else f"float('{number!r}')"


def _complex(number: complex) -> str:
    # The repr of a complex loses signs of zeros, and is no expression where a part is nan or
    # inf.
    return f"complex({_float(number.real)}, {_float(number.imag)})"


def _integer(number: int) -> str:
    return str(number) if number.bit_length() <= LONGEST_DECIMAL else hex(number)


def _mapping(thing: dict[Any, Any]) -> str:
    return (
        "{" + ", ".join(f"{source(key)}: {source(item)}" for key, item in thing.items()) + "}"
    )


def _tuple(thing: tuple[Any, ...]) -> str:
    return f"({', '.join(map(source, thing))}{',' * (len(thing) == 1)})"


def _set(members: Any) -> str:
    # Sorted: the iteration order of a set changes with PYTHONHASHSEED.
    return "{" + ", ".join(sorted(map(source, members))) + "}" if members else "set()"


_SOURCE: dict[type, Callable[[Any], str]] = {
    int: _integer,
    float: _float,
    complex: _complex,
    dict: _mapping,
    list: lambda thing: f"[{', '.join(map(source, thing))}]",
    tuple: _tuple,
    set: _set,
    frozenset: lambda thing: f"frozenset({_set(thing) if thing else ''})",
}


# --- what has no literal, for a person


def _describe_container(node: list[Any]) -> str:
    names = {"l": "list", "t": "tuple", "s": "set", "z": "frozenset", "d": "dict"}
    if node[0] == "q":
        return f"deque([{', '.join(map(describe, node[1:]))}])"
    if node[0] == "d":
        return "{" + ", ".join(f"{describe(k)}: {describe(v)}" for k, v in node[1:]) + "}"
    return f"{names[node[0]]}({', '.join(map(describe, node[1:]))})"


def _describe_shared(node: list[Any]) -> str:
    fields = ", ".join(f"{name}={describe(value)}" for name, value in node[2:])
    return f"{node[1]}({fields})"


def _describe_session(node: list[Any]) -> str:
    return "; ".join("-" if step is None else describe(step) for step in node[1:])


def _describe_printed(node: list[Any]) -> str:
    return f"prints {', then gives '.join([repr(node[1]), *map(describe, node[2:])])}"


_DESCRIBE: dict[str, Callable[[list[Any]], str]] = {
    "v": lambda node: f"{node[1].rpartition('.')[2]}({node[2]!r})",
    "N": lambda node: describe(node[2]),
    "n": lambda node: f"array({', '.join(map(describe, node[3]))}; shape {node[2]})",
    "S": lambda node: f"{node[2]}({describe(node[4])})",
    "g": lambda node: f"{node[1]}({', '.join(map(describe, node[2:]))})",
    "o": lambda node: f"<{node[2]} object>",
    "C": _describe_shared,
    "O": _describe_session,
    "P": _describe_printed,
    "p": _describe_printed,
    "W": lambda node: describe(node[2]) if len(node) == 3 else node[1],
    "x": lambda node: f"<{node[1]} object>",
    "F": lambda node: f"<{node[1]}>",
    "@": lambda _: "...",
    "H": lambda node: f"<{node[2]}, {node[3]} long, sha256 {node[1][:12]}>",
    "!": lambda node: f"raises {node[1]}",
}
