"""Compare an output with the reference output by the rule that the dataset has for the task.

Everything is decided on decoded data; no output is evaluated or compared by its own `__eq__`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from consilience.task import Reference
from consilience.values import Tolerance, Value, equal

Rule = Callable[[tuple[Any, ...], Value, Value, Tolerance], bool]

DEFAULT_ABSOLUTE = 1e-6


def accepts(
    reference: Reference, args: tuple[Any, ...], output: Value, expected: Value
) -> bool:
    """Tell whether *output* is right for *args*, where the reference gave *expected*."""
    tolerance = Tolerance(absolute=reference.tolerance or DEFAULT_ABSOLUTE)
    return RULES[reference.checker](args, output, expected, tolerance)


def _equal(_: tuple[Any, ...], output: Value, expected: Value, tolerance: Tolerance) -> bool:
    return equal(output, expected, tolerance=tolerance)


def _same_members(
    args: tuple[Any, ...], output: Value, expected: Value, tolerance: Tolerance
) -> bool:
    """Accept the expected members in any order, any number of times, in any sequence."""
    try:
        left, right = set(output.python()), set(expected.python())
    except (
        ValueError,
        TypeError,
    ):  # not plain, not a sequence, or members that no set can hold
        return _equal(args, output, expected, tolerance)
    return equal(Value.of(left), Value.of(right), tolerance=tolerance)


def _not_none(
    args: tuple[Any, ...], output: Value, expected: Value, tolerance: Tolerance
) -> bool:
    """Compare only whether there is a result: a match object says as much as True."""
    return _truth(output) == _truth(expected)


def _truth(value: Value) -> bool:
    return value.payload not in {"null", "false"}


def _polynomial_root(
    args: tuple[Any, ...], output: Value, expected: Value, tolerance: Tolerance
) -> bool:
    """Accept any zero of the polynomial, not only the one that the reference found."""
    try:
        root = output.python()
    except ValueError:
        return False
    if type(root) not in {int, float} or not args:
        return False
    try:
        terms = [coefficient * math.pow(root, i) for i, coefficient in enumerate(args[0])]
    except (OverflowError, ValueError, TypeError):
        return False
    return bool(abs(sum(terms)) <= tolerance.absolute)


def _either(second: Callable[..., Any]) -> Rule:
    """Accept the reference output or the answer to the other way of reading the task."""

    def rule(
        args: tuple[Any, ...], output: Value, expected: Value, tolerance: Tolerance
    ) -> bool:
        if _equal(args, output, expected, tolerance):
            return True
        try:
            other = Value.of(second(*args))
        except (TypeError, ValueError, ArithmeticError):
            return False
        return equal(output, other, tolerance=tolerance)

    return rule


def _surface_by_height(base: float, height: float) -> int:
    """Take the height of a square pyramid as upright, not as that of its sides."""
    return round(base**2 + 2 * base * math.hypot(base / 2, height))


def _digits_from_the_right(a: int, b: int) -> int:
    """Line two numbers up by their last digits, not by their first."""
    left, right = str(a), str(b)
    width = max(len(left), len(right))
    pairs = zip(left.zfill(width), right.zfill(width), strict=True)
    return sum(abs(int(x) - int(y)) for x, y in pairs)


def _any_verdict(
    args: tuple[Any, ...], output: Value, expected: Value, tolerance: Tolerance
) -> bool:
    """Accept True and False alike: the task does not say which divisors count."""
    return output.payload in {"true", "false"} or _equal(args, output, expected, tolerance)


RULES: dict[str, Rule] = {
    "equal": _equal,
    "same_members": _same_members,
    "not_none": _not_none,
    "polynomial_root": _polynomial_root,
    "pyramid_surface": _either(_surface_by_height),
    "digit_distance": _either(_digits_from_the_right),
    "zero_or_equal": _either(lambda *_: 0),
    "any_verdict": _any_verdict,
}
"""By the name that `Reference.checker` holds."""
