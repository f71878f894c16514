"""The wire form of values: JSON text without floats and without objects.

A node is `null`, `true`, `false`, a string, an integer of at most 53 bits, or a list whose
first element is a tag:

    ["I", hex]                     a larger integer
    ["f", repr]                    float, nan and inf included
    ["c", repr, repr]              complex
    ["l", ...] ["t", ...]          list, tuple
    ["s", ...] ["z", ...]          set, frozenset, members sorted by their encoding
    ["d", [key, value], ...]       dict
    ["b", hex] ["B", hex]          bytes, bytearray
    ["r", start, stop, step]       range
    ["q", ...]                     deque
    ["v", class, text]             Decimal, Fraction, date, datetime, time, timedelta, UUID
    ["N", kind, node]              numpy scalar
    ["n", kind, [shape], [...]]    numpy array, flat
    ["S", module, class, custom_eq, base]    instance of a subclass of a builtin
    ["g", kind, ...]               iterator, used up
    ["o", module, class, [field, node], ...] instance of another class
    ["x", class]                   exception object that was returned
    ["F", name]                    function, class, module
    ["@", depth]                   the container `depth` levels up
    ["H", sha256, type, length, start]       digest of a value too large to send
    ["C", class, [field, node], ...]         instance of a class that all programs share
    ["P", text] ["P", text, node]  printed text, and the value that came after it
    ["p", text] ["p", text, node]  the same, where numbers in the text agree roughly
    ["O", node, ...]               what was seen after each step of a session; only as the whole
    ["!", class]                   an exception that was seen: as the whole value, or as a step
    ["W", text] ["W", text, node]  what a task states in words, and the value they were read as;
                                   as the whole value or as a step, and never from a program

The text may come from a hostile program: `parse` accepts exactly this grammar and nothing is
ever evaluated, unpickled or called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

Node = None | bool | int | str | list[Any]

MAX_BYTES = 1 << 20
MAX_NODES = 400_000
MAX_DEPTH = 130
SMALL = 2**53 - 1
"""Integers up to this size are JSON numbers, exact in every reader."""

_SCALAR = (
    r'(?:null|true|false|0|-?[1-9][0-9]{0,14}|"[ !#-\[\]-~]*"'
    r'|\["f","(?:-?[0-9]{1,17}(?:\.[0-9]{1,17})?(?:e[+-][0-9]{1,3})?|nan|-?inf)"\])'
)
_ROW = rf'(?:{_SCALAR}|\["[lt]"(?:,{_SCALAR})*\])'
_SIMPLE = re.compile(rf'{_ROW}|\["[lt]"(?:,{_ROW})*\]')
_HEX_INTEGER = re.compile(r"-?0x[1-9a-f][0-9a-f]*")
_HEX_BYTES = re.compile(r"([0-9a-f]{2})*")
_FLOAT = re.compile(r"nan|-?inf|-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?")
_KINDS = frozenset("biufcSUOMm")
_TEXTS = frozenset("PpW")
_STEPS = _TEXTS | {"!"}

STANDARD_CLASSES = {
    "decimal.Decimal": re.compile(
        r"-?([0-9]+(\.[0-9]+)?(E[+-]?[0-9]{1,18})?|Infinity|s?NaN[0-9]*)"
    ),
    "fractions.Fraction": re.compile(r"-?[0-9]{1,4300}(/[1-9][0-9]{0,4299})?"),
    "datetime.date": re.compile(r"[0-9-]+"),
    "datetime.datetime": re.compile(r"[0-9:.+ -]+"),
    "datetime.time": re.compile(r"[0-9:.+-]+"),
    "datetime.timedelta": re.compile(r"[0-9:., days-]+"),
    "uuid.UUID": re.compile(r"[0-9a-f-]+"),
}


class InvalidWireError(ValueError):
    """The text is not a value in wire form."""


def parse(payload: str) -> Node:
    """Read *payload* strictly.

    Raises:
        InvalidWireError: too large, too deep, or outside the grammar.
    """
    if len(payload) > MAX_BYTES:
        _fail("too many bytes")
    try:
        root = _DECODER.decode(payload)
    except (ValueError, RecursionError) as error:
        message = f"not JSON of this form: {error}"
        raise InvalidWireError(message) from None
    steps = root[1:] if type(root) is list and root[:1] == ["O"] else [root]
    for step in steps:
        _validate(step)
    return root  # type: ignore[no-any-return]


def is_simple(payload: str) -> bool:
    """Tell at once that *payload* is valid and canonical: a scalar, a list of such or of lists.

    Nearly every outcome is so simple; others may be valid too.
    """
    return len(payload) <= MAX_NODES and _SIMPLE.fullmatch(payload) is not None


def load(payload: str) -> Node:
    """Read the payload of a `Value`, which was validated when the value was made."""
    return json.loads(payload)  # type: ignore[no-any-return]


def dump(node: Node) -> str:
    """Write a node as its canonical text."""
    return _ENCODER.encode(node)


def children(node: list[Any]) -> list[Any]:
    """List the nodes inside a tagged one."""
    return _CHILDREN[node[0]](node)


def tagged(root: Any) -> Iterator[list[Any]]:
    """Yield every tagged node of a valid value, steps of a session among them.

    Text alone does not tell: the pair ["x", 1] of a dict looks like a node.
    """
    steps = root[1:] if type(root) is list and root[0] == "O" else [root]
    pending = []
    for step in steps:
        if type(step) is list and step[0] in _STEPS:
            yield step
        pending += _parts_of_step(step)
    while pending:
        node = pending.pop()
        if type(node) is list:
            yield node
            pending += children(node)


# --- validation: one rule a tag, which returns the nodes to look at next


def _validate(root: Any) -> None:
    # Iterative: hostile depth must not become our recursion depth.
    pending, seen = [(part, 0) for part in _parts_of_step(root)], 0
    while pending:
        node, depth = pending.pop()
        seen += 1
        _check(seen <= MAX_NODES and depth <= MAX_DEPTH, "size")
        if type(node) is list:
            _check(bool(node) and type(node[0]) is str and node[0] in _CHILDREN, "tag")
            pending.extend((child, depth + 1) for child in children(node))
        elif type(node) is int:
            _check(-SMALL <= node <= SMALL, "integer")
        else:
            _check(node is None or type(node) in {bool, str}, "type")


def _parts_of_step(root: Any) -> list[Any]:
    """Check what only a step may be, and return the ordinary nodes in it."""
    tag = root[0] if type(root) is list and root and type(root[0]) is str else ""
    if tag == "!":
        _check(len(root) == 2 and _is_name(root[1]), "exception")
        return []
    if tag in _TEXTS:
        _check(len(root) in {2, 3} and type(root[1]) is str, "text")
        return root[2:]  # type: ignore[no-any-return]
    return [root]


def _sequence(node: list[Any]) -> list[Any]:
    return node[1:]


def _pairs(node: list[Any]) -> list[Any]:
    nodes = []
    for pair in node[1:]:
        _check(type(pair) is list and len(pair) == 2, "pair")
        nodes += pair
    return nodes


def _big(node: list[Any]) -> list[Any]:
    return _text_only(node, _HEX_INTEGER)


def _floats(node: list[Any]) -> list[Any]:
    _check(len(node) == (2 if node[0] == "f" else 3), "length")
    for text in node[1:]:
        _check(type(text) is str and len(text) < 32 and bool(_FLOAT.fullmatch(text)), "float")
    return []


def _bytes(node: list[Any]) -> list[Any]:
    return _text_only(node, _HEX_BYTES)


def _range(node: list[Any]) -> list[Any]:
    _check(len(node) == 4 and all(_is_integer(bound) for bound in node[1:]), "range")
    _check(node[3] != 0, "range")
    return node[1:]


def _standard(node: list[Any]) -> list[Any]:
    _check(len(node) == 3 and type(node[1]) is str and type(node[2]) is str, "class")
    pattern = STANDARD_CLASSES.get(node[1])
    _check(pattern is not None and bool(pattern.fullmatch(node[2])), "class")
    if node[1] == "decimal.Decimal":
        try:
            Decimal(node[2])
        except InvalidOperation:  # exponent beyond what decimals can hold
            _fail("bad decimal")
    return []


def _scalar(node: list[Any]) -> list[Any]:
    _check(len(node) == 3 and _is_kind(node[1]), "scalar")
    return [node[2]]


def _array(node: list[Any]) -> list[Any]:
    _check(len(node) == 4 and _is_kind(node[1]), "array")
    shape, items = node[2:]
    _check(type(shape) is list and type(items) is list and len(shape) <= 64, "array")
    _check(all(type(side) is int and 0 <= side <= MAX_NODES for side in shape), "shape")
    size = 1
    for side in shape:
        size = min(size * side, MAX_NODES + 1) if side else 0
    _check(size == len(items), "shape")
    return items  # type: ignore[no-any-return]


def _subclass(node: list[Any]) -> list[Any]:
    _check(len(node) == 5 and type(node[1]) is str and type(node[2]) is str, "subclass")
    _check(type(node[3]) is int and node[3] in {0, 1}, "subclass")
    return [node[4]]


def _iterator(node: list[Any]) -> list[Any]:
    _check(len(node) >= 2 and type(node[1]) is str, "iterator")
    return node[2:]


def _instance(node: list[Any]) -> list[Any]:
    _check(len(node) >= 3 and type(node[1]) is str and type(node[2]) is str, "instance")
    nodes = []
    for field in node[3:]:
        _check(type(field) is list and len(field) == 2 and type(field[0]) is str, "field")
        nodes.append(field[1])
    return nodes


def _shared(node: list[Any]) -> list[Any]:
    return _instance([node[0], "", *node[1:]])


def _named(node: list[Any]) -> list[Any]:
    _check(len(node) == 2 and type(node[1]) is str, "name")
    return []


def _cycle(node: list[Any]) -> list[Any]:
    _check(len(node) == 2 and type(node[1]) is int and 0 <= node[1] <= MAX_DEPTH, "cycle")
    return []


def _digest(node: list[Any]) -> list[Any]:
    _check(len(node) == 5 and type(node[2]) is str and type(node[4]) is str, "digest")
    _check(type(node[3]) is int and node[3] >= 0, "digest")
    _check(type(node[1]) is str and bool(re.fullmatch(r"[0-9a-f]{64}", node[1])), "digest")
    return []


_CHILDREN: dict[str, Callable[[list[Any]], list[Any]]] = {
    "I": _big,
    "f": _floats,
    "c": _floats,
    "l": _sequence,
    "t": _sequence,
    "q": _sequence,
    "s": _sequence,
    "z": _sequence,
    "d": _pairs,
    "b": _bytes,
    "B": _bytes,
    "r": _range,
    "v": _standard,
    "N": _scalar,
    "n": _array,
    "S": _subclass,
    "g": _iterator,
    "o": _instance,
    "C": _shared,
    "x": _named,
    "F": _named,
    "@": _cycle,
    "H": _digest,
}


def _text_only(node: list[Any], pattern: re.Pattern[str]) -> list[Any]:
    _check(len(node) == 2 and type(node[1]) is str and bool(pattern.fullmatch(node[1])), "text")
    return []


def _is_integer(node: Any) -> bool:
    return type(node) is int or (type(node) is list and node[:1] == ["I"])


def _is_kind(kind: Any) -> bool:
    return type(kind) is str and kind in _KINDS


def _is_name(name: Any) -> bool:
    return type(name) is str and name.isidentifier() and len(name) <= 200


def _check(holds: bool, what: str) -> None:
    if not holds:
        _fail(f"bad {what}")


def _fail(what: str) -> NoReturn:
    message = f"not a value in wire form: {what}"
    raise InvalidWireError(message)


def _no_float(text: str) -> NoReturn:
    message = f"bare number {text[:20]}"
    raise InvalidWireError(message)


# Built once: `json.loads` and `json.dumps` would build one a call.
_DECODER = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)
_ENCODER = json.JSONEncoder(separators=(",", ":"))
