"""Draw graphs on the numbers from 1 on: connected ones, of which the smallest are trees."""

from __future__ import annotations

import random

ATTEMPTS = 30
"""Pairs drawn for one that is new."""


def connected(size: int, count: int, rng: random.Random) -> list[tuple[int, int]] | None:
    """Return *count* edges that join all of 1 to *size*, no two alike; None where none can.

    Fewer edges than join them all are those of a tree on fewer numbers.
    """
    if count > size * (size - 1) // 2:
        return None
    places = list(range(1, size + 1))
    rng.shuffle(places)
    shape = rng.choice(["wide", "wide", "long", "star"])
    pairs = [(places[_parent(shape, i, rng)], places[i]) for i in range(1, size)][:count]
    seen = {frozenset(pair) for pair in pairs}
    while len(pairs) < count:
        pair = _new(size, seen, rng)
        if pair is None:
            return None
        seen.add(frozenset(pair))
        pairs.append(pair)
    rng.shuffle(pairs)
    return pairs


def _parent(shape: str, place: int, rng: random.Random) -> int:
    if shape == "long":
        return place - 1
    return 0 if shape == "star" else rng.randrange(place)


def _new(size: int, seen: set[frozenset[int]], rng: random.Random) -> tuple[int, int] | None:
    for _ in range(ATTEMPTS):
        pair = rng.randint(1, size), rng.randint(1, size)
        if pair[0] != pair[1] and frozenset(pair) not in seen:
            return pair
    free = [
        (a, b)
        for a in range(1, min(size, 60) + 1)
        for b in range(a + 1, min(size, 60) + 1)
        if frozenset((a, b)) not in seen
    ]
    return rng.choice(free) if free else None
