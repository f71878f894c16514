"""What a class says of itself, read without asking it: its metaclass may be hostile."""

from __future__ import annotations

import types
from typing import Any

LONGEST = 200
SPOKEN: set[str] = set()
"""Names of exceptions that the task speaks of; one process runs one program."""
SHARED: dict[int, str] = {}
"""Classes by their address that all programs of the task have, with their names."""
TRUSTED = ("collections", "enum", "builtins")

_read = type.__getattribute__


def mro(kind: type) -> tuple[type, ...]:
    """Return the class and its bases, in the order of lookup."""
    bases: tuple[type, ...] = _read(kind, "__mro__")
    return bases


def has(kind: type, wanted: type) -> bool:
    """Tell whether *wanted* is the class or one of its bases."""
    return any(base is wanted for base in mro(kind))


def namespace(kind: type) -> types.MappingProxyType[str, Any]:
    """Return what the class itself defines."""
    found: types.MappingProxyType[str, Any] = _read(kind, "__dict__")
    return found


def names(kind: type) -> tuple[str, str]:
    """Return the module and the qualified name of a class."""
    module = _read(kind, "__module__")
    return (module[:LONGEST] if type(module) is str else "?"), name(kind)


def name(thing: Any) -> str:
    """Return the qualified name of a class; a question mark for anything else."""
    found = _read(thing, "__qualname__") if has(type(thing), type) else "?"
    return found[:LONGEST] if type(found) is str else "?"


def exception_name(kind: type) -> str:
    """Return the nearest class that may vote: one that the task has or names, or a builtin."""
    for base in mro(kind):
        if SPOKEN and name(base) in SPOKEN:
            return name(base)
        if id(base) in SHARED:
            return SHARED[id(base)]
        if _read(base, "__module__") == "builtins":
            return str(_read(base, "__name__"))
    return "BaseException"


def compares_itself(kind: type, base: type) -> int:
    """Tell (1 or 0) whether *kind* brings an == of its own on top of *base*'s."""
    for one in mro(kind):
        if one is base:
            return 0
        module = _read(one, "__module__")
        if "__eq__" in namespace(one) and not (type(module) is str and module in TRUSTED):
            return 1
    return 0
