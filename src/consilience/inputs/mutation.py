"""Multiply inputs by mutation that keeps types: new inputs like the seeds, and at their edges.

After EvalPlus's type-aware mutation, with its gaps closed: the number of arguments is frozen,
every place keeps the types learned from all seeds and the annotations, edges (0, 1, -1, empty,
large) and longer containers are reached, every retry is capped, and NaN is never made. The
result depends on the seeds and one integer, not on PYTHONHASHSEED.
"""

from __future__ import annotations

import copy
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import starmap
from typing import TYPE_CHECKING, Any

from consilience.inputs import contract, habits, shapes
from consilience.inputs.ingredients import Ingredients
from consilience.inputs.shapes import MisfitError, Shape
from consilience.values import identity

if TYPE_CHECKING:
    from consilience.code import Signature

Args = tuple[Any, ...]

ATTEMPTS_PER_INPUT = 30
REBELS = 0.1
"""Share kept of the mutants that break what all seeds have in common: edges matter."""
RETRIES = 8
"""Times one value is mutated anew while it comes out unchanged."""
LONGEST_CHAIN = 5
"""Mutations from a parent to its child, at most."""
GROWTH = 4
"""How many times larger than the largest seed a mutant may be (and always up to 64 values)."""


def mutate(
    pool: Sequence[Args], *, count: int, seed: int, signature: Signature | None = None
) -> list[Args]:
    """Return up to *count* new inputs, all distinct and distinct from *pool*.

    Fewer come back where the types leave no more (a single bool has two values). The inputs
    share no part with *pool* or with each other.
    """
    if not pool:
        return []
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    annotated = [shapes.from_annotation(p.annotation) for p in contract.positional(signature)]
    mutator = _Mutator(rng, pool, _places(annotated, pool))
    made = _bred(mutator, rng, pool, annotated, count)
    if not made:  # as where a parameter is one letter: the pool has all that were seen
        mutator.widen()
        made = _bred(mutator, rng, pool, annotated, count)
    return copy.deepcopy(made)


def _bred(
    mutator: _Mutator,
    rng: random.Random,
    pool: Sequence[Args],
    annotated: list[Shape],
    count: int,
) -> list[Args]:
    kept = habits.learn(pool)
    largest = max(64, GROWTH * max(map(_size, pool)))
    parents = list(pool)
    seen = {identity.key(args) for args in pool}
    made: list[Args] = []
    for _ in range(ATTEMPTS_PER_INPUT * count):
        if len(made) >= count:
            break
        child = mutator.child(rng.choice(parents))
        rebel = not all(habit(child) for habit in kept)
        if rebel and rng.random() >= REBELS:
            continue
        name = identity.key(child)
        if name not in seen and _size(child) <= largest and _sound(child, annotated):
            seen.add(name)
            made.append(child)
            parents += [] if rebel else [child]
    return made


def _places(annotated: list[Shape], pool: Sequence[Args]) -> list[Shape]:
    learned = contract.learned(pool)
    known = annotated[: len(learned)] + [Shape()] * (len(learned) - len(annotated))
    return list(starmap(shapes.refine, zip(known, learned, strict=True)))


def _sound(args: Args, annotated: list[Shape]) -> bool:
    try:
        for value, shape in zip(args, annotated, strict=False):
            shapes.fit(value, shape)
    except MisfitError:
        return False
    return "float:nan" not in identity.key(args)


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(_size(key) + _size(item) for key, item in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return 1 + sum(map(_size, value))
    return 1 + len(value) // 8 if isinstance(value, (str, bytes)) else 1


class _Mutator:
    """The mutation rules, over one pool's ingredients and the shapes of its places."""

    def __init__(self, rng: random.Random, pool: Sequence[Args], places: list[Shape]) -> None:
        self._rng = rng
        self._places = places
        self._ingredients = Ingredients(pool, rng)

    def widen(self) -> None:
        """Draw letters that were not seen, too."""
        self._ingredients.letters = string.ascii_letters

    def child(self, parent: Args) -> Args:
        """Apply one to five mutations, each to one argument."""
        child = list(copy.deepcopy(parent))
        for _ in range(self._rng.randint(1, LONGEST_CHAIN) if child else 0):
            place = self._rng.randrange(len(child))
            shape = self._places[place] if place < len(self._places) else Shape()
            child[place] = self.mutate(child[place], shape)
        return tuple(child)

    def mutate(self, value: Any, shape: Shape | None) -> Any:
        """Return a changed value of the same shape; the value itself where none is found."""
        known = shape or Shape()
        before = identity.key(value)
        for _ in range(RETRIES):
            changed = self._once(value, known)
            if identity.key(changed) != before:
                return changed
        return value

    def _once(self, value: Any, shape: Shape) -> Any:
        others = shape.kinds - {_kind(value)}
        if value is None or ("none" in others and self._rng.random() < 0.05):
            return self._ingredients.generate(shape) if value is None and others else None
        rule = _RULES.get(_kind(value))
        return rule(self, value, shape) if rule else value

    def of_bool(self, value: bool, _shape: Shape) -> bool:
        return not value

    def of_number(self, value: Any, _shape: Shape) -> Any:
        kind = _kind(value)
        chance = self._rng.random()
        if chance < 0.4:
            return self._ingredients.draw(kind, value)
        if chance < 0.6:
            return self._ingredients.boundary(kind)
        if kind == "int":
            # Doubling a doubled value must not run away over the generations.
            far = value if abs(value) <= 10 * self._ingredients.scale else 0
            return value + self._rng.choice([-1, 1, -2, 2, far])
        if chance < 0.8:
            return _rounded(value + self._rng.uniform(-1, 1))
        return _rounded(value * (1 + self._rng.uniform(-0.5, 0.5)))

    def of_complex(self, value: complex, _shape: Shape) -> complex:
        step = complex(self._rng.randint(-1, 1), self._rng.randint(-1, 1))
        return self._rng.choice([value + step, value.conjugate(), 0j, complex(value.imag)])

    def of_text(self, value: str, shape: Shape) -> str:
        if self._ingredients.single(shape):
            return self._rng.choice(self._ingredients.characters)
        chance = self._rng.random()
        if chance < 0.3:
            return str(self._ingredients.draw("str", value))
        if chance < 0.4:
            return str(self._ingredients.boundary("str"))
        words = value.split()
        if len(words) > 1 and chance < 0.7:
            return " ".join(self.of_list(words, shapes.of(words)))
        start, end = sorted(self._rng.randint(0, len(value)) for _ in range(2))
        options = [
            "",
            value[start:end] * 2,
            value[start:end][::-1],
            self._rng.choice(self._ingredients.characters),
            str(self._ingredients.draw("str", value)),
        ]
        return value[:start] + self._rng.choice(options) + value[end:]

    def of_bytes(self, value: bytes, shape: Shape) -> bytes:
        return self.of_text(value.decode("latin-1"), shape).encode("utf-8", "replace")

    def of_list(self, value: list[Any], shape: Shape) -> list[Any]:
        if not value:
            return [
                self._ingredients.generate(shape.item) for _ in range(self._rng.randint(1, 5))
            ]
        place = self._rng.randrange(len(value))
        item = value[place]
        changed = self.mutate(copy.deepcopy(item), shape.item)
        options: list[Callable[[], list[Any]]] = [
            lambda: value[:place] + value[place + 1 :],
            lambda: [*value[:place], changed, *value[place:]],
            lambda: [*value, copy.deepcopy(item)],
            lambda: [*value[:place], changed, *value[place + 1 :]],
            lambda: [*value[:place], changed, *value[place + 1 :]],
            lambda: self._reordered(value),
            lambda: self._edge(value, shape),
        ]
        return self._rng.choice(options)()

    def of_tuple(self, value: tuple[Any, ...], shape: Shape) -> tuple[Any, ...]:
        if shape.fields is None or len(shape.fields) != len(value):
            return tuple(self.of_list(list(value), shape))
        if not value:
            return value
        place = self._rng.randrange(len(value))
        changed = self.mutate(value[place], shape.fields[place])
        return (*value[:place], changed, *value[place + 1 :])

    def of_set(self, value: Any, shape: Shape) -> Any:
        items = self.of_list(identity.ordered(value), shape)
        return type(value)(filter(identity.hashable, items))

    def of_dict(self, value: dict[Any, Any], shape: Shape) -> Any:
        if not value:
            return self._ingredients.generate(replace(shape, kinds=frozenset({"dict"})))
        changed = copy.deepcopy(value)
        name = self._rng.choice(list(changed))
        chance = self._rng.random()
        if chance < 0.25:
            del changed[name]
        elif chance < 0.5:
            other = self.mutate(name, shape.key)
            other = other if identity.hashable(other) else name
            changed[other] = self.mutate(changed[name], shape.item)
        else:
            changed[name] = self.mutate(changed[name], shape.item)
        return changed if chance < 0.95 else {}

    def _reordered(self, value: list[Any]) -> list[Any]:
        shuffled: list[Any] = self._rng.sample(value, len(value))
        orders = [value[::-1], shuffled, identity.ordered(value)]
        return self._rng.choice(orders)

    def _edge(self, value: list[Any], shape: Shape) -> list[Any]:
        more = [self._ingredients.generate(shape.item) for _ in range(len(value))]
        doubled = [*value, *copy.deepcopy(value)]
        edges: list[list[Any]] = [[], value[:1], doubled, [*value, *more, *more]]
        return self._rng.choice(edges)


def _kind(value: Any) -> str:
    return "none" if value is None else type(value).__name__


def _rounded(value: float) -> float:
    # Short numbers: inputs are shown to models, and long tails only cost tokens.
    return float(f"{value:.6g}")


_RULES: dict[str, Callable[[_Mutator, Any, Shape], Any]] = {
    "bool": _Mutator.of_bool,
    "int": _Mutator.of_number,
    "float": _Mutator.of_number,
    "complex": _Mutator.of_complex,
    "str": _Mutator.of_text,
    "bytes": _Mutator.of_bytes,
    "list": _Mutator.of_list,
    "tuple": _Mutator.of_tuple,
    "set": _Mutator.of_set,
    "frozenset": _Mutator.of_set,
    "dict": _Mutator.of_dict,
}
