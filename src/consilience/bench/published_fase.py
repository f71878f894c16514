"""FASE as its published code does it, from the description: the reference to compare with.

Loops, scipy's density and scikit-learn's DBSCAN, everything anew for every alpha, in the order
of `research/fase.md`, section 1. Independent of `uncertainty` on purpose; needs scipy and
scikit-learn. Only for parity tests and for timing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.signal import find_peaks
from scipy.stats import gaussian_kde
from sklearn.cluster import DBSCAN
from sklearn.metrics.pairwise import cosine_similarity

Matrix = npt.NDArray[np.float32]


def distance_matrix(vectors: npt.ArrayLike) -> Matrix:
    """Return the rounded, floored distances, entry by entry."""
    similar = cosine_similarity(np.asarray(vectors, dtype=np.float32))
    count = len(similar)
    distances = np.zeros((count, count), dtype=np.float32)
    for i in range(count):
        for j in range(count):
            if i != j:
                distances[i][j] = max(1 - similar[i][j], 1e-6)
    distances = np.round(distances, 6)
    for i in range(count):
        for j in range(i):
            if distances[i][j] != distances[j][i]:
                mean = (distances[i][j] + distances[j][i]) / 2
                distances[i][j] = distances[j][i] = mean
    return distances


def entropy(distances: npt.NDArray[np.floating], alpha: float) -> float:
    """Return the entropy in bits at *alpha*; noise points are classes of their own."""
    return cluster_entropy(distances, radius(distances, alpha))


def cluster_entropy(distances: npt.NDArray[np.floating], eps: float) -> float:
    """Return the entropy in bits at the radius *eps*."""
    labels = cluster(distances, eps)
    counts = [labels.count(label) for label in set(labels)]
    return sum(-count / len(labels) * math.log2(count / len(labels)) for count in counts)


def radius(distances: npt.NDArray[np.floating], alpha: float) -> float:
    """Return 2 alpha (1 - mean(w) / mean of the whole matrix) mode(w), or .001 alpha."""
    weights = [weight for _, _, weight in kruskal(distances)]
    whole = float(np.mean(distances, dtype=np.float64)) or 1e-6
    found = 2 * (1 - float(np.mean(weights)) / whole) * mode(weights)
    return alpha * (found if found > 0 else 0.001)


def kruskal(distances: npt.NDArray[np.floating]) -> list[tuple[int, int, float]]:
    """Return the spanning tree, by sorted edges and union-find with rank."""
    count = len(distances)
    edges = [(i, j, float(distances[i][j])) for i in range(count) for j in range(i + 1, count)]
    edges.sort(key=lambda edge: edge[2])
    parent, rank, tree = list(range(count)), [0] * count, []
    for i, j, weight in edges:
        a, b = _root(parent, i), _root(parent, j)
        if a == b:
            continue
        if rank[a] < rank[b]:
            a, b = b, a
        parent[b] = a
        rank[a] += rank[a] == rank[b]
        tree.append((i, j, weight))
        if len(tree) == count - 1:
            break
    return tree


def _root(parent: list[int], item: int) -> int:
    if parent[item] != item:
        parent[item] = _root(parent, parent[item])
    return parent[item]


def mode(weights: Sequence[float]) -> float:
    """Return the right-most interior peak of the density; its maximiser if under two."""
    if np.var(weights) < 1e-18:  # theirs asks for == 0 and may divide by dust
        return float(np.mean(weights))
    points = np.linspace(min(weights), max(weights), 1000)
    density = gaussian_kde(weights)(points)
    peaks, _ = find_peaks(density)
    return float(points[peaks[-1]] if len(peaks) >= 2 else points[np.argmax(density)])


def cluster(distances: npt.NDArray[np.floating], eps: float) -> list[int]:
    """Return DBSCAN's labels with at least two samples a cluster, noise renumbered."""
    found = DBSCAN(eps=eps, min_samples=2, metric="precomputed").fit(distances).labels_
    fresh = max(found) + 1
    labels: list[int] = []
    for label in found.tolist():
        labels.append(fresh if label < 0 else label)
        fresh += label < 0
    return labels
