"""When two inputs are the same input: stricter than equality of outputs.

`f(True)`, `f(1)` and `f(1.0)` are three inputs, since a program may tell them apart. The key
depends neither on PYTHONHASHSEED nor on the order of sets and dicts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any


def key(value: Any) -> str:
    """Return a text that two values share if and only if they are the same plain data."""
    kind = type(value).__name__
    if isinstance(value, dict):
        pairs = sorted(f"{key(name)}:{key(item)}" for name, item in value.items())
        return f"{kind}{{{','.join(pairs)}}}"
    if isinstance(value, (set, frozenset)):
        return f"{kind}{{{','.join(sorted(key(item) for item in value))}}}"
    if isinstance(value, (list, tuple)):
        return f"{kind}[{','.join(key(item) for item in value)}]"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"int:{value:x}"  # decimal digits are limited to 4,300
    return f"{kind}:{value!r}"


def ordered(items: Iterable[Any]) -> list[Any]:
    """Sort the members of a set, whatever their types."""
    return sorted(items, key=key)


def hashable(value: Any) -> bool:
    """Tell whether *value* can be a member of a set or a key of a dict."""
    if isinstance(value, (tuple, frozenset)):
        return all(map(hashable, value))
    return not isinstance(value, (list, set, dict))


def shuffled_place(probe: Any, seed: int) -> bytes:
    """Return a sort key that shuffles inputs by *seed* alone, whatever order they came in."""
    return hashlib.sha256(f"{seed}|{key(probe)}".encode("utf-8", "surrogatepass")).digest()
