"""FASE: classes of samples by an adaptive cut of the spanning tree over their embeddings.

Entropy by Eq. 1, radius by Eq. 2 of the paper (see `radius`). Any number of tasks at once:
tasks with as many items are measured together, and one tree serves every alpha.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from consilience.store import Store
from consilience.uncertainty import Edge, Encoder, Partition
from consilience.uncertainty.clusters import cut, entropies_at, numbered, steps
from consilience.uncertainty.distance import Floats
from consilience.uncertainty.embedding import Embedded, embed
from consilience.uncertainty.radius import RULES, Rule, unit_radii
from consilience.uncertainty.space import Items, Space, items, space_of_vectors
from consilience.uncertainty.syntax import canonical
from consilience.uncertainty.text import plain
from consilience.uncertainty.tree import spanning_trees

DEFAULT_ALPHA = 0.5
"""Of the open pools it serves best on the whole, among those of the duplicate table (.5 to
2).
"""


@dataclass(frozen=True, slots=True)
class Fase:
    """Samples are equivalent when a chain of steps within the radius joins them."""

    encoder: Encoder
    rule: Rule = RULES["consilience"]
    alpha: float = DEFAULT_ALPHA
    store: Store | None = None
    name: str = "fase"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group the samples of one task."""
        return self.partitions([samples])[0]

    def partitions(self, tasks: Sequence[Sequence[str]]) -> list[Partition]:
        """Group the samples of each task, encoding the distinct texts of all tasks together."""
        grouped = [items(samples, self.rule) for samples in tasks]
        found = embed(
            (text for each in grouped for text in each.texts), self.encoder, self.store
        )
        spaces = [space_of_items(each, found, self.rule) for each in grouped]
        return [
            replace(
                partition_of(space, tree, self.alpha * tree.unit, self.name),
                unparsable=unparsable(samples),
                notes=_notes(each, found),
            )
            for space, tree, each, samples in zip(
                spaces, trees(spaces, self.rule), grouped, tasks, strict=True
            )
        ]


def unparsable(samples: Sequence[str]) -> tuple[int, ...]:
    """List the samples that are no Python."""
    return tuple(i for i, text in enumerate(samples) if canonical(plain(text)) is None)


def _notes(each: Items, found: Embedded) -> tuple[str, ...]:
    long = sum(
        len(group)
        for text, group in zip(each.texts, each.members, strict=True)
        if text in found.overflowing
    )
    return (f"{long} samples exceed the encoder's context: {found.remedy}",) if long else ()


def space_of_items(each: Items, found: Embedded, rule: Rule) -> Space:
    """Place items by the vectors of their texts."""
    if not each.texts:
        return Space(np.zeros((0, 0)), (), each.apart)
    return space_of_vectors(found.rows(each.texts), rule, each.members, each.apart)


@dataclass(frozen=True, slots=True)
class Tree:
    """The spanning tree over the items of one task, and its radius at alpha = 1."""

    weights: list[float]
    """Ascending."""
    ends: list[list[int]]
    unit: float


def trees(spaces: Sequence[Space], rule: Rule) -> list[Tree]:
    """Build the tree of each space, those with as many items in step."""
    result: list[Tree] = [Tree([], [], 0.0)] * len(spaces)
    sizes: dict[int, list[int]] = {}
    for index, space in enumerate(spaces):
        sizes.setdefault(len(space.distances), []).append(index)
    for indices in sizes.values():
        stacked = spaces[indices[0]].distances[None]  # a view: large matrices are not copied
        if len(indices) > 1:
            stacked = np.stack([spaces[index].distances for index in indices])
        built = spanning_trees(stacked)
        radii = unit_radii(stacked, built, rule).tolist()
        for index, weights, ends, radius in zip(
            indices, built.weights.tolist(), built.ends.tolist(), radii, strict=True
        ):
            result[index] = Tree(weights, ends, radius)
    return result


def sweep(spaces: Sequence[Space], rule: Rule, alphas: Iterable[float]) -> Floats:
    """Return the normalised entropy of each task at each alpha, (T, len(alphas))."""
    alphas = tuple(alphas)
    table = np.zeros((len(spaces), len(alphas)))
    for row, (space, tree) in enumerate(zip(spaces, trees(spaces, rule), strict=True)):
        counts = space.multiplicities
        if sum(counts) < 2:
            continue
        radii = [alpha * tree.unit for alpha in alphas]
        table[row] = entropies_at(tree.weights, steps(tree.ends, counts), radii)
        table[row] /= math.log2(sum(counts))
    return table


def partition_of(space: Space, tree: Tree, radius: float, name: str = "fase") -> Partition:
    """Cut *tree* at *radius* and say which samples fall together."""
    count = sum(space.multiplicities)
    item_class = cut(tree.weights, tree.ends, radius)[: len(space.members)]
    labels = [0] * count
    for item, group in enumerate(space.members):
        for index in group:
            labels[index] = item_class[item]
    for extra, group in enumerate(space.apart):
        for index in group:
            labels[index] = len(item_class) + extra
    return Partition(
        measure=name,
        labels=numbered(labels),
        radius=radius,
        edges=_edges(space, tree),
        centrality=_centrality(space, item_class, count),
    )


def _edges(space: Space, tree: Tree) -> tuple[Edge, ...]:
    """Draw the tree over samples: an item's repetitions hang on its first one at distance 0."""
    first = [group[0] for group in space.members]
    edges = [Edge(group[0], index, 0.0) for group in space.members for index in group[1:]]
    for weight, (a, b) in zip(tree.weights, tree.ends, strict=True):
        edges.append(Edge(min(first[a], first[b]), max(first[a], first[b]), weight))
    return tuple(sorted(edges, key=lambda edge: (edge.weight, edge.first, edge.second)))


def _centrality(space: Space, item_class: Sequence[int], count: int) -> tuple[float, ...]:
    """Return the mean distance of each sample to its class, repetitions counted."""
    weight = np.array([len(group) for group in space.members], dtype=np.float64)
    same = np.equal.outer(item_class, item_class) * weight
    mean = (space.distances * same).sum(axis=1) / np.maximum(same.sum(axis=1), 1)
    result = [0.0] * count
    for item, group in enumerate(space.members):
        for index in group:
            result[index] = float(mean[item])
    return tuple(result)
