"""How well each measure that needs no model tells right tasks from wrong ones, on the pools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from consilience.bench.association import (
    Floats,
    auc,
    best,
    defined,
    estimate,
    held_out,
    spearman,
)
from consilience.bench.pools import Pool
from consilience.store import Store
from consilience.uncertainty import Encoder, Partition
from consilience.uncertainty.clusters import join
from consilience.uncertainty.distance import cosine_distances
from consilience.uncertainty.embedding import Embedded, embed
from consilience.uncertainty.entropy import normalised
from consilience.uncertainty.fase import partition_of, space_of_items, sweep, trees
from consilience.uncertainty.hdbscan import hdbscan
from consilience.uncertainty.radius import ALPHAS, RULES, VARIANTS, Rule, rule
from consilience.uncertainty.space import Space, items
from consilience.uncertainty.spread import Closeness, TextualCloseness, graded_entropy
from consilience.uncertainty.structure import Equality, Structural, structural_distances
from consilience.uncertainty.text import Textual, plain

RADII = tuple(round(float(each), 4) for each in np.linspace(0.01, 0.30, 14))
"""The published code's grid of fixed radii."""
SIZES = tuple(range(2, 10))
REACHES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)

Table = tuple[Floats, tuple[float, ...]]
"""Entropies (tasks, settings), and the settings: alphas, radii, sizes, or one 0."""


@dataclass(frozen=True, slots=True)
class Samples:
    """A pool with everything that the measures share."""

    tasks: tuple[tuple[str, ...], ...]
    vectors: Mapping[str, Embedded]
    """By the encoder's name."""


def evaluate(
    pool: Pool, encoders: Mapping[str, Encoder], store: Store | None = None
) -> dict[str, Any]:
    """Measure every task of *pool* by every measure; return rho and AUC of each."""
    tasks = tuple(tuple(plain(text) for text in task.samples) for task in pool.tasks)
    texts = [text for task in tasks for text in task]
    samples = Samples(
        tasks, {name: embed(texts, each, store) for name, each in encoders.items()}
    )
    truth = np.array([task.pass_at_1 for task in pool.tasks])
    return {
        "pool": pool.name,
        "tasks": len(tasks),
        "all_right": int((truth == 1).sum()),
        "all_wrong": int((truth == 0).sum()),
        "mean_pass_at_1": float(truth.mean()),
        "measures": {
            name: _judged(table, settings, truth)
            for name, (table, settings) in measured(samples)
        },
    }


def _judged(table: Floats, settings: tuple[float, ...], truth: Floats) -> dict[str, Any]:
    """Score 1 - H against pass@1: the best setting in hindsight, and the held-out choice."""
    sure = 1.0 - table
    by_rho, by_auc = best(sure, truth, spearman), best(sure, truth, auc)
    judged = {
        "rho": asdict(estimate(spearman, sure[:, by_rho], truth)),
        "rho_setting": settings[by_rho],
        "auc": asdict(estimate(auc, sure[:, by_auc], truth)),
        "auc_setting": settings[by_auc],
    }
    if len(settings) > 1:
        judged["held_out"] = _held_out(sure, settings, truth)
        judged["rho_by_setting"] = [defined(rho) for rho in spearman(sure.T, truth)]
    return judged


def _held_out(sure: Floats, settings: tuple[float, ...], truth: Floats) -> dict[str, Any]:
    """Repeat ten-fold cross-validation ten times; intervals come from the first repetition."""
    choices = [held_out(sure, truth, seed=seed) for seed in range(10)]
    rhos = [defined(spearman(each.scores, truth)) for each in choices]
    aucs = [defined(auc(each.scores, truth)) for each in choices]
    chosen = sorted(settings[column] for each in choices for column in each.columns)
    return {
        "rho": _mean(rhos),
        "rho_interval": asdict(estimate(spearman, choices[0].scores, truth)),
        "auc": _mean(aucs),
        "auc_interval": asdict(estimate(auc, choices[0].scores, truth)),
        "settings_chosen": {
            "least": chosen[0],
            "median": chosen[len(chosen) // 2],
            "most": chosen[-1],
        },
    }


def _mean(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return sum(given) / len(given) if given else None


def measured(
    samples: Samples, wanted: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, Table]]:
    """Yield the entropies by every measure that is wanted; closeness counts as 1 - entropy."""
    for name, make in _makers(samples):
        if wanted(name):
            yield name, make()


def _makers(samples: Samples) -> Iterator[tuple[str, Callable[[], Table]]]:
    yield "textual", partial(_single, Textual().partition, samples)
    yield "structural-authors", partial(_single, Structural("authors").partition, samples)
    yield "structural", partial(_single, Structural().partition, samples)
    yield "closeness/text", partial(_spread, TextualCloseness().confidence, samples)
    yield "closeness/syntax", partial(_spread, Closeness().confidence, samples)
    yield "graded/syntax", lambda: _graded(_structural(samples), 10)
    for encoder, found in samples.vectors.items():
        distances = [cosine_distances(found.rows(task)) for task in samples.tasks]
        yield f"closeness/{encoder}", partial(_mean_distance, distances)
        yield f"graded/{encoder}", partial(_graded, distances, 1)
        yield f"hdbscan/{encoder}", partial(_hdbscan, distances)
        for name, chosen in _rules().items():
            yield f"{name}/{encoder}", partial(_swept, samples, found, chosen)
            if name in _JOINED:
                yield f"{name}+structural/{encoder}", partial(_joined, samples, found, chosen)


def _structural(samples: Samples) -> list[Floats]:
    return [structural_distances(task) for task in samples.tasks]


def _swept(samples: Samples, found: Embedded, chosen: Rule) -> Table:
    settings = RADII if chosen.fixed else ALPHAS
    return sweep(_spaces(samples, found, chosen), chosen, settings), settings


_JOINED = ("consilience", "paper", "authors")


def _rules() -> dict[str, Rule]:
    rules = {f"{name} {variant}": rule(name, variant) for name in RULES for variant in VARIANTS}
    rules["authors scaled-mst-left-mode"] = Rule("mst_left_mode", published=True)
    rules["fixed"] = Rule(fixed=True)
    rules["fixed distinct"] = Rule(fixed=True, distinct=True)
    return {**RULES, **rules}


def _single(partition: Callable[[Sequence[str]], Partition], samples: Samples) -> Table:
    entropies = [_entropy(partition(task).labels) for task in samples.tasks]
    return np.array(entropies)[:, None], (0.0,)


def _spread(confidence: Callable[[Sequence[str]], Any], samples: Samples) -> Table:
    return 1.0 - np.array([confidence(task).value for task in samples.tasks])[:, None], (0.0,)


def _mean_distance(distances: Sequence[Floats]) -> Table:
    means = [each.sum() / (len(each) * (len(each) - 1)) for each in distances]
    return np.array(means)[:, None], (0.0,)


def _graded(distances: Sequence[Floats], factor: float) -> Table:
    reaches = tuple(round(factor * reach, 4) for reach in REACHES)
    table = [
        [graded_entropy(np.exp(-each / reach).mean(axis=1)) for reach in reaches]
        for each in distances
    ]
    return np.array(table), reaches


def _spaces(samples: Samples, found: Embedded, chosen: Rule) -> list[Space]:
    return [space_of_items(items(task, chosen), found, chosen) for task in samples.tasks]


def _joined(samples: Samples, found: Embedded, chosen: Rule) -> Table:
    """Join FASE's classes at each alpha with the structural ones."""
    equality: Equality = "authors" if chosen.published else "renamed"
    spaces = _spaces(samples, found, chosen)
    table = np.empty((len(spaces), len(ALPHAS)))
    for row, (task, space, tree) in enumerate(
        zip(samples.tasks, spaces, trees(spaces, chosen), strict=True)
    ):
        structural = Structural(equality).partition(task)
        for column, alpha in enumerate(ALPHAS):
            fase = partition_of(space, tree, alpha * tree.unit)
            table[row, column] = _entropy(join(fase, structural).labels)
    return table, ALPHAS


def _hdbscan(distances: Sequence[Floats]) -> Table:
    table = [[_entropy(hdbscan(each, size)) for size in SIZES] for each in distances]
    return np.array(table), tuple(map(float, SIZES))


def _entropy(labels: Sequence[int]) -> float:
    return normalised([labels.count(label) for label in set(labels)])
