"""Turn any Python object into the wire's JSON text, without running the candidate's code.

Only identity checks of types and C-level methods of builtin bases are used: no isinstance,
repr, ==, hash or attribute access on candidate objects, nor on their classes, whose metaclass
may be hostile. The one exception is an iterator, which has to be run to be read; that happens
inside the call's own limits. The grammar is in `consilience.values`.
"""

from __future__ import annotations

import json
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from . import classes

NODES: Final = 200_000
HARD_NODES: Final = 4_000_000
DEPTH: Final = 64
PAYLOAD: Final = 1 << 20
ITEMS: Final = 10_000
SAFE: Final = (1 << 53) - 1
PREVIEW: Final = 200

_Type = type
_attribute = object.__getattribute__
_float = float.__repr__
_INT, _FLOAT = {id(int)}, {id(float)}
_PLAIN = frozenset({id(str), id(bool), id(type(None))})


class TooLargeError(Exception):
    """The value is larger or deeper than the wire takes."""


def encode(value: Any) -> str:
    """Return the payload of *value*: canonical JSON, in ASCII, at most 1 MiB.

    What is larger but still countable comes as the digest of its payload. Raises TooLargeError
    above 4 million nodes or 64 levels.
    """
    kind = _Type(value)
    if kind is int and -SAFE <= value <= SAFE:
        return int.__repr__(value)
    walk = _Walk()
    payload = _dump(walk.node(value))
    if len(payload) <= PAYLOAD and walk.left >= HARD_NODES - NODES:
        return payload
    return _digest(payload, classes.name(kind))


def bounded(payload: str, kind: str) -> str:
    """Return *payload* where the wire takes it whole, else its digest."""
    return payload if len(payload) <= PAYLOAD else _digest(payload, kind)


def dump(tree: Any) -> str:
    """Write a tree of lists, exact strings and numbers as JSON."""
    return _dump(tree)


def dump_strings(items: list[str]) -> str:
    """Return *items*, which are exact strings, as a JSON list."""
    return _dump(items)


class _Walk:
    """One traversal: what is left of the budget, and the containers on the way down."""

    __slots__ = ("left", "path")

    def __init__(self) -> None:
        self.left = HARD_NODES
        self.path: list[int] = []

    def node(self, value: Any) -> Any:
        """Return the JSON tree of *value*."""
        kind = _Type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            self.spend(1 + len(value) // 8)
            return value
        if kind is int:
            return self.integer(value)
        if kind is float:
            return ["f", _float(value)]
        self.spend(1)
        return self.container(value, kind)

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise TooLargeError("nodes")

    def integer(self, value: int) -> Any:
        if -SAFE <= value <= SAFE:
            return value
        self.spend(1 + value.bit_length() // 64)
        return ["I", hex(value)]

    def container(self, value: Any, kind: type) -> Any:
        identity = id(value)
        if identity in self.path:
            return ["@", len(self.path) - self.path.index(identity)]
        if len(self.path) >= DEPTH:
            raise TooLargeError("depth")
        self.path.append(identity)
        encoder = _EXACT_BY_ID.get(id(kind))
        tree = encoder(self, value) if encoder else _other(self, value, kind)
        self.path.pop()
        return tree

    def members(self, items: Iterable[Any], count: int) -> list[Any]:
        """Return the trees of *count* items; long plain lists take a path at C speed."""
        self.spend(count)
        items = list(items)
        kinds = set(map(id, map(_Type, items)))
        if kinds == _INT and min(items) >= -SAFE and max(items) <= SAFE:
            return items
        if kinds <= _PLAIN:
            self.spend(sum(len(item) for item in items if _Type(item) is str) // 8)
            return items
        if kinds == _FLOAT:
            return [["f", _float(item)] for item in items]
        node = self.node
        return [node(item) for item in items]

    def sorted_members(self, items: Iterable[Any], count: int) -> list[Any]:
        """Return the trees of a set's members, in an order that does not depend on hashing."""
        return sorted(self.members(items, count), key=_dump)

    def pairs(self, value: Any, items: Callable[[Any], Iterable[tuple[Any, Any]]]) -> list[Any]:
        self.spend(dict.__len__(value))
        return [[self.node(key), self.node(item)] for key, item in items(value)]


_Encoder = Callable[[_Walk, Any], list[Any]]


def _list(walk: _Walk, value: Any) -> list[Any]:
    return ["l", *walk.members(list.__iter__(value), list.__len__(value))]


def _tuple(walk: _Walk, value: Any) -> list[Any]:
    return ["t", *walk.members(tuple.__iter__(value), tuple.__len__(value))]


def _dict(walk: _Walk, value: Any) -> list[Any]:
    return ["d", *walk.pairs(value, dict.items)]


def _set(walk: _Walk, value: Any) -> list[Any]:
    return ["s", *walk.sorted_members(set.__iter__(value), set.__len__(value))]


def _frozenset(walk: _Walk, value: Any) -> list[Any]:
    return ["z", *walk.sorted_members(frozenset.__iter__(value), frozenset.__len__(value))]


def _deque(walk: _Walk, value: Any) -> list[Any]:
    return ["q", *walk.members(deque.__iter__(value), deque.__len__(value))]


def _bytes(walk: _Walk, value: Any) -> list[Any]:
    walk.spend(bytes.__len__(value) // 8)
    return ["b", bytes.hex(value)]


def _bytearray(walk: _Walk, value: Any) -> list[Any]:
    walk.spend(bytearray.__len__(value) // 8)
    return ["B", bytearray.hex(value)]


def _complex(_: _Walk, value: complex) -> list[Any]:
    return ["c", _float(value.real), _float(value.imag)]


def _range(walk: _Walk, value: range) -> list[Any]:
    return ["r", *(walk.integer(part) for part in (value.start, value.stop, value.step))]


def _view(kind: str) -> _Encoder:
    def encode_view(walk: _Walk, value: Any) -> list[Any]:
        return ["g", kind, *walk.members(value, len(value))]

    return encode_view


_BASES: dict[type, _Encoder] = {
    dict: _dict,
    list: _list,
    tuple: _tuple,
    set: _set,
    frozenset: _frozenset,
    deque: _deque,
    int: lambda walk, value: walk.integer(int.__add__(value, 0)),
    float: lambda _, value: ["f", _float(value)],
    complex: lambda walk, value: _complex(walk, complex.__add__(value, 0)),
    str: lambda walk, value: walk.node(str.__add__(value, "")),
    bytes: lambda walk, value: _bytes(walk, bytes.__add__(value, b"")),
    bytearray: _bytearray,
}
_EXACT: dict[type, _Encoder] = {
    **{kind: _BASES[kind] for kind in (dict, list, tuple, set, frozenset, deque, bytes)},
    bytearray: _bytearray,
    complex: _complex,
    range: _range,
    type({}.keys()): _view("dict_keys"),
    type({}.values()): _view("dict_values"),
    type({}.items()): _view("dict_items"),
}
# By identity: looking a class up by hash and == would ask its metaclass.
_EXACT_BY_ID = {id(kind): encoder for kind, encoder in _EXACT.items()}
_BASES_BY_ID = {id(kind): encoder for kind, encoder in _BASES.items()}
# Told apart by name only where their module is loaded, and then by identity: preloading these
# modules for the encoder's sake would make every fork dearer.
_SPELLED = frozenset({
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("datetime", "date"),
    ("datetime", "datetime"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("uuid", "UUID"),
})
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_CALLABLES = (*_FUNCTIONS, types.MethodWrapperType, classmethod, staticmethod)
_NAMED = frozenset(map(id, (*_CALLABLES, types.ModuleType)))


def _other(walk: _Walk, value: Any, kind: type) -> list[Any]:
    """Encode what is no exact builtin; the first reading that fits is taken."""
    for reading in (_standard, _numpy, _subclass, _shared, _named, _iterator):
        tree = reading(walk, value, kind)
        if tree is not None:
            return tree
    return ["o", *classes.names(kind), *_fields(walk, value, classes.mro(kind))]


def _shared(walk: _Walk, value: Any, kind: type) -> list[Any] | None:
    name = classes.SHARED.get(id(kind))
    if name is None:
        return None
    fields = _fields(walk, value, classes.mro(kind))
    return ["C", name, *(field for field in fields if not field[0].startswith("__"))]


def _standard(_: _Walk, value: Any, kind: type) -> list[Any] | None:
    module, name = classes.names(kind)
    known = (module, name) in _SPELLED
    if known and getattr(sys.modules.get(module), name, None) is kind:
        return ["v", f"{module}.{name}", kind.__str__(value)]
    return None


def _numpy(walk: _Walk, value: Any, kind: type) -> list[Any] | None:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if classes.has(kind, numpy.generic):
        return ["N", value.dtype.kind, walk.node(value.item())]
    if kind is not numpy.ndarray:
        return None
    if value.dtype.kind not in "biufcSUO":
        return ["o", "numpy", f"ndarray:{value.dtype}"]
    flat = value.ravel().tolist()
    return ["n", value.dtype.kind, list(value.shape), walk.members(flat, len(flat))]


def _subclass(walk: _Walk, value: Any, kind: type) -> list[Any] | None:
    for base in classes.mro(kind):
        encoder = _BASES_BY_ID.get(id(base))
        if encoder:
            own = classes.compares_itself(kind, base)
            return ["S", *classes.names(kind), own, encoder(walk, value)]
    return None


def _named(_: _Walk, value: Any, kind: type) -> list[Any] | None:
    if classes.has(kind, BaseException):
        return ["x", classes.exception_name(kind)]
    if classes.has(kind, type):
        return ["F", classes.name(value)]
    return ["F", classes.name(kind)] if id(kind) in _NAMED else None


def _iterator(walk: _Walk, value: Any, kind: type) -> list[Any] | None:
    if any("__next__" in classes.namespace(base) for base in classes.mro(kind)):
        return ["g", classes.name(kind), *_run(walk, value)]
    return None


def _run(walk: _Walk, iterator: Iterable[Any]) -> list[Any]:
    trees: list[Any] = []
    for item in iterator:
        if len(trees) >= ITEMS:
            raise TooLargeError("items")
        trees.append(walk.node(item))
    return trees


def _fields(walk: _Walk, value: Any, bases: tuple[type, ...]) -> list[Any]:
    """Return [name, tree] of each attribute that the instance itself holds, by name."""
    fields: dict[str, Any] = {}
    for base in bases:
        for name, member in classes.namespace(base).items():
            if _Type(member) is types.MemberDescriptorType and _Type(name) is str:
                _read_slot(fields, name, member, value)
    own = _namespace_of(value)
    fields.update((name, item) for name, item in own.items() if _Type(name) is str)
    return [[name, walk.node(fields[name])] for name in sorted(fields)]


def _read_slot(
    fields: dict[str, Any], name: str, member: types.MemberDescriptorType, value: Any
) -> None:
    try:
        fields[name] = member.__get__(value)
    except AttributeError:
        return


def _namespace_of(value: Any) -> dict[str, Any]:
    try:
        own = _attribute(value, "__dict__")
    except AttributeError:
        return {}
    return own if _Type(own) is dict else {}


def _digest(payload: str, kind: str) -> str:
    import hashlib  # noqa: PLC0415 - rarely needed, and dear to preload

    sha = hashlib.sha256(payload.encode("ascii")).hexdigest()
    return _dump(["H", sha, kind, len(payload), payload[:PREVIEW]])


def _make_dump() -> Callable[[Any], str]:
    """Bind the C encoder directly: what a candidate does to the json module cannot reach it."""
    markers, default, indent = None, None, None
    encoder = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
        markers,
        default,
        json.encoder.encode_basestring_ascii,
        indent,
        ":",
        ",",
        False,
        False,
        False,
    )
    join = "".join
    return lambda tree: join(encoder(tree, 0))


_dump = _make_dump()
