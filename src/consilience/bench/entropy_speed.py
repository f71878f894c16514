"""FASE after embedding: ours against the published procedure, in CPU time of one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.bench import published_fase
from consilience.uncertainty.blas import one_thread
from consilience.uncertainty.fase import sweep
from consilience.uncertainty.radius import ALPHAS, RULES, Rule
from consilience.uncertainty.space import space_of_vectors

Vectors = npt.NDArray[np.float32]


def speeds() -> Iterator[dict[str, Any]]:
    """Time one task, 500 tasks at once, and the sweep of alphas."""
    with one_thread():
        for size, repeats in ((10, 60), (100, 10), (1000, 2)):
            yield _one(size, repeats)
        for size, sample in ((10, 60), (100, 10)):
            yield _many(size, sample)
        for size, tasks in ((10, 1), (10, 500), (100, 1)):
            yield _swept(size, tasks)


def vectors(tasks: int, samples: int, seed: int = 0) -> Vectors:
    """Make unit vectors like those of real samples: some groups, a third of them repeated."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(tasks, 1, 384)) * 3
    groups = rng.normal(size=(tasks, 4, 384))
    pick = rng.integers(4, size=(tasks, samples))
    rows = centres + groups[np.arange(tasks)[:, None], pick]
    rows += rng.normal(size=rows.shape) * 0.4
    repeated = rng.random((tasks, samples)) < 1 / 3
    rows[repeated] = np.broadcast_to(rows[:, :1], rows.shape)[repeated]
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), dtype=np.float32)


def _one(size: int, repeats: int) -> dict[str, Any]:
    task = vectors(1, size)
    theirs = _least(lambda: _published(task, (1.0,)), repeats)
    return _row(f"one task, n = {size}", theirs, task, (1.0,), repeats * 5)


def _many(size: int, sample: int) -> dict[str, Any]:
    """Time 500 tasks; the published procedure on *sample* of them, as it has no batches."""
    tasks = vectors(500, size)
    theirs = _least(lambda: _published(tasks[:sample], (1.0,)), 2) * len(tasks) / sample
    return _row(f"500 tasks, n = {size}", theirs, tasks, (1.0,), 5)


def _swept(size: int, count: int) -> dict[str, Any]:
    tasks = vectors(count, size)
    sample = min(count, 10)
    theirs = _least(lambda: _published(tasks[:sample], ALPHAS), 2) * count / sample
    shared = _least(lambda: _shared(tasks[:sample]), 2) * count / sample
    row = _row(f"{len(ALPHAS)} alphas, {count} tasks, n = {size}", theirs, tasks, ALPHAS, 10)
    row["published_tree_once_ms"] = 1000 * shared
    row["times_faster_than_tree_once"] = 1000 * shared / row["ours_authors_rule_ms"]
    return row


def _row(
    name: str, theirs: float, tasks: Vectors, alphas: tuple[float, ...], repeats: int
) -> dict[str, Any]:
    same = _least(lambda: _ours(tasks, RULES["authors"], alphas), repeats)
    default = _least(lambda: _ours(tasks, RULES["consilience"], alphas), repeats)
    return {
        "what": name,
        "published_ms": 1000 * theirs,
        "ours_authors_rule_ms": 1000 * same,
        "ours_default_rule_ms": 1000 * default,
        "times_faster": theirs / same,
        "times_faster_default_rule": theirs / default,
    }


def _published(tasks: Vectors, alphas: tuple[float, ...]) -> None:
    """Do as the published code does: the distances once, all else anew for every alpha."""
    for task in tasks:
        distances = published_fase.distance_matrix(task)
        for alpha in alphas:
            published_fase.entropy(distances, alpha)


def _shared(tasks: Vectors) -> None:
    """Do as the published code could: the tree and its mode once, clusters for every alpha."""
    for task in tasks:
        distances = published_fase.distance_matrix(task)
        unit = published_fase.radius(distances, 1.0)
        for alpha in ALPHAS:
            published_fase.cluster_entropy(distances, alpha * unit)


def _ours(tasks: Vectors, rule: Rule, alphas: tuple[float, ...]) -> None:
    sweep([space_of_vectors(task, rule) for task in tasks], rule, alphas)


def _least(work: Callable[[], None], repeats: int) -> float:
    """Return the least CPU time of this thread, in seconds."""
    work()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)
