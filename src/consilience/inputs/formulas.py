"""Small expressions over integers, as bounds are: `N(N-1)/2`, `min(10, n)`, `2^{60}`.

They are parsed and computed here, node by node; nothing is evaluated.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

Env = Mapping[str, int]
MOST = 10**18


def evaluate(expression: str, env: Env) -> int | None:
    """Compute a small expression over integers; None where it is none, or a name is unknown."""
    if expression in env:
        return env[expression]
    tree = parsed(expression)
    if tree is None:
        return None
    try:
        value = _value(tree, env)
    except (ValueError, KeyError, RecursionError, ArithmeticError, TypeError):
        return None
    return value if abs(value) <= MOST * 10 else None


@lru_cache(maxsize=4096)
def parsed(expression: str) -> ast.expr | None:
    """Parse an expression, however it is spelled; None where that cannot be done."""
    try:
        return ast.parse(_as_python(expression), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _as_python(expression: str) -> str:
    text = expression.replace("{", "(").replace("}", ")").replace("^", "**")
    text = re.sub(r"\|(\w+)\|", r"size_\1", text)
    text = re.sub(r"(?<=\d)\s*(?=[A-Za-z(])|(?<=\))\s*(?=[\w(])", "*", text)
    text = re.sub(r"\b(?!(?:min|max|floor|sqrt)\b)([A-Za-z]\w*)\(", r"\1*(", text)
    return text.strip()


def _value(node: ast.expr, env: Env) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if (
        isinstance(node, ast.Name)
        and len(node.id) == 2
        and node.id not in env
        and node.id.isupper()
    ):
        return env[node.id[0]] * env[node.id[1]]  # NK
    if isinstance(node, ast.Name):
        return env[node.id.replace("size_", "|") + "|" * node.id.startswith("size_")]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, env)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        chosen = _CALLS[node.func.id]
        return int(chosen(_value(each, env) for each in node.args))
    if isinstance(node, ast.BinOp):
        return _computed(node.op, _value(node.left, env), _value(node.right, env))
    raise ValueError("no small expression")


_CALLS: dict[str, Callable[..., int]] = {
    "min": min,
    "max": max,
    "floor": min,
    "sqrt": lambda each: math.isqrt(next(iter(each))),
}
"""Division is whole already, so that `floor` has one argument and nothing to do."""


def _computed(operator: ast.operator, left: int, right: int) -> int:
    if isinstance(operator, ast.Pow):
        if not 0 <= right <= 60 or abs(left) > 10**9:
            raise ValueError("too large")
        return int(left**right)
    simple = {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}
    if type(operator) in simple:
        return simple[type(operator)]
    if isinstance(operator, ast.Div | ast.FloorDiv):
        return left // right
    raise ValueError("no small expression")
