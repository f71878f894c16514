"""The measurements behind FASE and its rivals: parity, correlation with pass@1, and speed.

Labels are the verdicts that came with the pools ("pool eval hints"), not runs of our own. Needs
scipy and scikit-learn, for the published procedure.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.bench import published_fase
from consilience.bench.entropy_pools import evaluate
from consilience.bench.entropy_speed import speeds
from consilience.bench.machine import machine
from consilience.bench.pools import Pool, pools
from consilience.store import Store
from consilience.uncertainty import Encoder
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.fase import Fase, sweep
from consilience.uncertainty.radius import ALPHAS, RULES
from consilience.uncertainty.space import space_of_vectors
from consilience.uncertainty.text import plain


def run(
    data: Path,
    out: Path,
    *,
    encoders: Mapping[str, Encoder],
    store: Store | None = None,
    only: str | None = None,
) -> dict[str, Any]:
    """Measure everything on the pools in *data*; keep the record in *out*, part by part.

    Parts that the record has already are not measured again, so a run that was stopped goes on;
    *only* measures the parts whose name begins with it. The store keeps the vectors: without
    it, embedding some 8,500 programs takes ten minutes.
    """
    record = json.loads(out.read_text(encoding="utf-8")) if out.exists() else _heading()
    out.parent.mkdir(parents=True, exist_ok=True)
    for name, part in _parts(pools(data), encoders, store).items():
        if name in record["parts"] or not name.startswith(only or ""):
            continue
        record["parts"][name] = {"load": _load(), "found": part()}
        text = json.dumps(record, indent=1, sort_keys=True)
        out.write_text(text + "\n", encoding="utf-8")
    return dict(record)


def _parts(
    found: Sequence[Pool], encoders: Mapping[str, Encoder], store: Store | None
) -> dict[str, Callable[[], Any]]:
    parts: dict[str, Callable[[], Any]] = {"speed": lambda: list(speeds())}
    for name, encoder in encoders.items():
        parts[f"encoder/{name}"] = partial(encoder_share, found[0], encoder)
    for pool in found:
        parts[f"pool/{pool.name}"] = partial(evaluate, pool, encoders, store)
        for name, encoder in encoders.items():
            parts[f"parity/{pool.name}/{name}"] = partial(parity, pool, encoder, store)
    return parts


def _heading() -> dict[str, Any]:
    return {
        "what": "entropies of samples against pass@1",
        "labels": "pool eval hints: verdicts that came with the pools, not re-run",
        "machine": machine(),
        "parts": {},
    }


def _load() -> float:
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else -1.0


def parity(pool: Pool, encoder: Encoder, store: Store | None = None) -> dict[str, Any]:
    """Compare the `authors` rule with the published procedure on every task and alpha.

    From the same distances, and from the same vectors: the two multiply matrices in another
    order, so that a distance may differ in its sixth digit.
    """
    rule = RULES["authors"]
    tasks = [[plain(text) for text in task.samples] for task in pool.tasks]
    found = embed((text for task in tasks for text in task), encoder, store)
    spaces = [space_of_vectors(found.rows(task), rule) for task in tasks]
    ours = sweep(spaces, rule, ALPHAS) * math.log2(len(tasks[0]))
    same = np.array([_published(space.distances) for space in spaces])
    matrices = [published_fase.distance_matrix(found.rows(task)) for task in tasks]
    whole = np.array([_published(each) for each in matrices])
    return {
        "cases": ours.size,
        "different_from_same_distances": int((np.abs(ours - same) > 1e-9).sum()),
        "different_from_same_vectors": int((np.abs(ours - whole) > 1e-9).sum()),
        "largest_distance_difference": max(
            float(np.abs(space.distances - matrix).max())
            for space, matrix in zip(spaces, matrices, strict=True)
        ),
    }


def _published(distances: npt.NDArray[np.floating]) -> list[float]:
    """Return the published entropies at every alpha, which multiplies one radius."""
    unit = published_fase.radius(distances, 1.0)
    return [published_fase.cluster_entropy(distances, alpha * unit) for alpha in ALPHAS]


def encoder_share(pool: Pool, encoder: Encoder, tasks: int = 10) -> dict[str, Any]:
    """Time some tasks from text to classes, and the encoder's part of it, in CPU seconds."""
    timed = _Timed(encoder)
    samples = [task.samples for task in pool.tasks[:tasks]]
    start = time.process_time()
    Fase(timed).partitions(samples)
    total = time.process_time() - start
    return {
        "tasks": len(samples),
        "ms_a_task": 1000 * total / len(samples),
        "share_in_encode": timed.seconds / total,
        "texts_encoded": timed.texts,
        "texts_given": sum(map(len, samples)),
    }


class _Timed:
    """Passes texts on to an encoder, and adds up what that costs."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.seconds = 0.0
        self.texts = 0

    def encode(self, sentences: list[str], /) -> object:
        start = time.process_time()
        vectors = self.encoder.encode(sentences)
        self.seconds += time.process_time() - start
        self.texts += len(sentences)
        return vectors
