"""Calibrate trust on the pools, and measure it where it has not been fitted.

*transfer*: fitted on the sources of HumanEval+, tested on those of MBPP+. *left out*: each
source tested by a fit on the other sources and on other tasks. Beside trust stand the measures
that it is made of, each calibrated alone in the same way, judging the same choices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from consilience.bench.association import Floats
from consilience.bench.machine import machine
from consilience.bench.reliability import (
    area,
    area_under_risk,
    bins,
    brier,
    calibration_error,
    intervals,
    resampled,
    risk_coverage,
)
from consilience.bench.trust_cases import Case
from consilience.bench.trust_fit import FIGURES, Picks, choose, decided, fitted, picks
from consilience.store import digest
from consilience.trust import STAGES, Stage
from consilience.trust.logistic import Logistic

SCHEMA = "consilience.bench.trust/1"
TRAINED, TESTED = "humaneval", "mbpp+"
FOLDS = 3
COVERAGES = (0.25, 0.5, 0.75, 1.0)
LEVELS = (0.7, 0.8, 0.9, 0.95)
METRICS = {
    "auc": area,
    "ece": calibration_error,
    "brier": brier,
    "aurc": area_under_risk,
}
ALONE: Mapping[str, tuple[str, ...]] = {
    "structure": ("syntax entropy",),
    "FASE": ("embedding entropy",),
    "FASE or structure": ("union entropy",),
    "behaviour classes": ("behaviour entropy",),
    "mean c(x)": ("confidence",),
    "share of its behaviour": ("same behaviour",),
    "the task's examples": ("examples passed",),
    "tests passed": ("tests passed",),
}
"""Each figure alone, and the union of FASE's classes with the structural ones."""


def run(cases: Sequence[Case], *, resamples: int = 1000) -> dict[str, Any]:
    """Return the whole record."""
    stages = {stage: _of_stage(cases, stage) for stage in STAGES}
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "data": describe(cases),
        "transfer": {stage: transfer(mine, stage, resamples) for stage, mine in stages.items()},
        "left out": {stage: left_out(mine, stage, resamples) for stage, mine in stages.items()},
        "ranking": {stage: ranking(mine, stage, resamples) for stage, mine in stages.items()},
        "cascade": cascade(cases, resamples),
        "models": {stage: asdict(model) for stage, model in models(cases).items()},
    }


def models(cases: Sequence[Case]) -> dict[str, Logistic]:
    """Fit every stage on all cases: the coefficients that are shipped."""
    return {stage: fitted(_of_stage(cases, stage), FIGURES[stage]) for stage in STAGES}


def describe(cases: Sequence[Case]) -> dict[str, Any]:
    """Count cases, tasks and right candidates by source."""
    found: dict[str, Any] = {}
    for case in _of_stage(cases, "behaviour"):
        row = found.setdefault(
            f"{case.dataset}/{case.source}",
            {"tasks": 0, "candidates": 0, "right": 0, "unjudged": 0},
        )
        row["tasks"] += 1
        row["candidates"] += len(case.right)
        row["right"] += sum(truth is True for truth in case.right)
        row["unjudged"] += sum(truth is None for truth in case.right)
    return {
        "sources": dict(sorted(found.items())),
        "tasks": {
            name: len({case.task_id for case in cases if case.dataset == name})
            for name in (TRAINED, TESTED)
        },
        "cases with tests": sum(case.voters is not None for case in cases),
    }


def transfer(cases: Sequence[Case], stage: Stage, resamples: int) -> dict[str, Any]:
    """Fit on one dataset and test on the other."""
    train = [case for case in cases if case.dataset == TRAINED]
    test = [case for case in cases if case.dataset == TESTED]
    model = fitted(train, FIGURES[stage])
    test = decided(test, model)
    chosen = picks(model, test)
    return {
        "cases": len(test),
        "tasks": len(set(chosen.tasks)),
        "right": _mean(chosen.truth, chosen.tasks, resamples),
        "trust": measured(chosen, resamples),
        "every candidate": measured(every(model, test), resamples),
        "alone": {
            name: _alone(train, test, chosen, names, resamples)
            for name, names in ALONE.items()
            if set(names) <= {*FIGURES[stage], "union entropy"}
        },
        "bins": [asdict(each) for each in bins(chosen.chances, chosen.truth)],
        "by source": {
            source: plain(picks(model, [case for case in test if case.source == source]))
            for source in sorted({case.source for case in test})
        },
    }


def measured(chosen: Picks, resamples: int) -> dict[str, Any]:
    """Return every metric with its interval, and the risk at some coverages."""
    found: dict[str, Any] = {
        name: intervals(metric, chosen.chances, chosen.truth, chosen.tasks, resamples=resamples)
        for name, metric in METRICS.items()
    }
    found["risk"] = {
        str(coverage): intervals(
            lambda p, y, c=coverage: risk_at(p, y, c),  # type: ignore[misc]
            chosen.chances,
            chosen.truth,
            chosen.tasks,
            resamples=resamples,
        )
        for coverage in COVERAGES
    }
    found["curve"] = thinned(risk_coverage(chosen.chances, chosen.truth))
    return found


def every(model: Logistic, cases: Sequence[Case]) -> Picks:
    """Return every candidate that has a truth, as if each had been chosen."""
    rows = [
        (place, model.probability(each), truth, case.task_id)
        for case in cases
        for place, (each, truth) in enumerate(zip(case.evidence, case.right, strict=True))
        if truth is not None
    ]
    return Picks(
        tuple(place for place, *_ in rows),
        np.array([chance for _, chance, *_ in rows]),
        np.array([float(bool(truth)) for *_, truth, _ in rows]),
        tuple(task for *_, task in rows),
    )


def plain(chosen: Picks) -> dict[str, Any]:
    """Return the metrics without intervals."""
    found = {
        name: _rounded(metric(chosen.chances, chosen.truth)) for name, metric in METRICS.items()
    }
    share = _rounded(chosen.truth.mean()) if len(chosen.truth) else None
    return {"cases": len(chosen.truth), "right": share, **found}


def risk_at(chances: Floats, truth: Floats, coverage: float) -> float | None:
    """Return the share of wrong ones among the surest *coverage* of the cases."""
    if not len(truth):
        return None
    place = max(0, math.ceil(coverage * len(truth) - 1e-9) - 1)
    surest = chances >= np.sort(chances)[::-1][place]
    return float(1 - truth[surest].mean())


def thinned(curve: Sequence[tuple[float, float]], most: int = 60) -> list[list[float]]:
    """Keep at most some points of a curve, its last one among them."""
    step = max(1, len(curve) // most)
    kept = [*curve[::step], *([curve[-1]] if (len(curve) - 1) % step else [])]
    return [[round(coverage, 4), round(risk, 4)] for coverage, risk in kept]


def _alone(
    train: Sequence[Case],
    test: Sequence[Case],
    chosen: Picks,
    names: Sequence[str],
    resamples: int,
) -> dict[str, Any]:
    """Judge the same choices by one figure, calibrated alike; compare its AUC with trust's."""
    found = picks(fitted(train, names), test, chosen)
    claims = (found.chances, found.truth, found.tasks)
    both = [
        (
            area(chosen.chances[rows], chosen.truth[rows]),
            area(found.chances[rows], found.truth[rows]),
        )
        for rows in resampled(chosen.tasks, resamples, 0)
    ]
    gaps = [ours - theirs for ours, theirs in both if ours is not None and theirs is not None]
    low, high = np.percentile(gaps, [2.5, 97.5]) if gaps else (None, None)
    return {
        **{
            name: intervals(metric, *claims, resamples=resamples)
            for name, metric in METRICS.items()
        },
        "curve": thinned(risk_coverage(found.chances, found.truth)),
        "auc of trust minus this": {"low": _rounded(low), "high": _rounded(high)},
    }


def left_out(cases: Sequence[Case], stage: Stage, resamples: int) -> dict[str, Any]:
    """Test each source by fits on the other sources and on other tasks."""
    parts: dict[str, list[Picks]] = {}
    for source in sorted({f"{case.dataset}/{case.source}" for case in cases}):
        for fold in range(FOLDS):
            test = [c for c in cases if _name(c) == source and _fold(c) == fold]
            train = [c for c in cases if _name(c) != source and _fold(c) != fold]
            model = fitted(train, FIGURES[stage])
            parts.setdefault(source, []).append(picks(model, test))
    return {
        "all": measured(_joined([p for each in parts.values() for p in each]), resamples),
        "by source": {source: plain(_joined(each)) for source, each in parts.items()},
    }


def ranking(cases: Sequence[Case], stage: Stage, resamples: int) -> dict[str, Any]:
    """Compare whom trust chooses (fitted on the other dataset) with simpler choices."""
    found: dict[str, list[float]] = {}
    tasks: list[str] = []
    for train, test in ((TRAINED, TESTED), (TESTED, TRAINED)):
        model = fitted([c for c in cases if c.dataset == train], FIGURES[stage])
        for case in decided([c for c in cases if c.dataset == test], model):
            tasks.append(case.task_id)
            right = [bool(truth) for truth in case.right]
            for name, score in _scores(case, model).items():
                found.setdefault(name, []).append(_credit(score, right))
    return {
        name: _mean(np.array(values), tasks, resamples)
        for name, values in found.items()
        if len(values) == len(tasks)
    }


def _scores(case: Case, model: Logistic) -> dict[str, list[float]]:
    """Score the candidates of a case in several ways; the last is what nobody can beat."""
    scores = {
        "at random": [0.0] * len(case.right),
        "trust": [round(model.probability(each), 9) for each in case.evidence],
        "agreement": [each.get("agreement") or 0.0 for each in case.evidence],
        "any right one": [float(bool(truth)) for truth in case.right],
    }
    if case.voters is not None:
        scores["tests passed"] = [each.get("tests passed") or 0.0 for each in case.evidence]
    return scores


def _credit(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Return the chance that a leader drawn by lot is right."""
    leaders = [
        truth for score, truth in zip(scores, right, strict=True) if score == max(scores)
    ]
    return sum(leaders) / len(leaders)


def cascade(cases: Sequence[Case], resamples: int) -> dict[str, Any]:
    """Stop each MBPP+ case at the first stage whose trust reaches a level.

    Beside: the same cases taken to the last stage. Tests come from other models' programs by
    majority, as no transduction was recorded for the pools.
    """
    train = [case for case in cases if case.dataset == TRAINED]
    models = {stage: fitted(_of_stage(train, stage), FIGURES[stage]) for stage in STAGES}
    test = [c for c in cases if c.dataset == TESTED and c.voters is not None]
    test = [
        c for c in test if all(c.right[choose(m, c)[0]] is not None for m in models.values())
    ]
    whole = [float(bool(c.right[choose(models["tests"], c)[0]])) for c in test]
    tasks = [case.task_id for case in test]
    return {
        str(level): _stopped(test, models, level, whole, tasks, resamples) for level in LEVELS
    }


def _stopped(
    test: Sequence[Case],
    models: Mapping[Stage, Logistic],
    level: float,
    whole: Sequence[float],
    tasks: Sequence[str],
    resamples: int,
) -> dict[str, Any]:
    stops, right, settled = [], [], []
    for case in test:
        for stage in STAGES:
            place, chance = choose(models[stage], case)
            if chance >= level:
                break
        stops.append(stage)
        right.append(float(bool(case.right[place])))
        settled.append(chance >= level)
    kept = [truth for truth, sure in zip(right, settled, strict=True) if sure]
    return {
        "cases": len(test),
        "stopped": {stage: round(stops.count(stage) / len(test), 4) for stage in STAGES},
        "settled": round(sum(settled) / len(test), 4),
        "right where settled": _rounded(float(np.mean(kept)) if kept else None),
        "right": _mean(np.array(right), tasks, resamples),
        "right minus all stages": _mean(np.array(right) - np.array(whole), tasks, resamples),
    }


def _of_stage(cases: Sequence[Case], stage: Stage) -> list[Case]:
    return [case for case in cases if (case.voters is not None) == (stage == "tests")]


def _name(case: Case) -> str:
    return f"{case.dataset}/{case.source}"


def _fold(case: Case) -> int:
    return int(digest("fold", case.task_id)[:8], 16) % FOLDS


def _joined(parts: Sequence[Picks]) -> Picks:
    return Picks(
        tuple(place for part in parts for place in part.places),
        np.concatenate([part.chances for part in parts]),
        np.concatenate([part.truth for part in parts]),
        tuple(task for part in parts for task in part.tasks),
    )


def _mean(values: Floats, tasks: Sequence[str], resamples: int) -> dict[str, float | None]:
    return intervals(lambda _, y: float(y.mean()), values, values, tasks, resamples=resamples)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
