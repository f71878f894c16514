"""Judge benchmark tasks live and score the verdicts: CoTT beside the inductive majority.

Both methods see the same inputs and the same general programs. The reference solution is used
for scoring only: after a verdict, it is run on the verdict's own inputs to see which labels are
right.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from consilience.backends.local import Threads
from consilience.bench.intervals import bootstrap, paired
from consilience.bench.machine import machine
from consilience.bench.metrics import bottom1, spearman, top1
from consilience.bench.ranking_tasks import FEWEST, MOST, RankingTask, five_of_spread
from consilience.formats import accepts
from consilience.judge import Judge, Verdict
from consilience.models import Ledger
from consilience.sandbox import Limits, Sandbox
from consilience.settings import Method
from consilience.store import digest
from consilience.task import Candidate, Task

METHODS: tuple[Method, ...] = ("cott", "rstar")
SCORES = ("top1", "bottom1", "rho")
SCHEMA = "consilience.bench.live/1"


def run(
    judge: Judge,
    tasks: Sequence[RankingTask],
    *,
    workers: int = 2,
    earlier: Mapping[str, Any] | None = None,
    done: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Judge every task by each method; return the rows and their summary.

    Rows are given to *done* as they come; a run that was broken off replays from the store what
    it had paid for. The time of a task counts only where all of it was paid in one run: for the
    others it is taken from the *earlier* record, or null.
    """
    known = {row["task_id"]: row for row in (earlier or {}).get("tasks", ())}

    def one(posed: RankingTask) -> dict[str, Any]:
        row = judge_task(judge, posed)
        if row["seconds"] is None:
            row["seconds"] = known.get(posed.task.id, {}).get("seconds")
        done(row)
        return row

    rows = list(Threads(workers).map(one, tasks))
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "model": judge.model.name,
        "settings": asdict(judge.settings),
        "isolation": judge.sandbox.level,
        "summary": summary(rows),
        "tasks": rows,
    }


def pick(
    tasks: Sequence[Task],
    samples: Mapping[str, Sequence[Candidate]],
    sandbox: Sandbox,
    *,
    count: int,
    seed: int = 0,
    most_samples: int = 40,
) -> list[RankingTask]:
    """Pick *count* tasks at random, each with five candidates of distinct true quality.

    At most *most_samples* samples a task are measured, evenly spaced over the pool. Where the
    pool has too few such tasks, those with the most candidates of distinct quality follow.
    """
    shuffled = sorted(tasks, key=lambda task: digest(str(seed), task.id))
    picked: list[RankingTask] = []
    poorer: list[RankingTask] = []
    for task in shuffled:
        pool = samples.get(task.id, ())
        step = max(1, len(pool) // most_samples)
        found = five_of_spread(task, pool[::step], sandbox, cap=60)
        if len(found.candidates) == MOST:
            picked.append(found)
        elif len(found.candidates) >= FEWEST:
            poorer.append(found)
        if len(picked) == count:
            break
    poorer.sort(key=lambda posed: -len(posed.candidates))
    return picked + poorer[: count - len(picked)]


def judge_task(judge: Judge, posed: RankingTask) -> dict[str, Any]:
    """Judge one task by each method and score the verdicts against the truth."""
    truth = [float(share) for share in posed.truth]
    begun, ledger = time.monotonic(), Ledger(parent=judge.ledger)
    row: dict[str, Any] = {
        "task_id": posed.task.id,
        "candidates": [candidate.label for candidate in posed.candidates],
        "truth": [round(share, 6) for share in truth],
        "truth_inputs": posed.inputs,
    }
    for method in METHODS:
        settings = replace(judge.settings, method=method)
        verdict = replace(judge, settings=settings, ledger=ledger).judge(
            posed.task, posed.candidates
        )
        row[method] = {
            **score(verdict, truth),
            **labels(verdict, judge.sandbox),
            "tokens": {
                stage: [usage.prompt_tokens, usage.completion_tokens]
                for stage, usage in verdict.usage.items()
            },
        }
        if method == "cott":
            whole = not ledger.total(replayed=True).completion_tokens
            row["seconds"] = round(time.monotonic() - begun, 1) if whole else None
    return row


def score(verdict: Verdict, truth: Sequence[float]) -> dict[str, Any]:
    """Compare the ranking with the true one."""
    scores = [0.0 if value is None else float(value) for value in verdict.ranking.scores]
    return {
        "scores": [round(value, 6) for value in scores],
        "winner": None if verdict.winner is None else verdict.winner.label,
        "top1": top1(scores, truth).value,
        "bottom1": bottom1(scores, truth).value,
        "rho": spearman(scores, truth).value,
    }


def labels(verdict: Verdict, sandbox: Sandbox) -> dict[str, Any]:
    """Count, by route, the tests and those whose expectation the reference solution shares."""
    task, tests = verdict.task, verdict.suite.tests
    if task.reference is None:
        return {}
    inputs = [test.input.args for test in tests]
    limits = Limits(cpu_seconds=10.0)
    [outcomes] = sandbox.run([task.reference.solution], task.entry_point, inputs, limits)
    made: Counter[str] = Counter()
    right: Counter[str] = Counter()
    invalid: Counter[str] = Counter()
    for test, outcome in zip(tests, outcomes, strict=True):
        route = test.route if test.reliable else f"{test.route} (unreliable)"
        made[route] += 1
        right[route] += outcome.value is not None and accepts(
            task.reference, test.input.args, test.expected, outcome.value
        )
        invalid[route] += not outcome.ok
    asked = len(verdict.suite.dropped) + sum(test.route != "given" for test in tests)
    gated = len(verdict.suite.dropped) + sum(
        test.route == "transductive" or not test.reliable for test in tests
    )
    return {
        "labels": {
            route: {"tests": made[route], "right": right[route], "invalid": invalid[route]}
            for route in sorted(made)
        },
        "inputs": asked,
        "gated": gated if verdict.settings.method == "cott" else None,
        "dropped": len(verdict.suite.dropped),
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average over tasks, with 95 % bootstrap intervals, and compare the methods by task."""
    seconds = [row["seconds"] for row in rows]
    result: dict[str, Any] = {"tasks": len(rows), "seconds": asdict(bootstrap(seconds))}
    for method in METHODS:
        result[method] = _method_summary([row[method] for row in rows])
    result["cott minus rstar"] = {
        name: asdict(
            paired([row["cott"][name] for row in rows], [row["rstar"][name] for row in rows])
        )
        for name in SCORES
    }
    return result


def _method_summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    routes = sorted({route for row in rows for route in row["labels"]})
    inputs = sum(row["inputs"] for row in rows)
    gated = [row["gated"] for row in rows if row["gated"] is not None]
    spent = [sum(map(sum, row["tokens"].values())) for row in rows]
    return {
        **{name: asdict(bootstrap([row[name] for row in rows])) for name in SCORES},
        "label_accuracy": {
            route: {
                key: sum(row["labels"].get(route, {}).get(key, 0) for row in rows)
                for key in ("tests", "right", "invalid")
            }
            for route in routes
        },
        "inputs": inputs,
        "gate_rate": round(sum(gated) / inputs, 4) if gated and inputs else None,
        "tokens_per_task": round(sum(spent) / len(rows)) if rows else None,
    }
