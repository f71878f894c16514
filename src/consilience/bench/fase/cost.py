"""RQ4: what each measure that asks no model costs, in CPU time of one thread, task by task.

Embedding and graph apart, as in the paper's Table 3. CPU time and not wall time, so that other
work on the machine does not count.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from consilience.bench.intervals import bootstrap
from consilience.uncertainty import Encoder
from consilience.uncertainty.blas import one_thread
from consilience.uncertainty.distance import cosine_distances
from consilience.uncertainty.embedding import Embedded, embed
from consilience.uncertainty.fase import partition_of, space_of_items, trees
from consilience.uncertainty.hdbscan import hdbscan
from consilience.uncertainty.radius import RULES
from consilience.uncertainty.space import items
from consilience.uncertainty.structure import (
    Structural,
    published_shape,
    structural_distances,
)
from consilience.uncertainty.syntax import canonical, subtrees
from consilience.uncertainty.text import Textual, plain
from consilience.uncertainty.tree import spanning_trees

Samples = Sequence[str]
_REPEATS = 3  # the least of so many runs, for what takes less than a tenth of a second
_BRIEF = 0.1
_PARSED = (canonical, subtrees, published_shape)
"""What remembers the programs it has parsed."""


def costs(tasks: Sequence[Samples], encoder: Encoder) -> dict[str, Any]:
    """Time every part on every task; seconds of CPU a task, with 95 % intervals."""
    rows: dict[str, list[float | None]] = {}
    with one_thread():
        for samples in tasks[:1]:
            _task([plain(text) for text in samples], encoder)  # imports are no task's cost
        for samples in tasks:
            for name, seconds in _task([plain(text) for text in samples], encoder).items():
                rows.setdefault(name, []).append(seconds)
    return {name: asdict(bootstrap(seconds)) for name, seconds in rows.items()}


def _task(samples: Samples, encoder: Encoder) -> dict[str, float]:
    found, embedding = _timed_once(lambda: embed(samples, encoder))
    vectors = found.rows(samples)
    matrix = cosine_distances(vectors)
    return {
        "embedding": embedding,
        "distances": _least(lambda: cosine_distances(vectors)),
        "tree": _least(lambda: spanning_trees(matrix[None])),
        "FASE after embedding": _cold(lambda: _fase(samples, found)),
        "published FASE after embedding": _least(lambda: _published(vectors)),
        "hdbscan": _least(lambda: hdbscan(matrix, 2)),
        "textual": _cold(lambda: Textual().partition(samples)),
        "structural": _cold(lambda: Structural().partition(samples)),
        "structural-authors": _cold(lambda: Structural("authors").partition(samples)),
        "closeness/syntax": _cold(lambda: structural_distances(samples)),
        "FASE whole": embedding + _cold(lambda: _fase(samples, found)),
    }


def _fase(samples: Samples, found: Embedded) -> None:
    """Do all that FASE does with vectors: groups, distances, tree, radius, classes."""
    rule = RULES["consilience"]
    space = space_of_items(items(samples, rule), found, rule)
    (tree,) = trees([space], rule)
    partition_of(space, tree, 0.5 * tree.unit)


def _published(vectors: Any) -> None:
    # Imported when asked for: it needs scipy and scikit-learn.
    published = importlib.import_module("consilience.bench.published_fase")
    published.entropy(published.distance_matrix(vectors), 1.0)


def _timed_once(work: Callable[[], Embedded]) -> tuple[Embedded, float]:
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def _cold(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one run that finds no program parsed already."""
    for parsed in _PARSED:
        parsed.cache_clear()
    start = time.thread_time()
    work()
    return time.thread_time() - start


def _least(work: Callable[[], object]) -> float:
    """Return the least CPU seconds of a few runs, or of one where it takes long."""
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
        if best > _BRIEF:
            break
    return best
