"""Sum a record up: metrics, labels and cost of every method, with intervals over tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from consilience.bench.cott import TaskRow
from consilience.bench.cott.methods import PLAIN, Rule, available, inductive, label, matrix
from consilience.bench.cott.price import dollars, spent
from consilience.bench.intervals import bootstrap, paired
from consilience.bench.metrics import (
    Figure,
    bottom1,
    kendall,
    mean_absolute_error,
    spearman,
    top1,
)
from consilience.oracles.gate import is_open
from consilience.ranking import PassMatrix, rank_by_pass_rate, rerank

FIGURES = ("top1", "bottom1", "rho", "tau", "mae")
"""In the order of the paper's table; MAE as the evaluation script has it."""


def summary(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> dict[str, Any]:
    """Return every method's figures, and each method's difference from CoTT by task."""
    figures = {
        method: [scored(method, row, rule) for row in rows] for method in available(rows)
    }
    cott = figures.get("cott", [])
    return {
        "tasks": len(rows),
        "inputs": sum(len(row.inputs) for row in rows),
        "given": sum(len(row.given) for row in rows),
        "gate_rate": gate_rate(rows, rule),
        "rule": asdict(rule),
        "methods": {
            method: {
                **{name: asdict(bootstrap([f[name] for f in found])) for name in FIGURES},
                "labels": label_counts(method, rows, rule),
                "tokens": cost(method, rows, rule),
            }
            for method, found in figures.items()
        },
        "cott minus": {
            method: {
                name: asdict(paired([f[name] for f in cott], [f[name] for f in found]))
                for name in FIGURES
            }
            for method, found in figures.items()
            if cott and method != "cott"
        },
    }


def rerankers(rows: Sequence[TaskRow], labels: str = "cott") -> dict[str, Any]:
    """Return the figures of the field's rerankers on the pass matrix of one method's tests."""
    names = ("pass-rate", "confidence", "codet", "mbr-exec", "srank", "b4", "aces")
    found = {}
    for name in names:
        scores = [
            figures(_numbers(rerank(name, matrix(labels, row)).scores), row.truth)
            for row in rows
        ]
        found[name] = {
            key: asdict(bootstrap([score[key] for score in scores])) for key in FIGURES[:4]
        }
    return found


def scored(method: str, task: TaskRow, rule: Rule = PLAIN) -> dict[str, float | None]:
    """Rank the candidates of *task* by *method*'s tests, and compare with the truth."""
    return figures(scores(matrix(method, task, rule)), task.truth)


def scores(found: PassMatrix) -> list[float]:
    """Return the share of tests that each candidate passes; 0 where there is no test."""
    return _numbers(rank_by_pass_rate(found).scores)


def figures(given: Sequence[float], truth: Sequence[float]) -> dict[str, float | None]:
    """Return every figure of one task; None where it is undefined."""
    ways: Mapping[str, Figure] = {
        "top1": top1(given, truth),
        "bottom1": bottom1(given, truth),
        "rho": spearman(given, truth),
        "tau": kendall(given, truth),
        "mae": mean_absolute_error(given, truth),
    }
    return {name: figure.value for name, figure in ways.items()}


def label_counts(method: str, rows: Sequence[TaskRow], rule: Rule = PLAIN) -> dict[str, Any]:
    """Count labels and right ones by route, and inputs that the reference refuses."""
    made: Counter[str] = Counter()
    right: Counter[str] = Counter()
    invalid: Counter[str] = Counter()
    for task in rows:
        for row, found in zip(task.inputs, label(method, task, rule), strict=True):
            route = found.route if found.reliable else f"{found.route} (unreliable)"
            route = route or "none"
            made[route] += 1
            right[route] += found.number is not None and row.right[found.number]
            invalid[route] += row.truth is None
    return {
        route: {"inputs": made[route], "right": right[route], "invalid": invalid[route]}
        for route in sorted(made)
    }


def gate_rate(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> float | None:
    """Return the share of inputs on which the gate asks for transduction."""
    asked = [
        is_open(inductive(task, row, rule), rule.tau) for task in rows for row in task.inputs
    ]
    return sum(asked) / len(asked) if asked else None


def cost(method: str, rows: Sequence[TaskRow], rule: Rule = PLAIN) -> dict[str, Any]:
    """Return tokens and money a task, and the mean of each stage."""
    by_task = [spent(method, row, rule) for row in rows]
    stages = sorted({stage for each in by_task for stage in each})
    found = bootstrap([float(sum(each.values())) for each in by_task])
    return {
        **asdict(found),
        "dollars": None if found.mean is None else dollars(found.mean),
        "stages": {
            stage: sum(each.get(stage, 0) for each in by_task) / len(rows) for stage in stages
        },
    }


def _numbers(found: Sequence[Any]) -> list[float]:
    return [0.0 if score is None else float(score) for score in found]
