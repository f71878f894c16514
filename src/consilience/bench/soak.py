"""Run very many programs, hostile ones among them, and look for anything that grows."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer

LIMITS = Limits(cpu_seconds=0.2, wall_seconds=2.0, memory_mb=128, total_seconds=10.0)
BATCH = 200
HOSTILE = (
    "import os\ndef f(x): os.fork()",
    "import os\ndef f(x): os._exit(x)",
    "import ctypes\ndef f(x): ctypes.string_at(0)",
    "import os\ndef f(x): os.kill(os.getppid(), 9)",
    "def f(x):\n    held = []\n    while True: held.append(bytearray(1 << 20))",
    "def f(x): return open('/tmp/soak', 'w').write('left')",
    "import threading, time\ndef f(x):\n    for _ in range(50):\n"
    "        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n    return x",
    "def f(x):\n    found = []\n    while True: found.append(open('/dev/null'))",
    "import os\nos._exit(0)\ndef f(x): return x",
    "def f(x): return [0] * 10 ** 7",
)
LOOPS_EVERY = 500
LOOP = "def f(x):\n    while True:\n        try:\n            x += 1\n        except: pass"


def run(count: int = 100_000, *, workers: int = 2) -> dict[str, Any]:
    """Run *count* unique programs, one in ten hostile; return what was held before and after.

    The first batch is not counted: it starts the workers and fills the caches.
    """
    statuses: Counter[str] = Counter()
    wrong = 0
    started, others = time.perf_counter(), holdings()["processes"]
    with ForkServer(workers=workers, confirm_timeouts=False) as server:
        source = _programs()
        _batch(server, source, statuses)
        statuses.clear()
        before = holdings()
        for _ in range(0, count, BATCH):
            wrong += _batch(server, source, statuses)
        after = holdings()
    left = holdings()["processes"] - others
    counts = {"executions": sum(statuses.values()), "honest_but_wrong": wrong}
    state = {"before": before, "after": after, "processes_left_when_closed": left}
    seconds = round(time.perf_counter() - started, 1)
    return {
        "benchmark": "soak",
        **counts,
        "statuses": dict(statuses),
        **state,
        "seconds": seconds,
    }


def holdings(root: int | None = None) -> dict[str, int]:
    """Count what a process and all below it hold: processes, descriptors, memory, files.

    Without *root* it is this process.
    """
    root = root or os.getpid()
    pids = [root, *below(root)]
    return {
        "processes": len(pids) - 1,
        "descriptors": sum(_entries(Path(f"/proc/{pid}/fd")) for pid in pids),
        "resident_kib": sum(_resident(pid) for pid in pids),
        "temporary_files": _entries(Path("/tmp")),  # noqa: S108 - only counted
    }


def _batch(
    server: ForkServer, source: Iterator[tuple[str, int | None]], seen: Counter[str]
) -> int:
    """Run the next programs; return how many honest ones did not come out right."""
    programs = dict(next(source) for _ in range(BATCH))
    rows = server.run(list(programs), "f", [(1,)], LIMITS)
    wrong = 0
    for expected, (outcome,) in zip(programs.values(), rows, strict=True):
        seen[outcome.status] += 1
        payload = outcome.value.payload if outcome.value else None
        wrong += expected is not None and payload != str(expected)
    return wrong


def _programs() -> Iterator[tuple[str, int | None]]:
    """Yield programs without end, each with what it returns for 1, None for a hostile one."""
    number = 0
    while True:
        number += 1
        if number % LOOPS_EVERY == 0:
            yield f"n = {number}\n{LOOP}", None
        elif number % 10 == 0:
            yield f"n = {number}\n{HOSTILE[number // 10 % len(HOSTILE)]}", None
        else:
            yield f"def f(x):\n    return x + {number}\n", number + 1


def below(pid: int) -> Iterator[int]:
    """List the processes that *pid* has started, and those that they have."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from below(child)


def _entries(folder: Path) -> int:
    try:
        return len(list(folder.iterdir()))
    except OSError:
        return 0


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 10
