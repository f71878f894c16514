"""Classes of samples: cuts of a spanning tree, joins and meets of partitions.

DBSCAN with at least two samples a cluster, its noise as classes of their own, is the spanning
tree without the edges longer than the radius (the tests check it), so one tree serves every
radius.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from consilience.errors import UsageError
from consilience.uncertainty import Partition


def numbered(keys: Iterable[Hashable]) -> tuple[int, ...]:
    """Turn keys into class numbers by first appearance."""
    seen: dict[Hashable, int] = {}
    return tuple(seen.setdefault(key, len(seen)) for key in keys)


def cut(
    weights: Sequence[float], ends: Sequence[Sequence[int]], radius: float
) -> tuple[int, ...]:
    """Label the items of a tree (edges ascending) after dropping edges longer than *radius*."""
    root = list(range(len(weights) + 1))
    for weight, (first, second) in zip(weights, ends, strict=True):
        if weight > radius:
            break
        root[_find(root, first)] = _find(root, second)
    return numbered(_find(root, item) for item in range(len(root)))


def steps(ends: Sequence[Sequence[int]], multiplicities: Sequence[int]) -> list[float]:
    """Return the entropy in bits after 0, 1, 2, ... joins along a tree's edges, ascending.

    Joining classes of a and b samples of n lowers the entropy by
    ((a+b) log2(a+b) - a log2 a - b log2 b) / n, so the whole curve costs one pass.
    """
    size = list(multiplicities)
    total = sum(size)
    logs = [_x_log_x(each) for each in size]
    root = list(range(len(size)))
    spread = math.fsum(logs)
    curve = [_bits(total, spread)]
    for first, second in ends:
        a, b = _find(root, first), _find(root, second)
        root[a] = b
        size[b] += size[a]
        joined = _x_log_x(size[b])
        spread += joined - logs[a] - logs[b]
        logs[b] = joined
        curve.append(_bits(total, spread))
    if len(ends) == len(size) - 1:
        curve[-1] = 0.0  # one class: no dust
    return curve


def entropies_at(
    weights: Sequence[float], curve: Sequence[float], radii: Iterable[float]
) -> list[float]:
    """Read the entropy at each radius off the *curve* of `steps`."""
    return [curve[bisect.bisect_right(weights, radius)] for radius in radii]


def _x_log_x(x: float) -> float:
    return x * math.log2(x)


def _bits(total: int, spread: float) -> float:
    return max(0.0, math.log2(total) - spread / total)


def _find(root: list[int], item: int) -> int:
    while root[item] != item:
        root[item] = root[root[item]]
        item = root[item]
    return item


def join(left: Partition, right: Partition) -> Partition:
    """Put samples together that either partition puts together (and what follows from that)."""
    _same_samples(left, right)
    count = len(left.labels)
    # Classes are nodes too: samples 0.., left's classes, then right's, aligned by sample.
    root = list(range(3 * count))
    for index, (a, b) in enumerate(zip(left.labels, right.labels, strict=True)):
        for node in (count + a, 2 * count + b):
            root[_find(root, index)] = _find(root, node)
    labels = numbered(_find(root, index) for index in range(count))
    return replace(_combined(left, right, "or"), labels=labels)


def meet(left: Partition, right: Partition) -> Partition:
    """Put samples together that both partitions put together."""
    _same_samples(left, right)
    labels = numbered(zip(left.labels, right.labels, strict=True))
    return replace(_combined(left, right, "and"), labels=labels)


def _same_samples(left: Partition, right: Partition) -> None:
    if len(left.labels) != len(right.labels):
        raise UsageError("Two partitions can be combined only over the same samples.")


def _combined(left: Partition, right: Partition, word: str) -> Partition:
    return replace(
        left if left.edges else right,
        measure=f"{left.measure} {word} {right.measure}",
        unparsable=tuple(sorted({*left.unparsable, *right.unparsable})),
        notes=(*left.notes, *(note for note in right.notes if note not in left.notes)),
    )
