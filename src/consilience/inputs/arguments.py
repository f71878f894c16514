"""Arguments of a call, drawn within what the statement says of them.

LeetCode's constraints bound each parameter by name: `1 <= nums.length <= 50`,
`1 <= nums[i] <= 100`, `1 <= k <= nums.length`. What is not said is learned from the examples.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from consilience.code import Signature
from consilience.inputs.drawer import Drawer
from consilience.inputs.fitting import Fitting
from consilience.inputs.moods import LARGE, MOODS, WIDE
from consilience.inputs.mutation import mutate
from consilience.inputs.parameters import Args, Parameters, parameters
from consilience.values import identity

MOST_TRIES = 8
"""Calls drawn for one that is wanted."""
MUTANTS = 4
"""One in so many is a mutant of an example: these keep preconditions that nobody can read."""


def mutate_arguments(
    pool: Sequence[Args], signature: Signature | None, statement: str, *, count: int, seed: int
) -> list[Args]:
    """Return up to *count* new calls like those of *pool*, distinct and none of them in it.

    Drawn within the constraints of *statement*, and mutants that keep them; mutants alone where
    the statement bounds no parameter. Deterministic by *seed*.
    """
    known = _known(pool, signature, statement)
    if known is None:
        return mutate(pool, count=count, seed=seed, signature=signature)
    drawer = Drawer(random.Random(seed), known)  # noqa: S311 - reproducible on purpose
    fitting = Fitting(known)
    alone = all(type(value) in {int, float, bool} for value in pool[0])
    moods = (*MOODS, *WIDE) if alone else MOODS
    seen = {identity.key(args) for args in pool}
    mutants = [
        args
        for args in mutate(pool, count=count, seed=seed, signature=signature)
        if fitting.fits(args)
    ]
    made: list[Args] = []
    for turn in range(MOST_TRIES * count):
        if len(made) >= count:
            break
        takes = len(made) % MUTANTS == MUTANTS - 1 and mutants
        args = mutants.pop(0) if takes else drawer.draw(moods[turn % len(moods)])
        if args is not None and identity.key(args) not in seen:
            seen.add(identity.key(args))
            made.append(args)
    return (made + [args for args in mutants if identity.key(args) not in seen])[:count]


def large_arguments(
    pool: Sequence[Args], signature: Signature | None, statement: str, *, count: int, seed: int
) -> list[Args]:
    """Return up to *count* calls as large as the constraints allow, within reason."""
    known = _known(pool, signature, statement)
    if known is None:
        return []
    drawer = Drawer(random.Random(seed), known)  # noqa: S311 - reproducible on purpose
    made: dict[str, Args] = {}
    for turn in range(2 * count):
        if len(made) >= count:
            break
        mood = LARGE[turn % len(LARGE)]
        for _ in range(6):
            args = drawer.draw(mood)
            if args is not None:
                made.setdefault(identity.key(args), args)
                break
            mood = mood.smaller()
    return list(made.values())


def _known(
    pool: Sequence[Args], signature: Signature | None, statement: str
) -> Parameters | None:
    names = [parameter.name for parameter in signature.parameters] if signature else []
    fitting = [args for args in pool if len(args) == len(names)]
    if not names or not fitting:
        return None
    known = parameters(names, fitting, statement)
    return known if known.bounded else None
