"""Orders to send, and what a test may look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from consilience.models.scripted import ScriptedModel
from consilience.service import Bounds
from consilience.service.jobs import Queue
from consilience.service.lanes import Job
from consilience.service.work import Work

PROMPT = 'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n'
RIGHT = "def find(a, b):\n    return a // b\n"
TRUNCATES = "def find(a, b):\n    return int(a / b)\n"
CALLS = [(10, -2), (9, 2), (-7, 2), (1, 3), (8, 3), (-9, 4)]
BOUNDS = Bounds(body_bytes=20_000, candidates=3, samples=4, tests=20, queue=2, wait_seconds=20)
TASK = {"prompt": PROMPT}
JUDGE: dict[str, Any] = {"task": TASK, "candidates": [TRUNCATES, RIGHT]}
RANK: dict[str, Any] = JUDGE | {"tests": ["find(10, -2) == -5", "find(-7, 2) == -4"]}
ENTROPY: dict[str, Any] = {"samples": [RIGHT, TRUNCATES], "measures": ["structural"]}


def answer(prompt: str, index: int) -> str:
    if "assert" in prompt:
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in CALLS)
    return f"```python\n{RIGHT}```"


@dataclass
class Service:
    """What a test may look at."""

    work: Work
    model: ScriptedModel
    queue: Queue


def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def state(queue: Queue, job: Job) -> str:
    entry = queue.find(job.entry.id)
    assert entry is not None
    return entry.state
