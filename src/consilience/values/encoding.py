"""Put plain data into wire form, by exact type: a subclass may behave in any way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from consilience.values.wire import MAX_DEPTH, SMALL, Node, dump


def encode(thing: object) -> Node:
    """Turn plain data into a node.

    Raises:
        ValueError: *thing* holds something that is not plain data, or nests too deeply.
    """
    return _encode(thing, 0)


def _encode(thing: Any, depth: int) -> Node:
    kind = type(thing)
    if thing is None or kind is bool or kind is str:
        return thing  # type: ignore[no-any-return]
    if kind in _LEAVES:
        return _LEAVES[kind](thing)
    if depth >= MAX_DEPTH:
        message = f"not plain data: nested more than {MAX_DEPTH} deep"
        raise ValueError(message)
    if kind is dict:
        pairs = [[_encode(k, depth + 1), _encode(v, depth + 1)] for k, v in thing.items()]
        return ["d", *pairs]
    if kind not in _CONTAINERS:
        message = f"not plain data: {kind.__name__}"
        raise ValueError(message)
    nodes = [_encode(item, depth + 1) for item in thing]
    if kind is set or kind is frozenset:
        nodes.sort(key=dump)  # iteration order of a set changes with PYTHONHASHSEED
    return [_CONTAINERS[kind], *nodes]


def _encode_integer(number: int) -> Node:
    return number if -SMALL <= number <= SMALL else ["I", hex(number)]


_LEAVES: dict[type, Callable[[Any], Node]] = {
    int: _encode_integer,
    float: lambda number: ["f", repr(number)],
    complex: lambda number: ["c", repr(number.real), repr(number.imag)],
    bytes: lambda data: ["b", data.hex()],
    bytearray: lambda data: ["B", data.hex()],
    range: lambda span: ["r", *map(_encode_integer, (span.start, span.stop, span.step))],
}
_CONTAINERS: dict[type, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
