"""Judge benchmark tasks live and score the verdicts: CoTT beside the inductive majority.

Both methods see the same inputs and the same general programs. The reference solution is used for
scoring only: after a verdict, it is run on the verdict's own inputs to see which labels are right.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from consilience.backends.local import Threads
from consilience.bench.intervals import bootstrap, paired
from consilience.bench.metrics import bottom1, spearman, top1
from consilience.judge import Judge, Verdict
from consilience.sandbox import Limits, Sandbox
from consilience.settings import Method
from consilience.task import Candidate, Task
from consilience.voters import agrees

METHODS: tuple[Method, ...] = ("cott", "rstar")
SCORES = ("top1", "bottom1", "rho")
SCHEMA = "consilience.bench.live/1"


def run(
    judge: Judge,
    tasks: Sequence[Task],
    candidates: Mapping[str, Sequence[Candidate]],
    truth: Mapping[str, Sequence[float]],
    *,
    workers: int = 2,
    done: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Judge every task by each method; return the rows and their summary.

    *truth* holds the pass fraction of each candidate on the reference suite. Rows are given to
    *done* as they come; a run that was broken off replays from the store what it had paid for.
    """

    def one(task: Task) -> dict[str, Any]:
        row = judge_task(judge, task, candidates[task.id], truth[task.id])
        done(row)
        return row

    rows = list(Threads(workers).map(one, tasks))
    return {"schema": SCHEMA, "summary": summary(rows), "tasks": rows}


def judge_task(
    judge: Judge, task: Task, candidates: Sequence[Candidate], truth: Sequence[float]
) -> dict[str, Any]:
    """Judge one task by each method and score the verdicts against *truth*."""
    row: dict[str, Any] = {
        "task_id": task.id,
        "candidates": [candidate.label for candidate in candidates],
        "truth": list(truth),
    }
    for method in METHODS:
        begun = time.monotonic()
        settings = replace(judge.settings, method=method)
        verdict = replace(judge, settings=settings).judge(task, candidates)
        row[method] = {
            **score(verdict, truth),
            **labels(verdict, judge.sandbox),
            "tokens": {
                stage: [usage.prompt_tokens, usage.completion_tokens]
                for stage, usage in verdict.usage.items()
            },
            "seconds": round(time.monotonic() - begun, 1),
        }
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
        right[route] += agrees(outcome, test.expected)
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
    """Average over tasks, with 95 % bootstrap intervals, and compare the methods task by task."""
    result: dict[str, Any] = {"tasks": len(rows)}
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
        "seconds_per_task": round(sum(row["seconds"] for row in rows) / len(rows), 1)
        if rows
        else None,
    }
