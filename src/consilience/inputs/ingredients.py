"""What the inputs seen so far are made of, and new values of a given shape from it."""

from __future__ import annotations

import math
import random
import string
from collections.abc import Iterator, Sequence
from typing import Any

from consilience.inputs.shapes import Shape
from consilience.values import identity

_LARGEST_SCALE = 10**9
_FALLBACK = Shape(frozenset({"int"}))


class Ingredients:
    """Scalars by type, characters and magnitudes, harvested from a pool of inputs.

    Order is that of the pool, so that drawing depends on the seed alone.
    """

    def __init__(self, pool: Sequence[tuple[Any, ...]], rng: random.Random) -> None:
        self._rng = rng
        self._seen: dict[str, dict[str, Any]] = {}
        self.letters = ""
        """Characters to draw beside those that were seen."""
        for args in pool:
            self.add(args)

    def add(self, args: tuple[Any, ...]) -> None:
        """Harvest one more input."""
        for scalar in _scalars(args):
            kind = type(scalar).__name__
            self._seen.setdefault(kind, {})[identity.key(scalar)] = scalar

    def draw(self, kind: str, default: Any) -> Any:
        """Return a value of *kind* that was seen, or *default* where none was."""
        values = self._of(kind)
        return self._rng.choice(values) if values else default

    @property
    def characters(self) -> str:
        """The characters seen; letters too where there was one at most."""
        seen = dict.fromkeys("".join(self._of("str")) + self.letters)
        more = string.ascii_lowercase if len(seen) < 2 else ""
        return "".join(dict.fromkeys([*seen, *more]))

    def single(self, shape: Shape) -> bool:
        """Tell whether texts of *shape* are single characters; one text alone shows nothing."""
        return shape.single and len(self._of("str")) > 1

    @property
    def scale(self) -> int:
        """The largest magnitude seen, at least 1."""
        finite = (abs(x) for x in (*self._of("int"), *self._of("float")) if abs(x) < 10**300)
        return min(_LARGEST_SCALE, int(max(finite, default=10)) or 1)

    @property
    def signed(self) -> bool:
        """Tell whether anything negative was seen."""
        return any(x < 0 for x in (*self._of("int"), *self._of("float")))

    def boundary(self, kind: str) -> Any:
        """Return a value at an edge of *kind*: 0, 1, -1, empty, large for this pool."""
        if kind == "str":
            return self._rng.choice(["", self._rng.choice(self.characters)])
        large = 10 * self.scale
        edges = [0, 1, -1, large, *([-large] if self.signed else [])]
        return (float if kind == "float" else int)(self._rng.choice(edges))

    def generate(self, shape: Shape | None, depth: int = 0) -> Any:
        """Return a new value of *shape*; scalars are seen ones half of the time."""
        known = shape if shape is not None and shape.known else _FALLBACK
        kind = self._rng.choice(sorted(known.kinds))
        if kind in {"list", "tuple", "set", "frozenset", "dict"}:
            return self._container(kind, known, depth)
        single = self.single(known)
        made = self._scalar(kind, single=single)
        if self._rng.random() < 0.5 or (single and kind == "str"):
            return made
        return self.draw(kind, made)

    def _container(self, kind: str, shape: Shape, depth: int) -> Any:
        if kind == "tuple" and shape.fields is not None:
            return tuple(self.generate(field, depth + 1) for field in shape.fields)
        size = 0 if depth > 3 else self._rng.randint(0, 10 if depth == 0 else 4)
        items = [self.generate(shape.item, depth + 1) for _ in range(size)]
        if kind == "dict":
            keys = (self.generate(shape.key, depth + 1) for _ in items)
            pairs = zip(keys, items, strict=True)
            return {key: item for key, item in pairs if identity.hashable(key)}
        if kind in {"set", "frozenset"}:
            items = list(filter(identity.hashable, items))
        made: Any = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind](
            items
        )
        return made

    def _scalar(self, kind: str, *, single: bool) -> Any:
        low, high = (-self.scale if self.signed else 0), max(10, self.scale)
        if kind == "bool":
            return self._rng.random() < 0.5
        if kind == "int":
            return self._rng.randint(low, high)
        if kind == "float":
            return round(self._rng.uniform(low, high), 2)
        if kind == "complex":
            return complex(self._rng.randint(low, high), self._rng.randint(low, high))
        size = 1 if single else self._rng.randint(0, 10)
        text = "".join(self._rng.choice(self.characters) for _ in range(size))
        return {"str": text, "bytes": text.encode("utf-8", "replace")}.get(kind)

    def _of(self, kind: str) -> list[Any]:
        return list(self._seen.get(kind, {}).values())


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _scalars(name)
            yield from _scalars(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        items = identity.ordered(value) if isinstance(value, (set, frozenset)) else value
        for item in items:
            yield from _scalars(item)
    elif value is not None and not _is_nan(value):
        yield value
        words = value.split() if isinstance(value, str) else []
        yield from words if len(words) > 1 else []


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
