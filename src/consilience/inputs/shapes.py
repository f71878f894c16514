"""What kind of data an argument is: read from an annotation, or learned from values.

A `Shape` is a set of kinds with the shape of what they hold. It refuses an input that does not
fit before any program is run, and it keeps mutation from putting a text among integers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from consilience.code.parsing import parse

SCALARS = ("none", "bool", "int", "float", "complex", "str", "bytes")
CONTAINERS = ("list", "tuple", "set", "frozenset", "dict")


class MisfitError(ValueError):
    """A value is not what its parameter asks for."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A set of kinds; an empty set means that nothing is known and everything fits."""

    kinds: frozenset[str] = frozenset()
    item: Shape | None = None
    """Of the items of a list, tuple or set, or the values of a dict; None if not known."""
    key: Shape | None = None
    fields: tuple[Shape, ...] | None = None
    """Of a tuple of fixed length, one a place."""
    single: bool = False
    """Every text seen had one character."""

    @property
    def known(self) -> bool:
        """Tell whether this says anything."""
        return bool(self.kinds)

    def __or__(self, other: Shape) -> Shape:
        """Return the narrowest shape that takes in both."""
        return Shape(
            self.kinds | other.kinds if self.known and other.known else frozenset(),
            _join(self.item, other.item),
            _join(self.key, other.key),
            _join_fields(self, other),
            single=_agree_single(self, other),
        )


def of(value: Any) -> Shape:
    """Learn the shape of *value*."""
    kind = "none" if value is None else type(value).__name__
    if isinstance(value, dict):
        return Shape(frozenset({kind}), union(value.values()), union(value))
    if isinstance(value, tuple):
        return Shape(frozenset({kind}), union(value), fields=tuple(of(v) for v in value))
    if isinstance(value, (list, set, frozenset)):
        return Shape(frozenset({kind}), union(value))
    return Shape(frozenset({kind}), single=isinstance(value, str) and len(value) == 1)


def union(values: Iterable[Any]) -> Shape | None:
    """Learn one shape that takes in all *values*; None for no values."""
    shapes = [of(value) for value in values]
    return reduce(Shape.__or__, shapes) if shapes else None


def refine(annotated: Shape | None, learned: Shape | None) -> Shape:
    """Fill in with what was *learned* wherever the annotation leaves something open."""
    if annotated is None or not annotated.known:
        return learned or Shape()
    if learned is None:
        return annotated
    return Shape(
        annotated.kinds,
        refine(annotated.item, learned.item),
        refine(annotated.key, learned.key),
        annotated.fields or (learned.fields if annotated.item is None else None),
        single=learned.single,
    )


def from_annotation(annotation: str | None) -> Shape:
    """Read an annotation such as `Optional[List[int]]`; what is not understood fits all."""
    module = parse(annotation.strip()) if annotation else None
    if module is None or len(module.body) != 1 or not isinstance(module.body[0], ast.Expr):
        return Shape()
    return _read(module.body[0].value)


def fit(value: Any, shape: Shape | None, *, coerce: bool = False) -> Any:
    """Return *value* if it fits; with *coerce*, a list may become the tuple or set asked for.

    Raises:
        MisfitError: it does not fit; the message says where.
    """
    if shape is None or not shape.known:
        return value
    kind = "none" if value is None else type(value).__name__
    if kind not in _accepted(shape.kinds):
        return (
            fit(_recast(value, shape), shape, coerce=True) if coerce else _misfit(value, shape)
        )
    if isinstance(value, dict):
        return {
            fit(name, shape.key, coerce=coerce): fit(item, shape.item, coerce=coerce)
            for name, item in value.items()
        }
    if isinstance(value, tuple) and shape.fields is not None:
        if len(value) != len(shape.fields):
            reason = f"{len(value)} items in place of {len(shape.fields)}"
            raise MisfitError(reason)
        pairs = zip(value, shape.fields, strict=True)
        return tuple(fit(item, field, coerce=coerce) for item, field in pairs)
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(fit(item, shape.item, coerce=coerce) for item in value)
    return value


def _accepted(kinds: frozenset[str]) -> frozenset[str]:
    # PEP 484: an int will do for a float, and both for a complex. A bool is no int here.
    wider = {"float": {"int"}, "complex": {"int", "float"}}
    return kinds.union(*(wider.get(kind, set()) for kind in kinds))


def _recast(value: Any, shape: Shape) -> Any:
    # JSON has neither tuples nor sets, and `{}` is how many a model writes the empty set.
    wanted = shape.kinds & {"tuple", "set", "frozenset"}
    if len(wanted) != 1 or not (isinstance(value, list) or value == {}):
        return _misfit(value, shape)
    kind: type = {"tuple": tuple, "set": set, "frozenset": frozenset}[min(wanted)]
    try:
        return kind(value)
    except TypeError:
        return _misfit(value, shape)


def _misfit(value: Any, shape: Shape) -> Any:
    found = "None" if value is None else type(value).__name__
    reason = f"{found} in place of {' or '.join(sorted(shape.kinds))}"
    raise MisfitError(reason)


def _join(left: Shape | None, right: Shape | None) -> Shape | None:
    if left is None or right is None:
        return left or right
    return left | right


def _join_fields(left: Shape, right: Shape) -> tuple[Shape, ...] | None:
    if "tuple" not in left.kinds or "tuple" not in right.kinds:
        return left.fields or right.fields
    if left.fields is None or right.fields is None or len(left.fields) != len(right.fields):
        return None
    return tuple(a | b for a, b in zip(left.fields, right.fields, strict=True))


def _agree_single(left: Shape, right: Shape) -> bool:
    texts = [shape.single for shape in (left, right) if "str" in shape.kinds]
    return bool(texts) and all(texts)


def _read(node: ast.expr) -> Shape:
    if isinstance(node, ast.Constant):
        return _read_constant(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _read(node.left) | _read(node.right)
    if isinstance(node, ast.Subscript):
        return _read_subscript(_last_name(node.value), node.slice)
    return Shape(_KINDS.get(_last_name(node), frozenset()))


def _read_constant(value: Any) -> Shape:
    if value is None:
        return Shape(frozenset({"none"}))
    return from_annotation(value) if isinstance(value, str) else Shape()


def _read_subscript(name: str, inside: ast.expr) -> Shape:
    parts = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
    kinds = _KINDS.get(name, frozenset())
    if name in {"Optional", "Union"}:
        nones = [Shape(frozenset({"none"}))] if name == "Optional" else []
        return reduce(Shape.__or__, [*map(_read, parts), *nones])
    if name == "Literal":
        return _read_choices(parts)
    if kinds == {"tuple"}:
        return _read_tuple(parts)
    if kinds == {"dict"} and len(parts) == 2:
        return Shape(kinds, _read(parts[1]), _read(parts[0]))
    return Shape(kinds, _read(parts[0])) if len(parts) == 1 else Shape(kinds)


def _read_tuple(parts: Sequence[ast.expr]) -> Shape:
    last = parts[-1] if parts else None
    if isinstance(last, ast.Constant) and last.value is Ellipsis:
        return Shape(frozenset({"tuple"}), _read(parts[0]))
    return Shape(frozenset({"tuple"}), fields=tuple(_read(part) for part in parts))


def _read_choices(parts: Sequence[ast.expr]) -> Shape:
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    return union(values) or Shape()


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


_SEQUENCES = frozenset({"list", "tuple"})
_KINDS: dict[str, frozenset[str]] = {
    **{kind: frozenset({kind}) for kind in (*SCALARS[1:], *CONTAINERS)},
    "List": frozenset({"list"}),
    "Tuple": frozenset({"tuple"}),
    "Set": frozenset({"set"}),
    "AbstractSet": frozenset({"set", "frozenset"}),
    "FrozenSet": frozenset({"frozenset"}),
    "Dict": frozenset({"dict"}),
    "Mapping": frozenset({"dict"}),
    "MutableMapping": frozenset({"dict"}),
    "Sequence": _SEQUENCES | {"str"},
    "Collection": _SEQUENCES | {"str", "set", "frozenset", "dict"},
    "Iterable": _SEQUENCES | {"str", "set", "frozenset", "dict"},
    "MutableSequence": frozenset({"list"}),
    "Number": frozenset({"int", "float"}),
}
