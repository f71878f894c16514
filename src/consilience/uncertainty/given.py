"""FASE on vectors or distances that the user has already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from consilience.errors import InputError, UsageError
from consilience.uncertainty import Partition
from consilience.uncertainty.fase import DEFAULT_ALPHA, partition_of, trees, unparsable
from consilience.uncertainty.radius import RULES, Rule
from consilience.uncertainty.space import Space, items, space_of_distances, space_of_vectors


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Group as `fase.Fase` does, by a vector a sample or a distance a pair."""

    vectors: npt.ArrayLike | None = None
    distances: npt.ArrayLike | None = None
    rule: Rule = RULES["consilience"]
    alpha: float = DEFAULT_ALPHA
    name: str = "fase"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group *samples*, in the order of the rows.

        Raises:
            InputError: There are not as many rows as samples.
            UsageError: Neither or both of vectors and distances were given.
        """
        group = items(samples, self.rule)
        first = [each[0] for each in group.members]
        space = replace(self._space(first, len(samples)), apart=group.apart)
        # Rows of equal samples fell together above; those at distance 0 fall together here.
        members = tuple(
            tuple(sorted(index for row in rows for index in group.members[row]))
            for rows in space.members
        )
        space = replace(space, members=members)
        (tree,) = trees([space], self.rule)
        found = partition_of(space, tree, self.alpha * tree.unit, self.name)
        return replace(found, unparsable=unparsable(samples))

    def _space(self, first: list[int], count: int) -> Space:
        if (self.vectors is None) == (self.distances is None):
            raise UsageError("Give either vectors or distances.")
        rows = np.asarray(self.vectors if self.distances is None else self.distances)
        if rows.ndim != 2 or len(rows) != count:
            message = f"There are {count} samples, but the array is of shape {rows.shape}."
            raise InputError(message, hint="Give one row for each sample, in their order.")
        if not first:
            return Space(np.zeros((0, 0)), ())
        if self.distances is None:
            return space_of_vectors(rows[first], self.rule)
        return space_of_distances(rows[np.ix_(first, first)], self.rule)
