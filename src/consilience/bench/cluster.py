"""Judge on a cluster of two nodes, kill a worker and then a node, and look for a loss.

The cluster is Ray's own for tests: whole nodes, each a process tree, on one machine. The model
is a `ChatServer`, which counts what it served. What is claimed is checked by bytes and counts:
the verdicts are those of a run here, and no sample was served twice.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from consilience.backends.ray import Ray
from consilience.bench import throughput
from consilience.bench.chat_server import ChatServer
from consilience.bench.machine import machine
from consilience.bench.nodes import local_cluster, node
from consilience.bench.rehearsal import pool_server
from consilience.crew import Crew, LocalCrew, RayCrew
from consilience.judge import Judge, Verdict
from consilience.models.endpoint import Endpoint
from consilience.report import record as verdict_record
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store, digest
from consilience.task import Candidate, Task

SCHEMA = "consilience.bench.cluster/1"
Part = Literal["losses", "driver", "rank"]
PARTS: tuple[Part, ...] = ("losses", "driver", "rank")
NODES = 2
CANDIDATES = 5
PROGRAMS = 40
"""Programs of each task that the server answers with."""
SETTINGS = preset("economy", inputs=6, n_inductive=5, n_transductive=3)
Posed = tuple[Task, Sequence[Candidate]]
Opener = Callable[[Judge], AbstractContextManager[Crew]]


def losses(tasks: Sequence[Task], pool: Mapping[str, Sequence[Candidate]]) -> dict[str, Any]:
    """Judge *tasks* here, then on a cluster that loses a worker and a node, then once more."""
    posed = [(task, pool[task.id][:CANDIDATES]) for task in tasks]
    few = {task.id: pool[task.id][:PROGRAMS] for task in tasks}
    with tempfile.TemporaryDirectory() as name, pool_server(tasks, few) as server:
        rehearsal = _Rehearsal(Path(name), server, posed)
        here = rehearsal.run("here", _local)
        with local_cluster() as cluster:
            kills = [partial(_kill_worker, Path(name)), partial(_kill_node, cluster)]
            there = rehearsal.run("there", partial(_away, cluster), kills)
            again = rehearsal.run("there", partial(_away, cluster))
    return {
        "tasks": len(posed),
        "candidates": CANDIDATES,
        "nodes": NODES,
        "settings": "economy preset, 6 inputs, 5 general and 3 input-specific programs",
        "local": here.shown(here),
        "cluster": there.shown(here) | {"losses": list(there.losses)},
        "the same run again": again.shown(here),
    }


def record(
    pools: Mapping[str, tuple[Sequence[Task], Mapping[str, Sequence[Candidate]]]],
    parts: Sequence[Part] = PARTS,
    *,
    count: int,
    most: int | None = None,
) -> dict[str, Any]:
    """Measure *parts*: losses on *count* tasks of the first pool, the driver, throughput."""
    tasks, pool = next(iter(pools.values()))
    measures: dict[Part, Callable[[], dict[str, Any]]] = {
        "losses": lambda: losses(tasks[:count], pool),
        "driver": throughput.driving,
        "rank": lambda: {
            name: throughput.ranking(*each, most=most) for name, each in pools.items()
        },
    }
    found: dict[str, Any] = {part: measures[part]() for part in parts}
    return {"schema": SCHEMA, "machine": machine(), **found}


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run gave and cost."""

    verdicts: tuple[str, ...]
    served: Counter[tuple[str, int]]
    begun: int
    losses: tuple[str, ...]

    def shown(self, here: _Run) -> dict[str, Any]:
        return {
            "verdicts": len(self.verdicts),
            "sha256_of_verdicts": digest(*self.verdicts),
            "same_bytes_as_local": self.verdicts == here.verdicts,
            "samples_served": self.served.total(),
            "samples_served_twice": sum(count > 1 for count in self.served.values()),
            "tasks_begun": self.begun,
        }


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    """The same work, for one crew after another."""

    folder: Path
    server: ChatServer
    posed: Sequence[Posed]

    def run(self, store: str, crew: Opener, losses: Sequence[Callable[[], str]] = ()) -> _Run:
        """Judge everything; meanwhile have the losses happen, evenly over the tasks."""
        before = self.server.served
        watch = _Watch(losses, every=max(1, len(self.posed) // (len(losses) + 1)))
        told = []
        with self._judge(store) as judge, crew(judge) as hands:
            for verdict in hands.map(partial(_marked, str(self.folder)), self.posed):
                told.append(json.dumps(verdict_record.record(verdict), sort_keys=True))
                watch.finished()
        served = self.server.served - before
        return _Run(tuple(told), served, _begun(self.folder), tuple(watch.happened))

    @contextmanager
    def _judge(self, store: str) -> Iterator[Judge]:
        model = Endpoint("rehearsal", base_url=self.server.url)
        try:
            with (
                Store(self.folder / f"{store}.sqlite") as opened,
                ForkServer(workers=1) as sandbox,
            ):
                yield Judge(model, sandbox, opened, SETTINGS)
        finally:
            model.close()


class _Watch:
    """Has losses happen while work is under way, one every so many results.

    In this thread: Ray starts nodes in the main one only. Meanwhile the others work on.
    """

    def __init__(self, losses: Sequence[Callable[[], str]], every: int) -> None:
        self.happened: list[str] = []
        self._left = list(losses)
        self._every = every
        self._count = 0

    def finished(self) -> None:
        """Count a result."""
        self._count += 1
        if self._left and self._count % self._every == 0:
            self.happened.append(f"after {self._count} results: {self._left.pop(0)()}")


def _marked(folder: str, judge: Judge, posed: Posed) -> Verdict:
    """Judge one task; while it is under way a file tells by which process."""
    mark = Path(folder, f"{os.getpid()}.pid")
    mark.write_text(posed[0].id, encoding="utf-8")
    Path(folder, f"{time.time_ns()}-{os.getpid()}.begun").touch()
    try:
        return judge.judge(*posed)
    finally:
        mark.unlink(missing_ok=True)


def _kill_worker(marks: Path, patience: float = 60.0) -> str:
    """Kill a process that judges, -9."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        pids = [int(mark.stem) for mark in marks.glob("*.pid")]
        pids = [pid for pid in pids if pid != os.getpid()]
        if pids:
            os.kill(pids[0], signal.SIGKILL)
            return "a worker that judged was killed -9"
        time.sleep(0.01)
    return "no worker was seen judging"


def _kill_node(cluster: Any) -> str:
    """Kill the node that this process is not connected to, and start another in its place."""
    victim = next(iter(cluster.worker_nodes))
    cluster.remove_node(victim, allow_graceful=False)
    cluster.add_node(**node())
    return "a node was killed -9 with all its workers, and another one joined"


@contextmanager
def _local(judge: Judge) -> Iterator[Crew]:
    yield LocalCrew(judge, 2)


@contextmanager
def _away(cluster: Any, judge: Judge) -> Iterator[Crew]:
    with Ray(cluster.address) as ray:
        yield RayCrew(judge, ray)


def _begun(folder: Path) -> int:
    """Count the tasks begun since the last time."""
    files = list(folder.glob("*.begun"))
    for file in files:
        file.unlink()
    return len(files)
