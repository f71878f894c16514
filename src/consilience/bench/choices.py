"""Whom the tests choose, and whom trust does, on a record of `bench cott`.

Evidence is counted from the record: what the candidates did on its inputs and on the examples
of the task, and the tests that its method made. Trust is fitted on another dataset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from consilience.bench.cott import InputRow, Stated, TaskRow
from consilience.bench.cott.methods import matrix
from consilience.bench.cott.summary import scores
from consilience.bench.intervals import bootstrap, paired
from consilience.bench.metrics import top1
from consilience.bench.ranking_tasks import RankingTask
from consilience.trust.calibration import Calibration
from consilience.trust.evidence import (
    combined,
    compare_texts,
    of_behaviour,
    of_tests,
    of_texts,
)
from consilience.uncertainty.hashed import HashedEncoder

SCHEMA = "consilience.bench.choices/1"
WAYS = ("examples", "no tests", "tests", "trust")
"""The task's own examples alone; trust by what the candidates do, without an expected output;
the tests; trust with them."""
Tested = Literal["cott", "rstar"]


def choices(
    rows: Sequence[TaskRow], posed: Sequence[RankingTask], calibration: Calibration
) -> dict[str, Any]:
    """Return Top-1 of each of `WAYS`, and its difference from that of the tests by task."""
    asked = any(row.transductive for task in rows for row in task.inputs)
    method: Tested = "cott" if asked else "rstar"
    each = [
        _top1(row, [candidate.code for candidate in task.candidates], calibration, method)
        for row, task in zip(rows, posed, strict=True)
    ]
    by_way = {way: [found[way] for found in each] for way in WAYS}
    return {
        "tasks": len(rows),
        "tests by": method,
        "calibration": calibration.record,
        "top1": {way: asdict(bootstrap(found)) for way, found in by_way.items()},
        "minus tests": {
            way: asdict(paired(found, by_way["tests"]).interval)
            for way, found in by_way.items()
            if way != "tests"
        },
    }


def _top1(
    row: TaskRow, codes: Sequence[str], calibration: Calibration, method: Tested
) -> dict[str, float | None]:
    texts = compare_texts(codes, HashedEncoder())
    behaviour = of_behaviour(_table(row.inputs, len(codes)), texts.syntax, _stated(row))
    before = combined(of_texts(texts), behaviour)
    tests = matrix(method, row)
    after = combined(before, of_tests(tests))
    scored: Mapping[str, Sequence[float]] = {
        "examples": scores(matrix("random", row)),
        "no tests": calibration.assess(before, "behaviour").probabilities,
        "tests": scores(tests),
        "trust": calibration.assess(after, "tests").probabilities,
    }
    return {way: top1(scored[way], row.truth).value for way in WAYS}


def _table(inputs: Sequence[InputRow], count: int) -> list[list[int | None]]:
    return [[row.candidates[place] for row in inputs] for place in range(count)]


def _stated(row: TaskRow) -> list[float | None]:
    given: Sequence[Stated] = row.given
    if not given:
        return [None] * len(row.candidates)
    return [
        sum(each.candidates[place] == each.expected for each in given) / len(given)
        for place in range(len(row.candidates))
    ]
