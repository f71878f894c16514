"""Run the recipes of demo/ live on benchmark tasks, and score what they choose.

The recipes are run as they stand in their files, so that what is measured is what is
documented. The reference is used for scoring only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from consilience.bench.intervals import bootstrap
from consilience.bench.machine import machine
from consilience.bench.ranking_tasks import label
from consilience.errors import InputError
from consilience.formats import accepts
from consilience.judge import Judge
from consilience.models import Ledger
from consilience.store import digest
from consilience.task import Candidate, Task

SCHEMA = "consilience.bench.agents/1"
CAP = 60
"""Reference inputs that a choice must get right, all of them."""
RECIPES = ("best_of_n", "escalate")


def run(
    folder: Path,
    judge: Judge,
    tasks: Sequence[Task],
    *,
    n: int = 5,
    done: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Run both recipes on every task; return the rows and their summary."""
    recipes = {name: _load(folder, name) for name in RECIPES}
    best, escalate = recipes["best_of_n"], recipes["escalate"]
    tools = best.Tools(judge.model, judge.sandbox, judge.store, judge.settings)
    rows = []
    for task in tasks:
        drawn = best.draw(task, tools, Ledger(), n)
        chosen = {
            "best_of_n": best.best_of_n(task, tools, n),
            "escalate": escalate.escalate(task, tools, n),
        }
        rows.append(_row(judge, task, drawn, chosen))
        done(rows[-1])
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "model": judge.model.name,
        "settings": asdict(judge.settings),
        "n": n,
        "sure": escalate.SURE,
        "isolation": judge.sandbox.level,
        "summary": summary(rows),
        "tasks": rows,
    }


def pick(tasks: Sequence[Task], count: int, seed: int = 0) -> list[Task]:
    """Take *count* tasks with a reference by chance; more of them include the same ones."""
    usable = [task for task in tasks if task.reference is not None]
    return sorted(usable, key=lambda task: digest(str(seed), task.id))[:count]


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average over tasks, with 95 % bootstrap intervals."""
    escalated = [row["escalate"]["escalated"] for row in rows]
    return {
        "tasks": len(rows),
        "one program": asdict(bootstrap([row["share_right"] for row in rows])),
        "escalated": sum(escalated),
        **{name: _recipe([row[name] for row in rows]) for name in RECIPES},
        "escalate, where the samples agreed": _recipe([
            row["escalate"] for row in rows if not row["escalate"]["escalated"]
        ]),
    }


def _recipe(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "right": asdict(bootstrap([float(each["right"]) for each in found])),
        "certain": sum(each["certain"] for each in found),
        "certain and right": sum(each["certain"] and each["right"] for each in found),
        "tokens": asdict(bootstrap([float(each["tokens"]) for each in found])),
    }


def _row(
    judge: Judge, task: Task, drawn: Sequence[Candidate], chosen: Mapping[str, Any]
) -> dict[str, Any]:
    codes = [each.code for each in drawn]
    picked = {name: choice.candidate for name, choice in chosen.items() if choice.candidate}
    right = _right(judge, task, [*codes, *(each.code for each in picked.values())])
    verdicts = dict(zip(picked, right[len(codes) :], strict=True))
    row: dict[str, Any] = {
        "task_id": task.id,
        "programs": len(codes),
        "share_right": round(sum(right[: len(codes)]) / len(codes), 6) if codes else 0.0,
    }
    for name, choice in chosen.items():
        row[name] = {
            "chosen": choice.candidate.label if choice.candidate else None,
            "right": verdicts.get(name, False),
            "certain": choice.certain,
            "escalated": any("analysis" in step for step in choice.steps),
            "entropy": None if choice.entropy is None else round(choice.entropy, 6),
            "steps": list(choice.steps),
            "tokens": choice.tokens,
        }
    return row


def _right(judge: Judge, task: Task, codes: Sequence[str]) -> list[bool]:
    """Tell which programs get every reference input right."""
    if task.reference is None:
        message = f"Task {task.id} has no reference to measure programs against."
        raise InputError(message, hint="Use a dataset with solutions, such as HumanEval+.")
    suite, limits = label(task, task.reference, judge.sandbox, CAP)
    inputs = [test.input.args for test in suite.tests]
    rows = judge.sandbox.run(codes, task.entry_point, inputs, limits)
    return [
        all(
            outcome.ok
            and outcome.value is not None
            and accepts(task.reference, test.input.args, outcome.value, test.expected)
            for outcome, test in zip(row, suite.tests, strict=True)
        )
        for row in rows
    ]


def _load(folder: Path, name: str) -> ModuleType:
    """Import a recipe from its file, under its own name: one of them imports the other."""
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, folder / f"{name}.py")
    if spec is None or spec.loader is None or not (folder / f"{name}.py").exists():
        message = f"{folder}: no {name}.py in it."
        raise InputError(message, hint="Name the folder demo/ of the repository.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def recipe_table(record: Mapping[str, Any]) -> str:
    """Show a record of `bench agents` as Markdown: what each task came to."""
    n = record["n"]
    lines = [
        f"| task | right of {n} drawn | best of {n} | tokens | entropy | escalate | tokens |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in record["tasks"]:
        best, other = row["best_of_n"], row["escalate"]
        drawn = round(row["share_right"] * row["programs"])
        entropy = "" if other["entropy"] is None else f"{other['entropy']:.2f}"
        way = "by analyst and judge" if other["escalated"] else "at once"
        cells = (
            *(row["task_id"], f"{drawn} of {row['programs']}", _verdict(best)),
            *(f"{best['tokens']:,}", entropy, f"{_verdict(other)}, {way}"),
            f"{other['tokens']:,}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _verdict(found: Mapping[str, Any]) -> str:
    told = "right" if found["right"] else "wrong"
    return told if found["certain"] else f"{told}, not certain"
