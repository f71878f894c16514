"""Measure the sample sets: RQ1 to RQ3 for each, into one record that grows set by set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from consilience.bench.association import Floats
from consilience.bench.entropy_pools import Samples, Table, measured
from consilience.bench.fase.distances import CLASSES, summary
from consilience.bench.fase.nested import difference, judged, repetitions
from consilience.bench.fase.sets import SampleSet
from consilience.bench.intervals import bootstrap
from consilience.bench.pools import PoolTask
from consilience.store import Store
from consilience.uncertainty import Encoder
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.entropy import normalised
from consilience.uncertainty.radius import RULES, VARIANTS
from consilience.uncertainty.text import plain

PLAIN = ("textual", "structural-authors", "structural")
"""Measures without an encoder, of those in `entropy_pools`."""
FEW = 20
"""Closeness of syntax compares every pair of samples: not done for more samples a task."""


_FASE, _OURS = "authors scaled-mst-mode/minilm", "consilience scaled-mst-mode/minilm"
BANDED = (_FASE, _OURS, "fixed/minilm", "hdbscan/minilm")
"""Measures whose curve over settings has intervals."""
PAIRS = (
    (_FASE, "fixed/minilm"),
    (_FASE, "hdbscan/minilm"),
    (_FASE, "authors pdm-mean/minilm"),
    (_FASE, "authors mst-mean/minilm"),
    (_FASE, "authors scaled-pdm-mean/minilm"),
    (_FASE, "authors scaled-mst-mean/minilm"),
    ("authors scaled-mst-mean/minilm", "authors mst-mean/minilm"),
    ("authors scaled-pdm-mean/minilm", "authors pdm-mean/minilm"),
    (_FASE, "textual"),
    (_FASE, "structural-authors"),
    ("authors+structural/minilm", _FASE),
    ("authors+structural/minilm", "structural-authors"),
    (_OURS, _FASE),
    (_OURS, "structural"),
    ("consilience+structural/minilm", "structural"),
    (_FASE, "entailment"),
    (_OURS, "entailment"),
    ("structural", "entailment"),
)
"""Measures that the paper's claims, and ours, set against each other."""


def kept(encoder: str) -> tuple[str, ...]:
    """Name the measures with an encoder that the record keeps."""
    rules = [rule for rule in RULES if rule != "paper"]
    radii = [f"{rule} {variant}/{encoder}" for rule in rules for variant in VARIANTS]
    joined = [f"{rule}+structural/{encoder}" for rule in rules]
    others = (f"fixed/{encoder}", f"hdbscan/{encoder}", f"closeness/{encoder}")
    return (*radii, *joined, f"paper scaled-mst-mode/{encoder}", *others)


def measure_set(
    given: SampleSet, encoders: Mapping[str, Encoder], store: Store | None = None
) -> dict[str, Any]:
    """Measure one set: how right its samples are, RQ1, and every measure (RQ2, RQ3)."""
    texts = [plain(text) for task in given.tasks for text in task.samples]
    vectors = {name: embed(texts, each, store) for name, each in encoders.items()}
    truth = np.array([task.pass_at_1 for task in given.tasks])
    tasks = tuple(tuple(plain(text) for text in task.samples) for task in given.tasks)
    return {
        "about": given.source.about,
        "workflow": given.source.workflow,
        "labels": given.labels,
        "samples": given.source.size,
        "tasks": len(given.tasks),
        "left_out": given.left_out,
        "pass_at_1": classes(truth) | {"mean": asdict(bootstrap(truth.tolist()))},
        "identical_tasks": sum(len(set(task)) == 1 for task in tasks),
        "distinct": float(np.mean([len(set(task)) for task in tasks])),
        "geometry": {
            name: {
                "samples": summary(given.tasks, found, distinct=False),
                "distinct": summary(given.tasks, found, distinct=True),
            }
            for name, found in vectors.items()
        },
        **scored(dict(tables(Samples(tasks, vectors))), truth),
    }


def scored(found: Mapping[str, Table], truth: Floats) -> dict[str, Any]:
    """Judge every measure, and compare those that `PAIRS` names."""
    compared = {name for pair in PAIRS for name in pair if name in found}
    sure = {name: repetitions(1.0 - found[name][0], truth) for name in sorted(compared)}
    return {
        "measures": {
            name: judged(1.0 - table, settings, truth, banded=name in BANDED)
            for name, (table, settings) in found.items()
        },
        "comparisons": {
            f"{one} minus {other}": difference(sure[one], sure[other], truth)
            for one, other in PAIRS
            if one in sure and other in sure
        },
    }


def classes(truth: Floats) -> dict[str, int]:
    """Count tasks by class of pass@1."""
    right, wrong = int((truth == 1).sum()), int((truth == 0).sum())
    return dict(zip(CLASSES, (wrong, len(truth) - right - wrong, right), strict=True))


def tables(samples: Samples) -> Iterator[tuple[str, Table]]:
    """Yield the entropies by every measure that the record keeps."""
    wanted = {*PLAIN, *(name for encoder in samples.vectors for name in kept(encoder))}
    if max(map(len, samples.tasks)) <= FEW:
        wanted.add("closeness/syntax")
    return measured(samples, wanted.__contains__)


def asked_set(
    given: SampleSet,
    rows: Sequence[Mapping[str, Any]],
    encoders: Mapping[str, Encoder],
    store: Store | None = None,
    *,
    priced: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Measure by the model's answers and by every other measure, on the same samples.

    *priced* are rows asked on a quiet machine, for the costs; by default *rows* themselves.
    """
    known = {task.id: task for task in given.tasks}
    pairs = [(known[row["task_id"]], row) for row in rows if row["task_id"] in known]
    tasks = [_part(task, row["samples"]) for task, row in pairs]
    texts = [plain(text) for task in tasks for text in task.samples]
    vectors = {name: embed(texts, each, store) for name, each in encoders.items()}
    truth = np.array([task.pass_at_1 for task in tasks])
    plains = tuple(tuple(plain(text) for text in task.samples) for task in tasks)
    found = dict(tables(Samples(plains, vectors)))
    found |= {name: (table, (0.0,)) for name, table in answers([row for _, row in pairs])}
    return {
        "tasks": len(tasks),
        "samples": float(np.mean([len(task.samples) for task in tasks])),
        "pass_at_1": classes(truth) | {"mean": asdict(bootstrap(truth.tolist()))},
        **scored(found, truth),
        "cost": {
            name: _cost([row[name] for row in priced or rows])
            for name in ("entailment", "p_true", "vote")
        },
    }


def _part(task: PoolTask, places: Sequence[int]) -> PoolTask:
    """Keep the samples at *places*."""
    return PoolTask(
        task.id,
        tuple(task.samples[place] for place in places),
        tuple(task.passed[place] for place in places),
    )


def answers(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Floats]]:
    """Yield what the model's answers give, as entropies: 1 - the mean answer.

    A task with no readable answer is as unsure as can be told: .5.
    """
    labels = [row["entailment"]["labels"] for row in rows]
    yield "entailment", np.array([[_entropy(each)] for each in labels])
    for name, part, key in (
        ("p-true sampled", "p_true", "sampled"),
        ("p-true probability", "p_true", "probability"),
        ("vote", "vote", "majority"),
    ):
        means = [_mean(row[part][key]) for row in rows]
        yield name, np.array([[0.5 if mean is None else 1.0 - mean] for mean in means])


def _mean(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return sum(given) / len(given) if given else None


def _entropy(labels: Sequence[int]) -> float:
    return normalised([labels.count(label) for label in set(labels)])


def _cost(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average what asking cost a task, with 95 % intervals over tasks."""
    keys = ("calls", "seconds", "server_cpu_seconds", "prompt_tokens", "completion_tokens")
    return {key: asdict(bootstrap([row[key] for row in rows])) for key in keys}
