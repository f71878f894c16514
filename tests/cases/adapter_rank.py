"""Run the cases on rankings and metrics against `consilience.ranking` and `bench.metrics`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from consilience.bench import metrics
from consilience.bench.metrics import Figure
from consilience.ranking import PassMatrix, Ranking, order, rank_by_pass_rate
from consilience.task import Candidate


def rank(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Rank named candidates by scores, or by (passed, total) pairs."""
    items = list((case.get("scores") or case.get("passes") or {}).items())
    for ordered in list(permutations(items))[:120] if "also_under" in case else [items]:
        ranking = _ranked(dict(ordered), passes="passes" in case)
        names = [name for name, _ in ordered]
        _check_ranking(ranking, names, expected)


def _ranked(entries: Mapping[str, Any], *, passes: bool) -> Ranking:
    if not passes:
        candidates = [Candidate("t", "", i, name) for i, name in enumerate(entries)]
        scores = [None if s is None else Fraction(s) for s in entries.values()]
        return order(candidates, scores)
    width = max(total for _, total in entries.values())
    rows = [
        [True] * passed + [False] * (total - passed) + [None] * (width - total)
        for passed, total in entries.values()
    ]
    return rank_by_pass_rate(PassMatrix.of(rows))


def _check_ranking(ranking: Ranking, names: list[str], expected: dict[str, Any]) -> None:
    if "ranks" in expected:
        found = dict(zip(names, ranking.ranks, strict=True))
        assert found == expected["ranks"]
    if "order" in expected:
        best_first = [names[place] for place in ranking.places]
        assert best_first[: len(expected["order"])] == expected["order"]
    if "score_undefined" in expected:
        assert sorted(names[i] for i in ranking.undefined) == sorted(
            expected["score_undefined"]
        )
    if "best" in expected:
        assert (None if ranking.best is None else names[ranking.best]) == expected["best"]


def top1(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Give credit for the best-scored candidates; true ranks count 1 as best."""
    scores, truth = _paired(case)
    _check(metrics.top1(scores, truth), expected)


def spearman(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Correlate two lists by their ranks."""
    _check(metrics.spearman(case["x"], case["y"]), expected)


def mean_spearman(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Average over tasks; undefined ones are left out and counted."""
    groups = case.get("tasks") or case.get("groups") or case["pairs"]
    figures = [metrics.spearman(*_sides(group)) for group in groups]
    found = metrics.mean(figures)
    _check(Figure(found.value), expected)
    for name in ("undefined", "left_out", "skipped", "excluded"):
        if name in expected:
            assert found.undefined == expected[name]
    for name in ("defined", "n", "count", "used"):
        if name in expected:
            assert found.defined == expected[name]


def pass_at_k(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Estimate pass@k for each (samples, right, k)."""
    found = [metrics.pass_at_k(*numbers).value for numbers in case["cases"]]
    assert found == pytest.approx(expected["values"])


def pass_at_k_tasks(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Average pass@k over tasks; tasks with too few samples are left out and counted."""
    tasks = case.get("tasks") or case["cases"]
    entries = list(tasks.values()) if isinstance(tasks, dict) else tasks
    found = metrics.mean([metrics.pass_at_k(*_counts(e), case["k"]) for e in entries])
    _check(Figure(found.value), expected)
    for name in ("undefined", "left_out", "skipped", "excluded"):
        if name in expected:
            assert found.undefined == expected[name]


def _counts(entry: Any) -> tuple[int, int]:
    if isinstance(entry, dict):
        return int(entry.get("n", 0)), int(entry.get("c", 0))
    if entry and isinstance(entry[0], bool):
        return len(entry), sum(entry)
    return int(entry[0]), int(entry[1])


def _sides(group: Any) -> tuple[list[float], list[float]]:
    if isinstance(group, dict):
        return (group["x"], group["y"]) if "x" in group else _paired(group)
    return group[0], group[1]


def _paired(case: dict[str, Any]) -> tuple[list[float], list[float]]:
    scores = case["scores"]
    truth = case.get("truth") or case.get("true_scores")
    other = truth or case.get("ranks") or case["true_ranks"]
    if isinstance(scores, dict):
        scores, other = list(scores.values()), [other[name] for name in scores]
    return scores, list(other) if truth else [-rank for rank in other]


def _check(figure: Figure, expected: dict[str, Any]) -> None:
    assert json.loads(json.dumps(figure.value, allow_nan=False)) == figure.value
    assert figure.value == pytest.approx(expected["value"])
    if "reason" in expected:
        assert expected["reason"] in figure.reason


ADAPTERS = {
    "rank": rank,
    "top1": top1,
    "spearman": spearman,
    "mean_spearman": mean_spearman,
    "pass_at_k": pass_at_k,
    "pass_at_k_tasks": pass_at_k_tasks,
}
