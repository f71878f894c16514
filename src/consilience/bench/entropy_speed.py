"""FASE after embedding: ours against the published procedure, in CPU time of one thread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
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
    """Time one task, 500 tasks at once, and the sweep of alphas.

    The published procedure has no batches: of 500 tasks it does some, and the rest is reckoned.
    """
    with one_thread():
        yield compare(1, 10, rounds=40, runs=10)
        yield compare(1, 100, rounds=15, runs=3)
        yield compare(1, 1000, rounds=5, runs=3)
        yield compare(500, 10, rounds=7, sample=50)
        yield compare(500, 100, rounds=5, sample=10)
        yield compare(1, 10, ALPHAS, rounds=10, runs=10)
        yield compare(500, 10, ALPHAS, rounds=5, sample=10)
        yield compare(1, 100, ALPHAS, rounds=6, runs=3)


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


def compare(
    count: int,
    size: int,
    alphas: tuple[float, ...] = (1.0,),
    *,
    rounds: int,
    runs: int = 1,
    sample: int = 1,
) -> dict[str, Any]:
    """Time all ways in turn, *rounds* times; the least and the median of each.

    In a round a way is run *runs* times at once, so that none pays alone for the caches that
    the one before it has filled with its own data.
    """
    tasks = vectors(count, size)
    ways: dict[str, Callable[[], None]] = {
        "published": lambda: _published(tasks[:sample], alphas),
        "ours_authors_rule": lambda: _ours(tasks, RULES["authors"], alphas),
        "ours_default_rule": lambda: _ours(tasks, RULES["consilience"], alphas),
    }
    if len(alphas) > 1:
        ways["published_tree_once"] = lambda: _shared(tasks[:sample])
    times = _times(ways, rounds, runs)
    for way in ("published", "published_tree_once"):
        if way in times:
            times[way] = [each * count / sample for each in times[way]]
    least = {way: min(found) for way, found in times.items()}
    median = {way: statistics.median(found) for way, found in times.items()}
    many = "one task" if count == 1 else f"{count} tasks"
    name = f"{many}, n = {size}"
    if len(alphas) > 1:
        name = f"{len(alphas)} alphas, {name}"
    row: dict[str, Any] = {"what": name, "rounds": rounds, "runs": runs}
    row |= {f"{way}_ms": value for way, value in least.items()}
    row |= {f"{way}_ms_median": value for way, value in median.items()}
    for end, of in {"": least, "_median": median}.items():
        row[f"times_faster{end}"] = of["published"] / of["ours_authors_rule"]
        row[f"times_faster_default_rule{end}"] = of["published"] / of["ours_default_rule"]
    if len(alphas) > 1:
        once = least["published_tree_once"]
        row["times_faster_than_tree_once"] = once / least["ours_authors_rule"]
    return row


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


def _times(
    ways: Mapping[str, Callable[[], None]], rounds: int, runs: int
) -> dict[str, list[float]]:
    """Return CPU milliseconds of this thread a run, of every round but one to warm up."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for round_ in range(rounds + 1):
        for way, work in ways.items():
            start = time.thread_time()
            for _ in range(runs):
                work()
            if round_ > 0:
                times[way].append(1000 * (time.thread_time() - start) / runs)
    return times
