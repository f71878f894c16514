"""How many candidates a core ranks in a second, by CPU time, and what one driver can feed.

CPU time and not wall time, since it does not depend on what else the machine does: the judge's
own, its sandbox workers' and the programs'.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from consilience.backends.ray import Ray
from consilience.bench.intervals import bootstrap
from consilience.bench.nodes import local_cluster
from consilience.bench.ranking_tasks import label
from consilience.code import normalise
from consilience.judge import weigh
from consilience.sandbox import Level, Limits, Outcome
from consilience.sandbox.pool import ForkServer
from consilience.settings import PRESETS
from consilience.task import Candidate, Probe, Target, Task, TestSuite

INPUTS = 20
"""As many inputs a task as the economy preset makes."""
ROUND_TRIPS = 300
QUESTION = "x" * 2000
"""About the size of a prompt, and of a reply."""


def ranking(
    tasks: Sequence[Task], pool: Mapping[str, Sequence[Candidate]], *, most: int | None = None
) -> dict[str, Any]:
    """Rank the pool of every task by tests from its reference; at most *most* a task.

    The tests are made beforehand and not counted; no model has a part in the figures.
    """
    posed = [task for task in tasks if pool.get(task.id) and task.reference is not None]
    with ForkServer(workers=1) as server:
        metered = _Metered(server)
        suites = [label(task, task.reference, server, INPUTS)[0] for task in posed]  # type: ignore[arg-type]  # chosen above
        rows = [_ranked(suite, pool[suite.task.id][:most], metered) for suite in suites]
    total = sum(row.cpu for row in rows)
    counts = {
        "candidates": sum(row.candidates for row in rows),
        "distinct_candidates": sum(row.distinct for row in rows),
        "distinct_calls": sum(row.distinct * row.tests for row in rows),
    }
    each = [1000 * row.cpu / row.distinct for row in rows]
    return {
        "tasks": len(rows),
        "inputs_a_task_at_most": INPUTS,
        **counts,
        "cpu_seconds": round(total, 2),
        "a_core_second": {name: round(count / total, 1) for name, count in counts.items()},
        "cpu_milliseconds_a_distinct_candidate": asdict(bootstrap(each)),
    }


def driving() -> dict[str, Any]:
    """Measure what the driver of a cluster pays a task, and a question that comes home."""
    with local_cluster() as cluster, Ray(cluster.address) as ray:
        call = ray.home(_echo)
        list(ray.map(call, ["warm"] * 8))
        tasks = _driven(lambda: list(ray.map(_echo, [QUESTION] * ROUND_TRIPS)))
        before = _mailboxes()
        both = _driven(lambda: list(ray.map(call, [QUESTION] * ROUND_TRIPS)))
        mailbox = (_mailboxes() - before) / ROUND_TRIPS
    return {
        "tasks": ROUND_TRIPS,
        "questions": ROUND_TRIPS,
        "driver_cpu_milliseconds_a_task": round(1000 * tasks, 2),
        "driver_cpu_milliseconds_a_question": round(1000 * max(0.0, both - tasks), 2),
        "mailbox_cpu_milliseconds_a_question": round(1000 * mailbox, 2),
    }


@dataclass(frozen=True, slots=True)
class _Row:
    cpu: float
    candidates: int
    distinct: int
    tests: int


@dataclass(slots=True)
class _Metered:
    """A sandbox that adds up what the programs used."""

    server: ForkServer
    programs: float = field(default=0.0)

    @property
    def level(self) -> Level:
        return self.server.level

    def run(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        found = self.server.execute(programs, target, inputs, limits)
        self.programs += sum({id(one): one.cpu_seconds for one in found}.values())
        return [list(one.outcomes) for one in found]

    def close(self) -> None:
        self.server.close()

    def spent(self) -> float:
        """Return the CPU seconds of this process, of the living workers, of the programs."""
        workers = sum(map(_on_cpu, _below(os.getpid())))
        return time.process_time() + workers + self.programs


def _ranked(suite: TestSuite, candidates: Sequence[Candidate], sandbox: _Metered) -> _Row:
    before = sandbox.spent()
    weigh(suite, candidates, sandbox, PRESETS["economy"])
    cpu = sandbox.spent() - before
    distinct = len({normalise(candidate.code) for candidate in candidates})
    return _Row(cpu, len(candidates), distinct, len(suite.tests))


def _echo(question: str) -> str:
    return question


def _driven(work: Callable[[], object]) -> float:
    """Return the CPU seconds of this process a round trip."""
    before = time.process_time()
    work()
    return (time.process_time() - before) / ROUND_TRIPS


def _mailboxes() -> float:
    names = Path("/proc").glob("[0-9]*/cmdline")
    boxes = [int(each.parent.name) for each in names if _text(each).startswith("ray::_Mailbox")]
    return sum(map(_on_cpu, boxes))


def _below(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, _text(task).split()):
            yield child
            yield from _below(child)


def _on_cpu(pid: int) -> float:
    """Return the seconds that the threads of a process have run."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(_text(task).split()[0] or 0) for task in tasks if _text(task)) / 1e9


def _text(path: Path) -> str:
    """Read a kernel file; empty where its process has ended."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
