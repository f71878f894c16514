"""Values of programs: wire form, equality, keys. (The interface; being written.)"""

from __future__ import annotations

from typing import Any


class Value:
    """A value that came out of a program, as data."""

    payload: str

    @classmethod
    def of(cls, thing: Any) -> Value:
        raise NotImplementedError
