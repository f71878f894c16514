"""Our numpy MiniLM against sentence-transformers on the same texts: speed, and equal vectors.

Needs sentence-transformers with torch, which is no dependency of ours; run it where they are.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from consilience.uncertainty.embedding import embed
from consilience.uncertainty.minilm import MiniLM


def compare(
    folder: Path, tasks: Sequence[Sequence[str]], *, repeats: int = 3
) -> dict[str, Any]:
    """Encode *tasks* with both, task by task and all together; the least of *repeats* counts.

    Ours cuts long texts here as sentence-transformers does; pooled ones are timed besides.
    """
    theirs = importlib.import_module("sentence_transformers").SentenceTransformer(
        str(folder), device="cpu"
    )
    importlib.import_module("torch").set_num_threads(1)
    ours = MiniLM(folder, overflow="truncate", workers=1)
    pooled = MiniLM(folder, workers=1)
    texts = [text for task in tasks for text in task]
    agreement = _agreement(ours.encode(texts), theirs.encode(texts, batch_size=32))
    ways: dict[str, Callable[[], Any]] = {
        "sentence_transformers_by_task": lambda: [theirs.encode(list(task)) for task in tasks],
        "sentence_transformers_together": lambda: theirs.encode(texts, batch_size=32),
        "ours_by_task": lambda: [embed(task, ours) for task in tasks],
        "ours_by_task_no_reuse": lambda: [ours.encode(list(task)) for task in tasks],
        "ours_together": lambda: embed(texts, ours),
        "ours_together_pooled": lambda: embed(texts, pooled),
    }
    times = {name: _least(way, repeats) for name, way in ways.items()}
    return {
        "tasks": len(tasks),
        "texts": len(texts),
        "distinct": len(set(texts)),
        "longer_than_context": sum(pooled.windows(text) > 1 for text in texts),
        **agreement,
        "cpu_ms_a_task": {name: 1000 * each / len(tasks) for name, each in times.items()},
    }


def _agreement(ours: Any, theirs: Any) -> dict[str, float]:
    cosines = (ours * theirs).sum(axis=1) / np.linalg.norm(theirs, axis=1)
    return {
        "least_cosine": float(cosines.min()),
        "largest_difference": float(np.abs(ours - theirs).max()),
    }


def _least(way: Callable[[], Any], repeats: int) -> float:
    """Return the least CPU time of the whole process, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        way()
        times.append(time.process_time() - start)
    return min(times)
