"""Entropy of a partition, its small-sample corrections, and the summary that users read."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from consilience.uncertainty import Bridge, Entropy, Partition, SemanticClass

Correction = Literal["none", "miller-madow", "chao-shen"]


def summarise(
    partition: Partition, samples: Sequence[str], *, correction: Correction = "none"
) -> Entropy:
    """Say how uncertain *samples* are when they fall into the classes of *partition*."""
    counts = Counter(partition.labels)
    classes = semantic_classes(partition)
    notes = partition.notes
    if len(samples) == 1:
        notes = (*notes, "one sample: the entropy is 0 by definition and tells nothing")
    return Entropy(
        measure=partition.measure,
        bits=corrected_bits(counts.values(), correction),
        normalised=normalised(counts.values()),
        labels=partition.labels,
        classes=classes,
        shares=tuple(classes[label].share for label in partition.labels),
        radius=partition.radius,
        edges=partition.edges,
        bridge=bridge(partition, classes, samples),
        unparsable=partition.unparsable,
        calls=partition.calls,
        notes=notes,
    )


def bits(counts: Iterable[float]) -> float:
    """Return -sum p log2 p of class sizes, never -0.0; 0 log 0 counts as 0."""
    sizes = [count for count in counts if count > 0]
    total = math.fsum(sizes)
    if len(sizes) <= 1:
        return 0.0
    return math.fsum(size / total * math.log2(total / size) for size in sizes)


def normalised(counts: Iterable[float]) -> float:
    """Return the entropy over its largest value log2 n, in [0, 1]; 0 for one sample."""
    sizes = list(counts)
    total = math.fsum(sizes)
    if total <= 1:
        return 0.0
    return min(1.0, bits(sizes) / math.log2(total))


def corrected_bits(counts: Iterable[int], correction: Correction = "none") -> float:
    """Return the entropy in bits, corrected for the classes that a small sample misses.

    The plug-in entropy is too low on few samples. Miller and Madow add (classes - 1) / 2n nats;
    Chao and Shen shrink each p by the coverage 1 - singletons / n and weight each term by the
    chance that its class was seen at all.
    """
    sizes = [count for count in counts if count > 0]
    if correction == "miller-madow":
        return bits(sizes) + max(0, len(sizes) - 1) / (2 * sum(sizes) * math.log(2))
    if correction == "chao-shen":
        return _chao_shen(sizes)
    return bits(sizes)


def _chao_shen(sizes: list[int]) -> float:
    if len(sizes) <= 1:
        return 0.0
    total, singletons = sum(sizes), sizes.count(1)
    # All singletons would mean a coverage of 0; n - 1 is the usual stand-in.
    coverage = 1 - min(singletons, total - 1) / total
    shrunk = [coverage * size / total for size in sizes]
    return math.fsum(-p * math.log2(p) / (1 - (1 - p) ** total) for p in shrunk)


def semantic_classes(partition: Partition) -> tuple[SemanticClass, ...]:
    """List the classes by label, each with the member nearest to all others."""
    members: dict[int, list[int]] = {}
    for index, label in enumerate(partition.labels):
        members.setdefault(label, []).append(index)
    centrality = partition.centrality or (0.0,) * len(partition.labels)
    return tuple(
        SemanticClass(
            tuple(group),
            min(group, key=lambda index: (centrality[index], index)),
            len(group) / len(partition.labels),
        )
        for _, group in sorted(members.items())
    )


def bridge(
    partition: Partition, classes: Sequence[SemanticClass], samples: Sequence[str]
) -> Bridge | None:
    """Find the two samples to look at first: joining their classes would save most entropy.

    With a tree, the candidates are its cut edges; without one, the representatives of the two
    largest classes.
    """
    if len(classes) < 2:
        return None
    first, second, distance = _widest_gap(partition, classes)
    diff = difflib.unified_diff(
        samples[first].splitlines(),
        samples[second].splitlines(),
        f"sample {first}",
        f"sample {second}",
        lineterm="",
    )
    return Bridge(first, second, distance, "\n".join(diff))


def _widest_gap(
    partition: Partition, classes: Sequence[SemanticClass]
) -> tuple[int, int, float | None]:
    labels = partition.labels
    cut = [edge for edge in partition.edges if labels[edge.first] != labels[edge.second]]
    if not cut:
        largest = sorted(classes, key=lambda each: (-len(each.members), each.members[0]))
        first, second = sorted(each.representative for each in largest[:2])
        return first, second, None
    size = [len(each.members) for each in classes]
    # Python's max keeps the first of equals, and edges come lightest first.
    best = max(
        cut, key=lambda edge: _saved(size[labels[edge.first]], size[labels[edge.second]])
    )
    return best.first, best.second, best.weight


def _saved(a: int, b: int) -> float:
    """Return n times the bits that vanish when classes of sizes a and b become one."""
    return (a + b) * math.log2(a + b) - a * math.log2(a) - b * math.log2(b)
