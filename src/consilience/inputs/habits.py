"""What all seeds have in common, learned as likely preconditions of the function.

A task's contract is seldom written down, but its inputs keep it: no negatives, rows of one
length, two lists of equal length, k no larger than the list. A mutant that breaks such a habit
is mostly outside the contract, where right programs may differ and no label is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import Any

Args = tuple[Any, ...]
Habit = Callable[[Args], bool]
Pair = tuple[float, float] | None

FEWEST_SEEDS = 3
"""Fewer inputs are no habit."""


def learn(pool: Sequence[Args]) -> list[Habit]:
    """Return the predicates that hold for every input of *pool*."""
    arities = {len(args) for args in pool}
    if len(pool) < FEWEST_SEEDS or len(arities) != 1:
        return []
    places = range(min(arities))
    habits = [habit for place in places for habit in _of_place(pool, place)]
    for left, right in combinations(places, 2):
        habits += [*_of_pair(pool, left, right), *_of_pair(pool, right, left)]
    return habits


def _of_place(pool: Sequence[Args], place: int) -> Iterator[Habit]:
    values = [args[place] for args in pool]
    for holds, telling in _PROPERTIES:
        evidence = sum(telling(value) for value in values)
        if evidence >= FEWEST_SEEDS and all(holds(value) for value in values):
            yield partial(_holds_at, place, holds)
    for parts in (_words, list):
        seen = Counter(
            part for value in values for text in _texts(value) for part in parts(text)
        )
        # Few parts, each seen often, are a vocabulary; many rare ones are only examples.
        if seen and seen.total() >= 3 * len(seen):
            yield partial(_holds_at, place, partial(_made_of, parts, frozenset(seen)))


def _of_pair(pool: Sequence[Args], left: int, right: int) -> Iterator[Habit]:
    for measure in (_length, _number, _number_to_length):
        pairs = [measure(args[left], args[right]) for args in pool]
        if any(pair is None for pair in pairs) or len(set(pairs)) < 2:
            continue
        for holds in (_equal, _at_most):
            if all(holds(pair) for pair in pairs):
                yield partial(_holds_between, left, right, measure, holds)


def _holds_at(place: int, holds: Callable[[Any], bool], args: Args) -> bool:
    return holds(args[place])


def _holds_between(
    left: int,
    right: int,
    measure: Callable[[Any, Any], Pair],
    holds: Callable[[Pair], bool],
    args: Args,
) -> bool:
    return holds(measure(args[left], args[right]))


def _made_of(parts: Callable[[str], list[str]], seen: frozenset[str], value: Any) -> bool:
    return all(part in seen for text in _texts(value) for part in parts(text))


def _length(a: Any, b: Any) -> Pair:
    sized = isinstance(a, (str, list, tuple)) and isinstance(b, (str, list, tuple))
    return (len(a), len(b)) if sized else None


def _number(a: Any, b: Any) -> Pair:
    return (a, b) if _is_number(a) and _is_number(b) else None


def _number_to_length(a: Any, b: Any) -> Pair:
    return (a, len(b)) if _is_number(a) and isinstance(b, (str, list, tuple)) else None


def _equal(pair: Pair) -> bool:
    return pair is not None and pair[0] == pair[1]


def _at_most(pair: Pair) -> bool:
    return pair is not None and pair[0] <= pair[1]


def _not_negative(value: Any) -> bool:
    return all(number >= 0 for number in _numbers(value))


def _positive(value: Any) -> bool:
    return all(number > 0 for number in _numbers(value))


def _not_empty(value: Any) -> bool:
    return not hasattr(value, "__len__") or len(value) > 0


def _distinct(value: Any) -> bool:
    return not isinstance(value, (list, tuple)) or all(
        item not in value[:place] for place, item in enumerate(value)
    )


def _ascending(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or not all(map(_is_number, value)):
        return True
    return all(a <= b for a, b in pairwise(value))


def _rectangular(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or not all(isinstance(row, list) for row in value):
        return True
    return len({len(row) for row in value}) <= 1


def _words(text: str) -> list[str]:
    return text.split()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset, dict)):
        for item in value:
            yield from _texts(item)


def _numbers(value: Any) -> Iterator[Any]:
    if _is_number(value):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_long(value: Any, length: int = 2) -> bool:
    return isinstance(value, (list, tuple)) and len(value) >= length


_PROPERTIES: tuple[tuple[Callable[[Any], bool], Callable[[Any], bool]], ...] = (
    (_not_negative, lambda value: any(True for _ in _numbers(value))),
    (_positive, lambda value: any(True for _ in _numbers(value))),
    (_not_empty, lambda value: hasattr(value, "__len__")),
    (_distinct, _is_long),
    (_ascending, lambda value: _is_long(value, 3)),
    (_rectangular, lambda value: _is_long(value) and _is_long(value[0], 1)),
)
"""Each property, and when a value tells anything about it: `[]` is no proof of an order."""
