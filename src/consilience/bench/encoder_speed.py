"""Our numpy MiniLM against sentence-transformers on the same texts: speed, and equal vectors.

Needs sentence-transformers with torch, which is no dependency of ours; run it where they are.
"""

from __future__ import annotations

import importlib
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from consilience.bench.machine import machine
from consilience.bench.pools import pools
from consilience.errors import ConsilienceError
from consilience.uncertainty.bert import Bert
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.fase import Fase
from consilience.uncertainty.minilm import MiniLM

SCHEMA = "consilience-bench-encoder/1"
GOAL = 2.0
"""Times faster than sentence-transformers, a task of ten samples."""
Texts = Sequence[Sequence[str]]


def run(data: Path, model: Path, *, tasks: int = 20, rounds: int = 3) -> dict[str, Any]:
    """Compare both on the first *tasks* of the first pool in *data*; return the record.

    *model* is MiniLM's folder as sentence-transformers takes it, with its configuration.

    Raises:
        ConsilienceError: sentence-transformers is not installed here.
    """
    pool = pools(data)[0]
    samples = [task.samples for task in pool.tasks[:tasks]]
    found = compare(model, samples, rounds=rounds)
    packages = ("sentence-transformers", "torch")
    return {
        "schema": SCHEMA,
        "machine": machine() | {"load": round(os.getloadavg()[0], 2)},
        "versions": {name: metadata.version(name) for name in packages},
        "pool": pool.name,
        "rounds": rounds,
        **found,
    }


def compare(folder: Path, tasks: Texts, *, rounds: int = 3) -> dict[str, Any]:
    """Encode *tasks* with both, task by task and all together, in turn, one thread each.

    Ours cuts long texts here as sentence-transformers does; pooled ones are timed besides.
    """
    theirs = _theirs(folder)
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
    cpu, wall = _times(ways, rounds)
    by_task = [
        theirs_ / ours_
        for theirs_, ours_ in zip(
            cpu["sentence_transformers_by_task"], cpu["ours_by_task"], strict=True
        )
    ]
    faster = statistics.median(by_task)
    return {
        "tasks": len(tasks),
        "texts": len(texts),
        "distinct": len(set(texts)),
        "longer_than_context": sum(pooled.windows(text) > 1 for text in texts),
        **agreement,
        "cpu_ms_a_task": _a_task(cpu, len(tasks)),
        "wall_ms_a_task": _a_task(wall, len(tasks)),
        "times_faster_a_task": {
            "median": faster,
            "least": min(by_task),
            "most": max(by_task),
            "goal": GOAL,
            "reached": faster >= GOAL,
        },
        "share_in_forward_pass": forward_share(ours, tasks),
    }


def forward_share(encoder: MiniLM, tasks: Texts) -> float:
    """Return the forward pass' share of the wall from text to classes."""
    spent = 0.0
    forward = Bert.forward

    def timed(bert: Bert, sequences: Sequence[Sequence[int]]) -> Any:
        nonlocal spent
        start = time.perf_counter()
        sums = forward(bert, sequences)
        spent += time.perf_counter() - start
        return sums

    Bert.forward = timed  # type: ignore[method-assign, assignment]
    try:
        start = time.perf_counter()
        Fase(encoder).partitions(tasks)
        return spent / (time.perf_counter() - start)
    finally:
        Bert.forward = forward  # type: ignore[method-assign]


def _theirs(folder: Path) -> Any:
    try:
        package = importlib.import_module("sentence_transformers")
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise ConsilienceError(
            "This needs sentence-transformers, which is not installed here.",
            hint="Run it by an interpreter that has it, with ours on PYTHONPATH.",
        ) from error
    torch.set_num_threads(1)
    return package.SentenceTransformer(str(folder), device="cpu")


def _agreement(ours: Any, theirs: Any) -> dict[str, float]:
    cosines = (ours * theirs).sum(axis=1) / np.linalg.norm(theirs, axis=1)
    return {
        "least_cosine": float(cosines.min()),
        "largest_difference": float(np.abs(ours - theirs).max()),
    }


def _times(
    ways: Mapping[str, Callable[[], Any]], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return CPU seconds of the process, and seconds of wall, of every way in each round."""
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    wall: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            started, used = time.perf_counter(), time.process_time()
            way()
            cpu[name].append(time.process_time() - used)
            wall[name].append(time.perf_counter() - started)
    return cpu, wall


def _a_task(times: Mapping[str, Sequence[float]], tasks: int) -> dict[str, dict[str, float]]:
    """Return the least and the median milliseconds a task of every way."""
    return {
        name: {
            "least": 1000 * min(found) / tasks,
            "median": 1000 * statistics.median(found) / tasks,
        }
        for name, found in times.items()
    }
