"""The cascade against CoTT alone, on tasks whose model replies are in a store.

Two kinds of candidates for the tasks of a record of `bench judge` or `bench cott`: its own,
spread in true quality so that none agree; and real samples of one source, as people have them.
For each, CoTT alone (by pass rate), the whole cascade, and the cascade that stops at a level;
and who is chosen by what, once all evidence is there. Nothing is paid: what the store does not
hold is a task that is left out, and counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.bench.intervals import bootstrap, paired
from consilience.bench.machine import machine
from consilience.bench.observations import Observed
from consilience.bench.trust import models as fits
from consilience.bench.trust_cases import MOST, SOURCES, cases, dealt
from consilience.cascade import Cascade
from consilience.errors import ModelUnavailableError
from consilience.judge import Judge, Verdict
from consilience.models import Usage
from consilience.ranking import Ranking
from consilience.task import Candidate, Task
from consilience.trust import STAGES
from consilience.trust.calibration import Calibration, shipped
from consilience.uncertainty.hashed import HashedEncoder

SCHEMA = "consilience.bench.cascade/1"
LEVELS = (0.7, 0.8, 0.9, 0.95)
SPREAD = "five of spread"
CHOICES = ("no model", "tests", "tests, ties by trust", "trust")
"""What may choose: trust after `behaviour`, the pass rate alone or with ties broken, trust."""


@dataclass(frozen=True, slots=True)
class Posed:
    """Candidates for one task, and which are right."""

    kind: str
    task: Task
    candidates: tuple[Candidate, ...]
    right: tuple[bool, ...]
    seconds: float | None = None
    """What CoTT took live on this task, where the record tells."""


def run(
    posed: Sequence[Posed],
    judge: Judge,
    *,
    source: str = "",
    calibration: Calibration | None = None,
    done: Callable[[str], None] = lambda told: None,
) -> dict[str, Any]:
    """Judge all of *posed* by CoTT alone and by the cascade at each level."""
    rows, missing = [], []
    calibration = calibration or shipped()
    for each in posed:
        try:
            rows.append(one(each, judge, calibration))
            done(f"{each.task.id} {each.kind}: trust {rows[-1]['trust']['tests']}")
        except ModelUnavailableError:
            missing.append(f"{each.task.id} {each.kind}")
    kinds = sorted({row["kind"] for row in rows})
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "replayed": source,
        "dataset": posed[0].task.metadata.get("file", "").split(".")[0] if posed else "",
        "calibration": calibration.record,
        "not in the store": missing,
        "choices": choices([row for row in rows if row["kind"] != SPREAD]),
        "summary": {
            kind: summary([row for row in rows if row["kind"] == kind]) for kind in kinds
        },
        "tasks": rows,
    }


def held_out(observed: Sequence[Observed], tasks: Collection[str]) -> Calibration | None:
    """Fit trust on the datasets that none of *tasks* belongs to; None where there is none."""
    used = {each.dataset for each in observed if each.task_id in tasks}
    others = [each for each in observed if each.dataset not in used]
    if not others:
        return None
    name = ", ".join(sorted({each.dataset for each in others}))
    return Calibration(f"the sources of {name}", fits(cases(others, HashedEncoder())))


def one(posed: Posed, judge: Judge, calibration: Calibration) -> dict[str, Any]:
    """Judge one task by all stages, once; where it stops at each level is read off them."""
    cascade = Cascade(
        judge.sandbox, judge.settings, judge, rank_by="tests", calibration=calibration
    )
    begun, seconds, verdicts = time.process_time(), [], []
    for verdict in cascade.stages(posed.task, posed.candidates):
        verdicts.append(verdict)
        seconds.append(time.process_time() - begun)
    row: dict[str, Any] = {
        "kind": posed.kind,
        "task_id": posed.task.id,
        "candidates": len(posed.candidates),
        "right": sum(posed.right),
        "seconds": posed.seconds,
        "cott": {
            "top1": credit(verdict.ranking, posed.right),
            "tokens": _tokens(sum(verdict.usage.values(), Usage())),
        },
        "trust": {stage: each.confidence for stage, each in zip(STAGES, verdicts, strict=True)},
        "choices": _choices(verdicts, posed.right),
    }
    for level in LEVELS:
        place = _stop(verdicts, level)
        row[str(level)] = {
            **_stopped(verdicts[place], level, posed.right),
            "own_cpu_seconds": round(seconds[place], 3),
        }
    return row


def _stop(verdicts: Sequence[Verdict], level: float) -> int:
    """Return the place of the first stage that reaches *level*, else of the last."""
    reached = (i for i, each in enumerate(verdicts) if (each.confidence or 0.0) >= level)
    return next(reached, len(verdicts) - 1)


def _stopped(verdict: Verdict, level: float, right: Sequence[bool]) -> dict[str, Any]:
    course = verdict.course
    steps = course.steps if course else ()
    ahead = course.ahead if course else None
    spent = sum((step.usage for step in steps), Usage())
    return {
        "stopped": STAGES[len(steps) - 1],
        "settled": (verdict.confidence or 0.0) >= level,
        "trust": verdict.confidence,
        "top1": credit(verdict.ranking, right),
        "tokens": _tokens(spent),
        "estimate": None if ahead is None else _tokens(ahead.usage),
    }


def _choices(verdicts: Sequence[Verdict], right: Sequence[bool]) -> dict[str, float]:
    """Return by each of `CHOICES` the chance that a leader drawn by lot is right."""
    _, behaviour, last = verdicts
    trust = last.trust.probabilities if last.trust else (0.0,) * len(right)
    passed = [-1.0 if score is None else float(score) for score in last.ranking.scores]
    found: Sequence[Sequence[Any]] = (
        behaviour.trust.probabilities if behaviour.trust else trust,
        passed,
        list(zip(passed, trust, strict=True)),
        trust,
    )
    return {
        name: round(_credit(scores, right), 6)
        for name, scores in zip(CHOICES, found, strict=True)
    }


def credit(ranking: Ranking, right: Sequence[bool]) -> float:
    """Return the chance that a leader drawn by lot is right; 0 where nobody leads."""
    leaders = ranking.leaders
    return sum(right[place] for place in leaders) / len(leaders) if leaders else 0.0


def _credit(scores: Sequence[Any], right: Sequence[bool]) -> float:
    leaders = [t for score, t in zip(scores, right, strict=True) if score == max(scores)]
    return sum(leaders) / len(leaders)


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average over tasks; every difference to CoTT alone has a paired interval."""
    whole = [row["cott"]["tokens"] for row in rows]
    found: dict[str, Any] = {
        "tasks": len(rows),
        "with a right candidate": sum(row["right"] > 0 for row in rows),
        "cott": {
            "top1": _plain(bootstrap([row["cott"]["top1"] for row in rows])),
            "tokens": round(sum(whole) / len(rows)),
        },
        "choices": choices(rows),
    }
    for level in map(str, LEVELS):
        found[level] = _level([row[level] for row in rows], rows)
    return found


def choices(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compare what may choose: Top-1, and the difference to the tests alone, paired by task."""
    tasks = sorted({row["task_id"] for row in rows})

    def means(name: str) -> list[float]:
        by_task = ([r["choices"][name] for r in rows if r["task_id"] == task] for task in tasks)
        return [sum(each) / len(each) for each in by_task]

    return {
        name: {
            "top1": _plain(bootstrap(means(name))),
            "minus tests": _plain(paired(means(name), means("tests")).interval),
        }
        for name in CHOICES
    }


def _level(
    mine: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    early = [row["stopped"] != "tests" for row in mine]
    spent = [row["cott"]["tokens"] for row in rows]
    timed = [(r["seconds"], e) for r, e in zip(rows, early, strict=True) if r["seconds"]]
    settled = [row["top1"] for row in mine if row["settled"]]
    gap = paired([row["top1"] for row in mine], [row["cott"]["top1"] for row in rows])
    ratios = sorted(
        row["estimate"] / r["cott"]["tokens"]
        for row, r in zip(mine, rows, strict=True)
        if row["estimate"] and r["cott"]["tokens"]
    )
    return {
        "stopped": {
            stage: round(sum(row["stopped"] == stage for row in mine) / len(mine), 4)
            for stage in STAGES
        },
        "settled early": _plain(bootstrap([float(each) for each in early])),
        "tokens saved": _share(
            sum(t for t, e in zip(spent, early, strict=True) if e), sum(spent)
        ),
        "seconds saved": _share(sum(s for s, e in timed if e), sum(s for s, _ in timed)),
        "seconds known for": len(timed),
        "own CPU seconds a task": round(
            sum(row["own_cpu_seconds"] for row in mine) / len(mine), 3
        ),
        "top1": _plain(bootstrap([row["top1"] for row in mine])),
        "top1 minus cott": {
            **_plain(gap.interval),
            "wins": gap.wins,
            "losses": gap.losses,
            "ties": gap.ties,
        },
        "right where settled": _share(sum(settled), len(settled)),
        "settled": len(settled),
        "estimate over paid, median": _round(ratios[len(ratios) // 2]) if ratios else None,
    }


def pose(
    record: Mapping[str, Any],
    tasks: Mapping[str, Task],
    pools: Mapping[str, Sequence[Candidate]],
    observed: Mapping[str, Observed],
) -> Iterator[Posed]:
    """Pose every task of a record: with its own candidates, and with those of each source."""
    for row in record["tasks"]:
        task = tasks[row["task_id"]]
        named = {candidate.label: candidate for candidate in pools[task.id]}
        own = [named[label] for label in row["candidates"]]
        right = tuple(share == 1.0 for share in row["truth"])
        yield Posed(SPREAD, task, _placed(own), right, row.get("seconds"))
        if task.id in observed:
            yield from _natural(observed[task.id], task, row.get("seconds"))


def _natural(observed: Observed, task: Task, seconds: float | None) -> Iterator[Posed]:
    for source, models in SOURCES[observed.dataset].items():
        samples = dealt(observed.samples, models)[:MOST]
        truth = [observed.right[sample.program] for sample in samples]
        if len(samples) < 2 or None in truth:
            continue
        candidates = [
            Candidate(
                task.id, observed.programs[sample.program], place, f"{sample.model} {place}"
            )
            for place, sample in enumerate(samples)
        ]
        yield Posed(source, task, _placed(candidates), tuple(map(bool, truth)), seconds)


def _placed(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(replace(each, index=place) for place, each in enumerate(candidates))


def _plain(found: Any) -> dict[str, Any]:
    return {"mean": _round(found.mean), "low": _round(found.low), "high": _round(found.high)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
