"""Constant expressions, folded without ever evaluating code.

A model writes `[0] * 50`, `float("inf")` or `list(range(10))` where a literal would be endless.
This is an interpreter of a few dozen operations on plain data, with a budget; any other name,
attribute or call is refused. Nothing here calls `eval`, `exec` or `compile` to code.
"""

from __future__ import annotations

import ast
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

MAX_ITEMS = 20_000
"""Values in one folded expression, containers included."""
MAX_CHARACTERS = 100_000
MAX_BITS = 20_000
MAX_STEPS = 50_000


class UnfoldableError(ValueError):
    """The expression is no constant, or too large to be a test input."""


def fold(node: ast.expr, names: Mapping[str, Any] | None = None) -> Any:
    """Return the plain data that *node* stands for; *names* are constants assigned earlier.

    Raises:
        UnfoldableError: it is not constant, it fails (1 / 0), or it exceeds the budget.
    """
    try:
        return plain(_Folder({**_NAMES, **(names or {})}).fold(node))
    except UnfoldableError:
        raise
    except RecursionError:
        raise UnfoldableError("nested too deeply") from None
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UnfoldableError(reason) from None


def plain(value: Any) -> Any:
    """Copy *value* into fresh containers without shared parts; a range becomes a list.

    Raises:
        UnfoldableError: it holds more than `MAX_ITEMS` values.
    """
    return _copy(value, iter(range(MAX_ITEMS)))


def _copy(value: Any, budget: Iterator[int]) -> Any:
    cost = 1
    if isinstance(value, (str, bytes)):
        cost += len(value) // 16
    elif isinstance(value, int):
        cost += value.bit_length() // 128
    if sum(1 for _ in islice(budget, cost)) < cost:
        reason = f"more than {MAX_ITEMS} values"
        raise UnfoldableError(reason)
    if isinstance(value, dict):
        return {_copy(key, budget): _copy(item, budget) for key, item in value.items()}
    if isinstance(value, range):
        return [_copy(item, budget) for item in value]
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_copy(item, budget) for item in value)
    return value


class _Folder:
    """One folding: its names and what is left of its budget."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._steps = MAX_STEPS

    def fold(self, node: ast.expr) -> Any:
        self._steps -= 1
        if self._steps < 0:
            raise UnfoldableError("too many steps")
        handler = _HANDLERS.get(type(node))
        if handler is None:
            reason = f"{type(node).__name__} is not constant"
            raise UnfoldableError(reason)
        return handler(self, node)

    def constant(self, node: ast.Constant) -> Any:
        if node.value is Ellipsis:
            raise UnfoldableError("something is left out ('...')")
        return node.value

    def name(self, node: ast.Name) -> Any:
        if node.id not in self._names:
            reason = f"{node.id} is not constant"
            raise UnfoldableError(reason)
        return self._names[node.id]

    def attribute(self, node: ast.Attribute) -> Any:
        dotted = ast.unparse(node)
        if dotted not in _ATTRIBUTES:
            reason = f"{dotted} is not constant"
            raise UnfoldableError(reason)
        return _ATTRIBUTES[dotted]

    def items(self, nodes: list[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found.extend(_bounded(self.fold(node.value)))
            else:
                found.append(self.fold(node))
        return found

    def mapping(self, node: ast.Dict) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found.update(self.fold(value))
            else:
                found[self.fold(key)] = self.fold(value)
        return found

    def unary(self, node: ast.UnaryOp) -> Any:
        operand = self.fold(node.operand)
        if isinstance(node.op, ast.Invert) and type(operand) is not int:
            raise UnfoldableError("~ of something that is no integer")
        return _UNARY[type(node.op)](operand)

    def binary(self, node: ast.BinOp) -> Any:
        left, right = self.fold(node.left), self.fold(node.right)
        operation = _BINARY.get(type(node.op))
        if operation is None:
            reason = f"{type(node.op).__name__} is not folded"
            raise UnfoldableError(reason)
        return operation(left, right)

    def call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _CALLS or node.keywords:
            reason = f"{ast.unparse(node.func)}() is not constant"
            raise UnfoldableError(reason)
        arguments = self.items(node.args)
        for argument in arguments:
            _bounded(argument)
        return _CALLS[name](*arguments)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        found = [self.fold(node.elt) for _ in self._rounds(node.generators)]
        return set(found) if isinstance(node, ast.SetComp) else found

    def _rounds(self, generators: list[ast.comprehension]) -> Iterator[None]:
        if not generators:
            yield
            return
        first, *rest = generators
        if first.ifs or not isinstance(first.target, ast.Name):
            raise UnfoldableError("a comprehension with conditions is not folded")
        outside = dict(self._names)
        for item in _bounded(self.fold(first.iter)):
            self._names = {**outside, first.target.id: item}
            yield from self._rounds(rest)
        self._names = outside


def _bounded(value: Any) -> Any:
    if isinstance(value, (range, list, tuple, set, frozenset, dict)) and len(value) > MAX_ITEMS:
        reason = f"more than {MAX_ITEMS} values"
        raise UnfoldableError(reason)
    return value


def _times(left: Any, right: Any) -> Any:
    if isinstance(right, (str, bytes, list, tuple)):
        left, right = right, left
    if isinstance(left, (str, bytes, list, tuple)) and not isinstance(right, int):
        raise UnfoldableError("a sequence times something that is no integer")
    if isinstance(left, (str, bytes)):
        _refuse(len(left) * right > MAX_CHARACTERS, "a text too long")
    elif isinstance(left, (list, tuple)):
        _refuse(_weight(left) * right > MAX_ITEMS, f"more than {MAX_ITEMS} values")
    elif isinstance(left, int) and isinstance(right, int):
        _refuse(left.bit_length() + right.bit_length() > MAX_BITS, "an integer too large")
    return left * right


def _weight(value: Any) -> int:
    # Counts shared parts as often as they occur: [[0] * 9000] * 9000 is not short.
    if isinstance(value, (list, tuple)):
        return 1 + sum(_weight(item) for item in value)
    return 1


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        _refuse(left.bit_length() * abs(right) > MAX_BITS, "an integer too large")
    return left**right


def _shift(left: Any, right: Any) -> Any:
    _refuse(right > MAX_BITS, "an integer too large")
    return left << right


def _plus(left: Any, right: Any) -> Any:
    for side in (left, right):
        _refuse(isinstance(side, str) and len(side) > MAX_CHARACTERS, "a text too long")
    return _bounded(left + right)


def _modulo(left: Any, right: Any) -> Any:
    # "%999999999d" % 1 would fill the memory.
    _refuse(isinstance(left, (str, bytes)), "text formatting is not folded")
    return left % right


def _refuse(condition: bool, reason: str) -> None:
    if condition:
        raise UnfoldableError(reason)


_NAMES: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "inf": math.inf,
    "nan": math.nan,
    "Infinity": math.inf,
    "NaN": math.nan,
}
_ATTRIBUTES: dict[str, Any] = {
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
    "np.inf": math.inf,
    "np.nan": math.nan,
    "sys.maxsize": sys.maxsize,
    "sys.float_info.max": sys.float_info.max,
    "sys.float_info.min": sys.float_info.min,
}
_CALLS: dict[str, Callable[..., Any]] = {
    kind.__name__: kind
    for kind in (bool, int, float, complex, str, list, tuple, set, frozenset, dict, range)
} | {
    "abs": abs,
    "chr": chr,
    "len": len,
    "max": max,
    "min": min,
    "ord": ord,
    "reversed": lambda items: list(reversed(items)),
    "round": round,
    "sorted": sorted,
    "sum": sum,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _plus,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_HANDLERS: dict[type[ast.expr], Callable[[_Folder, Any], Any]] = {
    ast.Constant: _Folder.constant,
    ast.Name: _Folder.name,
    ast.Attribute: _Folder.attribute,
    ast.List: lambda folder, node: folder.items(node.elts),
    ast.Tuple: lambda folder, node: tuple(folder.items(node.elts)),
    ast.Set: lambda folder, node: set(folder.items(node.elts)),
    ast.Dict: _Folder.mapping,
    ast.UnaryOp: _Folder.unary,
    ast.BinOp: _Folder.binary,
    ast.Call: _Folder.call,
    ast.ListComp: _Folder.comprehension,
    ast.SetComp: _Folder.comprehension,
    ast.GeneratorExp: _Folder.comprehension,
}
