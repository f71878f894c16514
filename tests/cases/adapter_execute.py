"""Cases of execution: what one call of one program comes to, and what is left over."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from cases.support import arguments, value

from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import ForkServer
from consilience.values import equal

SLOWNESS = 3.0
"""How much longer than stated a busy machine may take."""
KINDS = {"raised": "error", "exit": "error", "memory": "error"}
CRASHES = {"crash", "load_crash"}


def check_execute(given: dict[str, Any], expected: dict[str, Any]) -> None:
    inputs = [arguments(call) for call in given["calls"]]
    seconds = given["timeout_s"]
    limits = Limits(cpu_seconds=seconds, wall_seconds=2 * seconds, memory_mb=512)
    before = children()
    with ForkServer(workers=1) as server:
        started = time.monotonic()
        (outcomes,) = server.run([given["program"]], given["entry_point"], inputs, limits)
        taken = time.monotonic() - started
        honest = server.run(["def f(x):\n    return x\n"], "f", [(1,)])[0][0]
    for outcome, wanted in zip(outcomes, expected["outcomes"], strict=True):
        check_outcome(outcome, wanted)
    assert honest.ok is expected.get("host_survives", True)
    assert taken <= SLOWNESS * expected.get("max_wall_s", 60.0)
    assert children() - before == set()
    if expected.get("inputs_unchanged"):
        assert inputs == [arguments(call) for call in given["calls"]]


def check_outcome(outcome: Outcome, wanted: dict[str, Any]) -> None:
    kind = "crash" if outcome.status in CRASHES else KINDS.get(outcome.status, outcome.status)
    assert kind in wanted.get("status_in", [wanted.get("status")]), outcome
    if "error_type" in wanted:
        assert outcome.error == wanted["error_type"]
    if "value" in wanted:
        assert outcome.value is not None
        assert equal(outcome.value, value(wanted["value"]))


def children() -> set[str]:
    """Return the process ids of this process' children, zombies included."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {pid for task in tasks for pid in task.read_text().split()}


ADAPTERS = {"execute": check_execute}
