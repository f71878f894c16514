"""Multiply sessions: the literals by type, as arguments are mutated, and the steps.

The result depends on the pool and one integer, not on PYTHONHASHSEED.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from consilience.inputs import steps as stepping
from consilience.inputs.mutation import mutate
from consilience.inputs.observers import Observers, shown
from consilience.inputs.skeleton import Leaf, Skeleton, skeleton
from consilience.inputs.steps import Steps
from consilience.inputs.surroundings import enums
from consilience.inputs.surroundings import surroundings as read_surroundings
from consilience.task import Session

ATTEMPTS = 12
"""Times a session of other steps is tried for one that is wanted."""
FEWEST = 4
"""A family of fewer sessions is widened by values from the same places of others."""
Reading = tuple[bool, bool]
READINGS: tuple[Reading, ...] = ((False, False), (True, False), (False, True))
"""Literals as they are; texts made of numbers kept in form; equal texts kept equal."""

Members = Mapping[str, tuple[str, ...]]


def mutate_sessions(
    pool: Sequence[Session], *, count: int, seed: int, surroundings: str = ""
) -> list[Session]:
    """Return up to *count* new sessions like those of *pool*, all distinct.

    They parse, have at most 12 steps and 2,000 characters, and use no variable before it is
    made. *surroundings* is source that defines enums and classes of the sessions.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    known = _usable(pool)
    if not known or count < 1:
        return []
    breeder = _Breeder(rng, known, surroundings)
    several = sum(len(steps) > 1 for steps in known) / len(known)
    restructured = breeder.restructured(int(count * (0.15 + 0.45 * several)))
    made = breeder.distinct([*restructured, *breeder.relettered(count + count // 3)])
    # Both kinds from the front: those who take fewer than they asked for get a mixture.
    cut = made[: len(restructured)], made[len(restructured) :]
    return [Session(steps) for steps in _alternated(*cut)][:count]


def _usable(pool: Sequence[Session]) -> list[Steps]:
    every = [tuple(session.steps) for session in pool]
    names = stepping.variables(every)
    mended = (stepping.mend(steps, every, names) for steps in every)
    return list(dict.fromkeys(steps for steps in mended if stepping.sound(steps, names)))


def _alternated(left: list[Steps], right: list[Steps]) -> list[Steps]:
    size = max(len(left), len(right))
    pairs = [(*left[i : i + 1], *right[i : i + 1]) for i in range(size)]
    return [steps for pair in pairs for steps in pair]


class _Breeder:
    """Sessions bred from one pool."""

    def __init__(self, rng: random.Random, pool: list[Steps], surroundings: str) -> None:
        self._rng = rng
        self._pool = pool
        self._names = stepping.variables(pool)
        self._members: Members = enums(surroundings)
        self._values = self._seen()
        self._observers = Observers()
        for steps in pool:
            self._observers.learn(steps)
        for name, its in read_surroundings(surroundings).classes.items():
            self._observers.add(name, its.attributes)

    def _seen(self) -> dict[tuple[Any, ...], list[Any]]:
        """Collect the values of every place of a call, over all sessions."""
        found: dict[tuple[Any, ...], list[Any]] = {}
        for steps in self._pool:
            for reading in READINGS:
                for leaf in self._skeleton(steps, reading).leaves:
                    found.setdefault(_likeness(leaf), []).append(leaf.value)
        return found

    def _skeleton(self, steps: Steps, reading: Reading) -> Skeleton:
        formed, tied = reading
        found = skeleton(Session(steps), self._members, formed=formed, tied=tied)
        return found or Skeleton((), ())

    def distinct(self, made: Sequence[Steps]) -> list[Steps]:
        """Return the sound ones that are not of the pool, each once."""
        new = dict.fromkeys(
            steps for steps in made if stepping.sound(steps, self._names | _made(steps))
        )
        return [steps for steps in new if steps not in set(self._pool)]

    def relettered(self, wanted: int) -> list[Steps]:
        """Return sessions of the pool with other literals, the skeletons in turn."""
        families: dict[tuple[Any, ...], list[Skeleton]] = {}
        for reading in READINGS:
            for steps in self._pool:
                dug = self._skeleton(steps, reading)
                families.setdefault(dug.key, []).append(dug)
        share = -(-wanted // len(families))
        bred = [self._literals(family, share) for family in families.values()]
        self._rng.shuffle(bred)
        turns = max(map(len, bred))
        return [its[turn] for turn in range(turns) for its in bred if turn < len(its)]

    def _literals(self, family: Sequence[Skeleton], count: int) -> list[Steps]:
        first = family[0]
        if not first.leaves:
            return []
        known = [dug.values for dug in family]
        if len(known) < FEWEST:
            known += [self._crossed(first) for _ in range(FEWEST)]
        drawn = mutate(known, count=count, seed=self._rng.getrandbits(32))
        filled = [first.fill(values).steps for values in [*known, *drawn]]
        self._rng.shuffle(filled)
        return [shown(steps, self._observers, self._rng) for steps in filled]

    def _crossed(self, dug: Skeleton) -> tuple[Any, ...]:
        return tuple(
            self._rng.choice(self._values.get(_likeness(leaf), [leaf.value]))
            for leaf in dug.leaves
        )

    def restructured(self, wanted: int) -> list[Steps]:
        """Return sessions of other steps, most of them with other literals too."""
        found: dict[Steps, None] = {}
        for _ in range(ATTEMPTS * wanted):
            if len(found) >= wanted:
                break
            steps = self._changed(self._rng.choice(self._pool))
            if steps and self._rng.random() < 0.7:
                steps = self._once(steps)
            if steps and stepping.sound(steps, self._names | _made(steps)):
                found[steps] = None
        return [steps for steps in found if steps not in set(self._pool)]

    def _changed(self, steps: Steps) -> Steps:
        for _ in range(self._rng.randint(1, 3)):
            steps = self._rng.choice(_CHANGES)(self, steps)
            if not steps or not stepping.sound(steps, self._names | _made(steps)):
                return ()
        return shown(steps, self._observers, self._rng)

    def _once(self, steps: Steps) -> Steps:
        dug = self._skeleton(steps, self._rng.choice(READINGS))
        drawn = self._literals([dug], 1)
        return self._rng.choice(drawn) if drawn else steps

    def spliced(self, steps: Steps) -> Steps:
        """Splice with another session of the pool."""
        return stepping.spliced(steps, self._rng.choice(self._pool), self._rng)

    def dropped(self, steps: Steps) -> Steps:
        """Leave out one step."""
        return stepping.dropped(steps, self._rng)

    def doubled(self, steps: Steps) -> Steps:
        """Take one step twice."""
        return stepping.doubled(steps, self._rng)

    def swapped(self, steps: Steps) -> Steps:
        """Move one step."""
        return stepping.swapped(steps, self._rng)

    def rearranged(self, steps: Steps) -> Steps:
        """Change a list that holds calls."""
        place = self._rng.randrange(len(steps))
        changed = stepping.rearranged(steps[place], self._rng)
        return (*steps[:place], changed, *steps[place + 1 :])


_CHANGES: tuple[Callable[[_Breeder, Steps], Steps], ...] = (
    _Breeder.spliced, _Breeder.spliced, _Breeder.doubled, _Breeder.doubled,
    _Breeder.swapped, _Breeder.dropped, _Breeder.rearranged, _Breeder.rearranged,
)  # fmt: skip


def _made(steps: Steps) -> frozenset[str]:
    return stepping.variables([steps])


def _likeness(leaf: Leaf) -> tuple[Any, ...]:
    return (
        leaf.place,
        leaf.form,
        leaf.widths,
        leaf.members,
        leaf.dated,
        type(leaf.value).__name__,
    )
