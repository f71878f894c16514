"""The samples of one task as items with distances: what the tree is built over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.errors import InputError
from consilience.uncertainty.distance import (
    Floats,
    cleaned,
    cosine_distances,
    floored,
    published_distances,
)
from consilience.uncertainty.radius import Rule
from consilience.uncertainty.syntax import canonical
from consilience.uncertainty.text import plain

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """The samples of one task, grouped into what counts as one and the same program."""

    texts: tuple[str, ...]
    """What is encoded for each item: its first sample."""
    members: Groups
    """The samples of each item."""
    apart: Groups = ()
    """Samples that are no Python, by equal text: classes of their own, outside the tree."""


@dataclass(frozen=True, slots=True)
class Space:
    """Items with the distances between them."""

    distances: Floats
    """(m, m), symmetric, zero diagonal."""
    members: Groups
    apart: Groups = ()

    @property
    def multiplicities(self) -> list[int]:
        """How many samples each item stands for, those outside the tree last."""
        return [len(group) for group in (*self.members, *self.apart)]


def items(samples: Sequence[str], rule: Rule) -> Items:
    """Group *samples* as *rule* asks: one item a sample, or one a distinct program.

    Programs are one and the same when their text is equal, or their syntax up to renaming.
    Where no sample at all is Python (another language, prose) they are compared as texts.
    """
    if not samples:
        raise InputError("No samples: there is nothing to compare.", hint="Pass at least one.")
    if not rule.distinct:
        return Items(tuple(samples), tuple((index,) for index in range(len(samples))))
    texts = [plain(text) for text in samples]
    forms = [canonical(text) for text in texts]
    if not any(form is not None for form in forms):
        forms = [f"text {text}" for text in texts]
    inside = _grouped(forms, [index for index, form in enumerate(forms) if form is not None])
    outside = _grouped(texts, [index for index, form in enumerate(forms) if form is None])
    return Items(tuple(texts[group[0]] for group in inside), inside, outside)


def _grouped(keys: Sequence[str | None], indices: Sequence[int]) -> Groups:
    groups: dict[str | None, list[int]] = {}
    for index in indices:
        groups.setdefault(keys[index], []).append(index)
    return tuple(tuple(group) for group in groups.values())


def space_of_vectors(
    vectors: npt.ArrayLike, rule: Rule, members: Groups | None = None, apart: Groups = ()
) -> Space:
    """Make a space of one row for each item; each row is an item of its own by default."""
    rows = np.asarray(vectors)
    measured = published_distances(rows) if rule.published else cosine_distances(rows)
    return _merged(Space(measured, members or _singles(len(rows)), apart), rule)


def space_of_distances(distances: npt.ArrayLike, rule: Rule) -> Space:
    """Make a space of a distance matrix; each row is a sample."""
    matrix = floored(distances) if rule.published else cleaned(distances)
    return _merged(Space(matrix, _singles(len(matrix))), rule)


def _singles(count: int) -> Groups:
    return tuple((index,) for index in range(count))


def _merged(space: Space, rule: Rule) -> Space:
    """Make one item of items at distance 0, where the rule counts distinct ones."""
    if not rule.distinct:
        return space
    equal = space.distances <= 0
    if np.count_nonzero(equal) == len(equal):
        return space
    members: dict[int, list[int]] = {}
    for first, group in zip(_first_equals(equal), space.members, strict=True):
        members.setdefault(first, []).extend(group)
    kept = list(members)
    merged = tuple(tuple(sorted(group)) for group in members.values())
    return Space(space.distances[kept][:, kept], merged, space.apart)


def _first_equals(equal: npt.NDArray[np.bool_]) -> list[int]:
    """Return for each item the first one that it equals.

    Rounding can make equality intransitive; what is missed then stays at distance 0.
    """
    first = equal.argmax(axis=1)
    while (first[first] != first).any():
        first = first[first]
    return list(first.tolist())
