"""The comparison that is written into pytest files: the source of these functions is copied."""

import math
from typing import Any

from consilience.values import DEFAULT_TOLERANCE

ABSOLUTE, RELATIVE = DEFAULT_TOLERANCE.absolute, DEFAULT_TOLERANCE.relative


def agree(a: Any, b: Any) -> bool:
    """Compare as Python does, but floats with a tolerance, and NaN with NaN."""
    if isinstance(a, complex) and isinstance(b, complex):
        return agree(a.real, b.real) and agree(a.imag, b.imag)
    if isinstance(a, float) or isinstance(b, float):
        return near(a, b)
    for kind in (list, tuple):
        if isinstance(b, kind):
            return isinstance(a, kind) and len(a) == len(b) and all(map(agree, a, b))
    if isinstance(b, dict):
        same_keys = isinstance(a, dict) and a.keys() == b.keys()
        return same_keys and all(agree(a[key], b[key]) for key in b)
    return bool(a == b)


def near(a: Any, b: Any) -> bool:
    """Compare two numbers, of which at least one is a float."""
    try:
        if a == b or (math.isnan(a) and math.isnan(b)):
            return True
        return bool(abs(a - b) <= ABSOLUTE + RELATIVE * max(abs(a), abs(b)) < math.inf)
    except (TypeError, OverflowError):
        return False
