"""Read literal expressions as plain data, with the constructors and operators people write.

A superset of `ast.literal_eval`: float("inf"), set(), frozenset({1}), 10**9, "ab" * 3. Sizes
are bounded before anything is computed.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from consilience.code.parsing import parse

MAX_SIZE = 1_000_000
"""Items of a sequence, or bits of an integer, that one expression may make."""


def read_literal(text: str) -> Any:
    """Read an expression as plain data.

    Raises:
        ValueError: it is not a literal, or too large.
    """
    tree = parse(text.strip())
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        raise ValueError("not one expression")
    return plain(tree.body[0].value)


def plain(node: ast.expr) -> Any:
    """Turn the node of a literal expression into plain data, or raise ValueError."""
    rule = _RULES.get(type(node))
    if rule is None:
        raise ValueError("not a literal")
    try:
        return rule(node)
    except (ArithmeticError, LookupError, RecursionError, TypeError) as error:
        message = f"not a literal: {error}"
        raise ValueError(message) from None


def _constant(node: ast.Constant) -> Any:
    if node.value is ...:
        raise ValueError("not a literal: ...")
    return node.value


def _dict(node: ast.Dict) -> Any:
    if None in node.keys:
        raise ValueError("not a literal: **")
    return {
        plain(key): plain(item) for key, item in zip(node.keys, node.values, strict=True) if key
    }


def _items(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda node: kind([plain(item) for item in node.elts])


def _name(node: ast.Name) -> Any:
    if node.id not in _NAMES:
        raise ValueError("not a literal: a name")
    return _NAMES[node.id]


def _attribute(node: ast.Attribute) -> Any:
    if not isinstance(node.value, ast.Name) or node.value.id not in {"math", "np", "numpy"}:
        raise ValueError("not a literal: an attribute")
    constants = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}
    if node.attr not in constants:
        raise ValueError("not a literal: an attribute")
    return constants[node.attr]


# People, datasets and models write these as other languages do.
_NAMES = {
    "inf": math.inf, "nan": math.nan, "Infinity": math.inf, "NaN": math.nan,
    "true": True, "false": False, "null": None,
}  # fmt: skip
_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "float": float, "int": int, "complex": complex, "set": set, "frozenset": frozenset,
    "list": list, "tuple": tuple, "dict": dict, "bytes": bytes, "str": str, "bool": bool,
}  # fmt: skip


def _call(node: ast.Call) -> Any:
    if (
        not isinstance(node.func, ast.Name)
        or node.func.id not in _CONSTRUCTORS
        or node.keywords
    ):
        raise ValueError("not a literal: a call")
    arguments = [plain(argument) for argument in node.args]
    if node.func.id == "bytes" and any(isinstance(argument, int) for argument in arguments):
        raise ValueError("not a literal: bytes of a size")
    return _CONSTRUCTORS[node.func.id](*arguments)


def _unary(node: ast.UnaryOp) -> Any:
    operation = _SIGNS.get(type(node.op))
    if operation is None:
        raise ValueError("not a literal: an operator")
    return operation(plain(node.operand))


def _binary(node: ast.BinOp) -> Any:
    left, right = plain(node.left), plain(node.right)
    operation = _OPERATORS.get(type(node.op))
    if operation is None:
        raise ValueError("not a literal: an operator")
    if _size_of_result(node.op, left, right) > MAX_SIZE:
        raise ValueError("not a literal: too large")
    return operation(left, right)


def _size_of_result(op: ast.operator, left: Any, right: Any) -> float:
    if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * max(right, 0)
    if isinstance(op, ast.Mult):
        repeats = left if isinstance(left, int) else right
        items = right if isinstance(left, int) else left
        if isinstance(repeats, int) and isinstance(items, str | bytes | list | tuple):
            return len(items) * max(repeats, 0)
    return sum(x.bit_length() for x in (left, right) if isinstance(x, int))


_SIGNS: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}

_RULES: dict[type, Callable[[Any], Any]] = {
    ast.Constant: _constant,
    ast.List: _items(list),
    ast.Tuple: _items(tuple),
    ast.Set: _items(set),
    ast.Dict: _dict,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
}
