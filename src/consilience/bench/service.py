"""Load the HTTP service: what it holds, whether anything is lost, answered or paid twice.

The service runs in a process of its own, as `consilience serve` starts it; clients and the stub
of a model run in this one, on the same cores. Beside latencies, which depend on what else the
machine does, it tells the CPU time that the service takes for an order, which does not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import numpy as np

from consilience.backends.local import Threads
from consilience.bench.chat_server import ChatServer
from consilience.bench.intervals import bootstrap
from consilience.bench.machine import machine
from consilience.bench.model_stub import adding, program, task
from consilience.bench.service_process import Service
from consilience.store import Store
from consilience.uncertainty.encoders import default_encoder

SCHEMA = "consilience.bench.service/1"
CLIENTS = 8
"""Clients that send at the same time."""
TIMEOUT = 600.0
SETTLED = 6.0
"""Seconds after which the service has closed the connections of clients that are gone."""
ECONOMY = ("--preset", "economy", "--inputs", "6")

Row = dict[str, Any]


def run(*, quick: int = 400, judged: int = 60, killed: int = 20, remark: str = "") -> Row:
    """Measure, and return the record.

    Args:
        quick: orders of entropy, and as many of rank.
        judged: jobs that ask the model.
        killed: jobs in the middle of which the service is killed.
        remark: what a reader must know of the circumstances, such as who computed beside.
    """
    with TemporaryDirectory() as folder, adding() as stub:
        loaded = _loaded(Path(folder), stub, quick, judged)
        ended = kill(Path(folder), stub, killed)
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "cores_used": len(os.sched_getaffinity(0)),
        "remark": remark,
        "clients": CLIENTS,
        "encoder": getattr(default_encoder(), "name", "hashed"),
        "stub_seconds_per_request": stub.seconds,
        "load": loaded,
        "kill": ended,
    }


def _loaded(folder: Path, stub: ChatServer, quick: int, judged: int) -> Row:
    with Service(folder, stub.url, *ECONOMY) as service:
        _warm(service)
        before = service.holdings()
        found: Row = {
            "entropy": phase(service, _entropy, quick),
            "rank": phase(service, _rank, quick),
            "judge": judge(service, stub, judged),
        }
        time.sleep(SETTLED)
        after = service.holdings()
        code = service.stop()
    return found | {"before": before, "after": after, "exit_code_at_sigterm": code}


def phase(service: Service, one: Callable[[httpx2.Client, int], bool], count: int) -> Row:
    """Send *count* orders, each unlike all others, and check every answer."""
    used, begun = service.cpu_seconds(), time.monotonic()
    with service.client() as client:

        def timed(number: int) -> tuple[bool, float]:
            start = time.monotonic()
            right = one(client, number)
            return right, time.monotonic() - start

        rows = list(Threads(CLIENTS).map(timed, range(count)))
    cpu = 1000 * (service.cpu_seconds() - used) / count
    return {
        **_spread([seconds for _, seconds in rows]),
        "right": sum(right for right, _ in rows),
        "orders": count,
        "orders_per_second": round(count / (time.monotonic() - begun), 2),
        "service_cpu_ms_per_order": round(cpu, 2),
        "orders_per_second_by_cpu_time_of_2_cores": round(2000 / cpu, 1) if cpu else None,
    }


def judge(service: Service, stub: ChatServer, count: int) -> Row:
    """Have *count* tasks judged as jobs, and check verdicts and what was paid."""
    served, distinct = stub.served.total(), len(stub.served)

    def one(client: httpx2.Client, number: int) -> bool:
        return _verdict_is_right(_finish(client, _submit(client, number)), number)

    row = phase(service, one, count)
    paid, needed = stub.served.total() - served, len(stub.served) - distinct
    return row | {"samples_paid": paid, "samples_paid_twice": paid - needed}


def kill(folder: Path, stub: ChatServer, count: int, *, offset: int = 100_000) -> Row:
    """Kill the service in the middle of its jobs, start it again, and see all of them through.

    What the killed process had asked for and not yet received is gone, and has to be asked for
    again; what was in the store must not be.
    """
    numbers = range(offset, offset + count)
    served, distinct = stub.served.total(), len(stub.served)
    with Service(folder, stub.url, *ECONOMY) as service, service.client() as client:
        kept = _replies(folder)
        ids = {number: _submit(client, number) for number in numbers}
        _until(lambda: stub.served.total() - served > 8 * count)
        states = [_status(client, job)["state"] for job in ids.values()]
        orphans = service.kill()
    time.sleep(4 * stub.seconds)  # requests under way are served to nobody
    stored, before = _replies(folder) - kept, stub.served.total()
    with Service(folder, stub.url, *ECONOMY) as service, service.client() as client:
        again = {number: _submit(client, number) for number in numbers}
        right = sum(_verdict_is_right(_finish(client, ids[n]), n) for n in numbers)
        code = service.stop()
    needed, paid_after = len(stub.served) - distinct, stub.served.total() - before
    return {
        "jobs_accepted": count,
        "states_at_the_kill": {state: states.count(state) for state in sorted(set(states))},
        "processes_left_by_the_kill": orphans,
        "jobs_finished_right": right,
        "orders_sent_again_are_the_same_jobs": again == ids,
        "samples_needed": needed,
        "samples_stored_at_the_kill": stored,
        "samples_under_way_at_the_kill": before - served - stored,
        "samples_paid_after_the_kill": paid_after,
        "samples_paid_though_stored": paid_after - (needed - stored),
        "exit_code_at_sigterm": code,
    }


# --- orders

_ALIKE = """def f(values):
    {name} = {number}
    for value in values:
        if value % 2 == 0:
            {name} += value
    return {name}
"""
_UNLIKE = (
    "def f(values):\n    return {number} + sum(v for v in values if v % 2 == 0)\n",
    "def f(values):\n    even = list(filter(lambda v: not v % 2, values))\n"
    "    return sum(even) + {number}\n",
    "from functools import reduce\n\ndef f(values):\n"
    "    return reduce(lambda a, v: a + v * (v % 2 == 0), values, {number})\n",
    "def f(values):\n    if not values:\n        return {number}\n    head, *tail = values\n"
    "    return f(tail) + (head if head % 2 == 0 else 0)\n",
)


def _warm(service: Service) -> None:
    """Start workers, load the encoder, connect to the model: that is not the load's doing."""
    with service.client() as client:
        for number in range(-4, 0):
            _entropy(client, number)
            _rank(client, number)
        for job in [_submit(client, number) for number in (90_000, 90_001)]:
            _finish(client, job)


def _entropy(client: httpx2.Client, number: int) -> bool:
    """Ask about ten samples: six say the same with other names, four are unlike all."""
    samples = [_ALIKE.format(number=number, name=f"total_{place}") for place in range(6)]
    samples += [text.format(number=number) for text in _UNLIKE]
    fase, structural = _sent(client, "entropy", {"samples": samples})["entropies"]
    sizes = [len(group["members"]) for group in structural["classes"]]
    return sizes == [6, 1, 1, 1, 1] and set(fase["labels"][:6]) == {0}


def _rank(client: httpx2.Client, number: int) -> bool:
    """Have three candidates ranked on four tests; which one is right changes."""
    right = number % 3
    codes = [program(abs(number), abs(number) + place - right) for place in range(3)]
    tests = [f"add_{abs(number)}({n}) == {n + abs(number)}" for n in range(4)]
    order = {"task": task(abs(number)), "candidates": codes, "tests": tests}
    winner = _sent(client, "rank", order)["winner"]
    return winner is not None and winner["index"] == right


def _submit(client: httpx2.Client, number: int) -> str:
    codes = [program(number, number + place - number % 3) for place in range(3)]
    order = {"task": task(number), "candidates": codes}
    key = {"Idempotency-Key": f"task-{number}"}
    response = client.post("/v1/judge", json=order, headers=key)
    response.raise_for_status()
    return str(response.headers["Location"]).rpartition("/")[2]


def _finish(client: httpx2.Client, job: str) -> Mapping[str, Any]:
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        if _status(client, job, wait=10)["state"] not in {"queued", "running"}:
            return dict(client.get(f"/v1/jobs/{job}/result").json())
    raise TimeoutError(job)


def _status(client: httpx2.Client, job: str, wait: float = 0) -> Mapping[str, Any]:
    response = client.get(f"/v1/jobs/{job}", params={"wait": wait})
    response.raise_for_status()
    return dict(response.json())


def _sent(client: httpx2.Client, kind: str, order: Mapping[str, Any]) -> Mapping[str, Any]:
    response = client.post(f"/v1/{kind}", json=order)
    response.raise_for_status()
    return dict(response.json())


def _verdict_is_right(verdict: Mapping[str, Any], number: int) -> bool:
    winner = verdict.get("winner")
    return winner is not None and winner["index"] == number % 3


# --- figures


def _replies(folder: Path) -> int:
    with Store(folder / "store.sqlite") as store:
        return sum(held.count for held in store.info() if held.kind == "reply")


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)


def _spread(seconds: Sequence[float]) -> Row:
    low, high = np.quantile(seconds, [0.5, 0.95])
    mean = bootstrap([1000 * each for each in seconds])
    return {
        "p50_ms": round(1000 * float(low), 1),
        "p95_ms": round(1000 * float(high), 1),
        "mean_ms": asdict(mean),
    }
