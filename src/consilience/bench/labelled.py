"""Verdicts with the truth about their candidates, and the trust that is fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from consilience.bench.reliability import area, brier, calibration_error
from consilience.bench.trust_fit import DIRECTIONS, FIGURES
from consilience.errors import InputError, UsageError
from consilience.formats.jsonl import Row, read_rows
from consilience.store import digest
from consilience.trust import STAGES, Evidence, Stage
from consilience.trust.calibration import Calibration
from consilience.trust.logistic import Logistic, fit

FEWEST = 20
"""Tasks below which a fit is refused."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Labelled:
    """The evidence of one verdict, and which candidates are right."""

    task_id: str
    stage: Stage
    evidence: tuple[Evidence, ...]
    right: tuple[bool | None, ...]


def read_labelled(path: Path) -> list[Labelled]:
    """Read verdicts as `judge --json` prints them, each with a list "right".

    Raises:
        InputError: a line is no such verdict.
    """
    return [_labelled(row) for row in read_rows(path, forgive_torn_end=True)]


def calibrate(rows: Sequence[Labelled], name: str) -> tuple[Calibration, list[str]]:
    """Fit every stage that the verdicts reached; say how well it does on tasks left out.

    A verdict that went further serves the earlier stages too: their figures are in it.

    Raises:
        UsageError: there are too few tasks.
    """
    models: dict[str, Logistic] = {}
    notes = []
    for stage in STAGES:
        mine = [row for row in rows if STAGES.index(row.stage) >= STAGES.index(stage)]
        if len({row.task_id for row in mine}) < FEWEST:
            notes.append(
                f"{stage}: {len(mine)} verdicts, of at least {FEWEST} tasks: not fitted"
            )
            continue
        models[stage] = _fit(mine, stage)
        notes.append(_held_out(mine, stage))
    if not models:
        message = f"{name} has fewer than {FEWEST} tasks with a label for their candidates."
        raise UsageError(message, hint="Judge and label more, or use what is shipped.")
    return Calibration(f"{name} ({len(rows)} verdicts)", models), notes


def _fit(rows: Sequence[Labelled], stage: Stage) -> Logistic:
    evidence, right, weights = [], [], []
    for row in rows:
        judged = [place for place, truth in enumerate(row.right) if truth is not None]
        evidence += [row.evidence[place] for place in judged]
        right += [bool(row.right[place]) for place in judged]
        weights += [1 / max(1, len(judged))] * len(judged)
    return fit(evidence, right, FIGURES[stage], weights=weights, directions=DIRECTIONS)


def _held_out(rows: Sequence[Labelled], stage: Stage) -> str:
    """Judge the choice in each task by a fit on the tasks of other folds."""
    chances, truth = [], []
    for fold in range(FOLDS):
        rest = [row for row in rows if _fold(row) != fold]
        if len({bool(t) for row in rest for t in row.right if t is not None}) < 2:
            continue
        model = _fit(rest, stage)
        for row in (row for row in rows if _fold(row) == fold):
            found = [model.probability(each) for each in row.evidence]
            place = found.index(max(found))
            if row.right[place] is not None:
                chances.append(found[place])
                truth.append(float(bool(row.right[place])))
    p, y = np.array(chances), np.array(truth)
    told = {"AUC": area, "ECE": calibration_error, "Brier": brier}
    figures = ", ".join(f"{name} {_shown(metric(p, y))}" for name, metric in told.items())
    return f"{stage}: {len(truth)} choices on tasks left out, {figures}"


def _fold(row: Labelled) -> int:
    return int(digest("fold", row.task_id)[:8], 16) % FOLDS


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _labelled(row: Row) -> Labelled:
    trust, right = row.fields.get("trust"), row.fields.get("right")
    if not isinstance(trust, dict) or trust.get("stage") not in STAGES:
        raise _fault(row, 'no "trust" with its evidence')
    evidence = trust.get("evidence")
    if not isinstance(right, list) or not all(t is None or isinstance(t, bool) for t in right):
        raise _fault(row, 'no list "right" of true, false or null')
    if not isinstance(evidence, list) or len(evidence) != len(right) or not right:
        raise _fault(row, '"right" must have one entry a candidate')
    return Labelled(
        row.text("task"), trust["stage"], tuple(map(_figures, evidence)), tuple(right)
    )


def _figures(found: Any) -> Evidence:
    return {
        str(name): None if value is None else float(value)
        for name, value in dict(found).items()
    }


def _fault(row: Row, what: str) -> InputError:
    message = f"{row.place}: {what}."
    hint = 'Print verdicts with `judge --json`, and add "right": [true, false, ...] to each.'
    return InputError(message, hint=hint)
