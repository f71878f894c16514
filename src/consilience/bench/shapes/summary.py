"""Count a record of `bench shapes`: how often the choice is right, how well trust is founded.

Who draws by lot among equals is right with the share that is right among them. Where a verdict
was refused one draws among all. Rankings are compared over mixed tasks, which hold right and
wrong candidates: elsewhere nothing can be chosen wrongly, or rightly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from consilience.bench import reliability
from consilience.bench.intervals import bootstrap
from consilience.bench.shapes import Found, Scores, ShapeRow

Rule = Callable[[ShapeRow], Scores]
BASE = "examples"
"""What every rule is compared with: passing the examples, then by lot."""
VERBS = ("behaviour", "tests")


def summary(rows: Sequence[ShapeRow]) -> dict[str, Any]:
    """Sum up *rows*: all of them with every verdict, then by shape and by difficulty."""
    verdicts = {verb: _verdicts(rows, verb) for verb in _verbs(rows)}
    return {
        "all": part(rows) | {"verdicts": verdicts},
        "by shape": _parts(rows, lambda row: row.shape),
        "by difficulty": _parts(rows, lambda row: row.difficulty),
    }


def part(rows: Sequence[ShapeRow]) -> dict[str, Any]:
    """Sum up *rows* together."""
    mixed = [row for row in rows if row.mixed]
    stated = [row for row in mixed if row.examples]
    found: dict[str, Any] = {
        "tasks": len(rows),
        "mixed": len(mixed),
        "all right": sum(all(row.right) for row in rows),
        "none right": sum(not any(row.right) for row in rows),
        "candidates": sum(len(row.right) for row in rows),
        "with examples": sum(row.examples > 0 for row in rows),
        "keep a right one": asdict(bootstrap([_keeps(row, any) for row in stated])),
        "keep every right one": asdict(bootstrap([_keeps(row, all) for row in stated])),
    }
    found["rules"] = {name: _rule(mixed, rule) for name, rule in rules(rows).items()}
    return found


def rules(rows: Sequence[ShapeRow]) -> dict[str, Rule]:
    """Return every rule of *rows* by name, the plainest first."""
    found: dict[str, Rule] = {
        "random": lambda row: (0.0,) * len(row.right),
        BASE: passes,
        "majority": lambda row: row.majority,
        "examples, majority": passing_majority,
    }
    return found | {verb: _scored(verb) for verb in _verbs(rows)}


def passes(row: ShapeRow) -> Scores:
    """Score 1 who passes every example of the task."""
    return tuple(float(share == 1.0) for share in row.passed)


def passing_majority(row: ShapeRow) -> Scores:
    """Score by the majority, those first who pass every example."""
    both = zip(passes(row), row.majority, strict=True)
    return tuple(2 * (share or 0.0) + (size or 0.0) for share, size in both)


def top(scores: Scores, right: Sequence[bool]) -> float | None:
    """Return the share of right ones among those with the best score; None without any."""
    return _credit(scores, right, max)


def bottom(scores: Scores, right: Sequence[bool]) -> float | None:
    """Return the share of wrong ones among those with the worst score; None without any."""
    return _credit(scores, [not each for each in right], min)


def _credit(
    scores: Scores, right: Sequence[bool], extreme: Callable[[Sequence[float]], float]
) -> float | None:
    if not right:
        return None
    filled = [-1.0 if score is None else score for score in scores] or [0.0] * len(right)
    end = extreme(filled)
    chosen = [good for score, good in zip(filled, right, strict=True) if score == end]
    return sum(chosen) / len(chosen)


def _scored(verb: str) -> Rule:
    def rule(row: ShapeRow) -> Scores:
        found = row.found.get(verb)
        return found.scores if found is not None and found.judged else (0.0,) * len(row.right)

    return rule


def _rule(mixed: Sequence[ShapeRow], rule: Rule) -> dict[str, Any]:
    tops = [top(rule(row), row.right) for row in mixed]
    base = [top(passes(row), row.right) for row in mixed]
    bottoms = [bottom(rule(row), row.right) for row in mixed]
    return {
        "top1": asdict(bootstrap(tops)),
        "bottom1": asdict(bootstrap(bottoms)),
        f"minus {BASE}": _gap(tops, base),
    }


def _gap(one: Sequence[float | None], base: Sequence[float | None]) -> dict[str, Any]:
    """Compare task by task; the exchange test of `intervals.paired` takes long, for a p."""
    pairs = zip(one, base, strict=True)
    gaps = [a - b for a, b in pairs if a is not None and b is not None]
    wins, losses = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return {"interval": asdict(bootstrap(gaps)), "wins": wins, "losses": losses}


def _verdicts(rows: Sequence[ShapeRow], verb: str) -> dict[str, Any]:
    pairs = [(row, row.found[verb]) for row in rows if verb in row.found]
    judged = [(row, found) for row, found in pairs if found.judged]
    reasons = [found.reason for _, found in pairs if not found.judged]
    count = len(pairs)
    return {
        "judged": asdict(bootstrap([float(found.judged) for _, found in pairs])),
        "reasons": {name: reasons.count(name) for name in sorted(set(reasons))},
        "choice": _trust([case for pair in judged for case in _choice(*pair)]),
        "candidates": _trust([case for pair in judged for case in _every(*pair)]),
        "probes": _mean([found.probes for _, found in pairs]),
        "usable": _mean([found.usable for _, found in pairs]),
        "seconds": _mean([found.seconds for _, found in pairs]),
        "cpu_seconds": _mean([found.program_cpu + found.own_cpu for _, found in pairs]),
        "tokens": _mean([sum(found.tokens) for _, found in pairs]),
        "tasks": count,
    }


Case = tuple[str, float, float]
"""Task, probability said, truth: a share where several lead alike."""


def _choice(row: ShapeRow, found: Found) -> list[Case]:
    """Give the case of the leader; of several, with the least trust, as a verdict says it."""
    if not found.trust:
        return []
    best = max((s for s in found.scores if s is not None), default=None)
    places = [place for place, score in enumerate(found.scores) if score == best]
    said = min(found.trust[place] for place in places)
    return [(row.task_id, said, sum(row.right[place] for place in places) / len(places))]


def _every(row: ShapeRow, found: Found) -> list[Case]:
    pairs = zip(found.trust, row.right, strict=True) if found.trust else ()
    return [(row.task_id, said, float(right)) for said, right in pairs]


def _trust(cases: Sequence[Case]) -> dict[str, Any]:
    """Say how well trust tells right from wrong, and how far it is from the share right.

    AUC leaves out the tasks whose leaders are partly right.
    """
    clear = [case for case in cases if case[2] in (0.0, 1.0)]
    return {
        "cases": len(cases),
        "right": _mean([truth for _, _, truth in cases]),
        "said": _mean([said for _, said, _ in cases]),
        "auc": _interval(reliability.area, clear),
        "ece": _interval(reliability.calibration_error, cases),
        "brier": _interval(reliability.brier, cases),
    }


def _interval(metric: reliability.Metric, cases: Sequence[Case]) -> dict[str, float | None]:
    if not cases:
        return {"value": None, "low": None, "high": None}
    said = np.array([case[1] for case in cases])
    truth = np.array([case[2] for case in cases])
    return reliability.intervals(metric, said, truth, [case[0] for case in cases])


def _keeps(row: ShapeRow, how: Callable[[list[bool]], bool]) -> float:
    kept = zip(passes(row), row.right, strict=True)
    return float(how([score == 1.0 for score, right in kept if right]))


def _verbs(rows: Sequence[ShapeRow]) -> list[str]:
    return [verb for verb in VERBS if any(verb in row.found for row in rows)]


def _parts(
    rows: Sequence[ShapeRow], name: Callable[[ShapeRow], str]
) -> Mapping[str, dict[str, Any]]:
    names = sorted({name(row) for row in rows} - {""})
    return {each: part([row for row in rows if name(row) == each]) for each in names}


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None
