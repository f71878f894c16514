"""Judge on behalf of others: over HTTP (`web`) and for agents over MCP (`agents`).

An order is what a client asks for (`orders`); `Work` carries it out with one model, sandbox and
store for all. Long ones are jobs of a `Queue`, and a `Journal` keeps them across restarts.
Nothing here needs an extra but `web`, `host`, `agents`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["judge", "tests", "rank", "entropy"]
State = Literal["queued", "running", "done", "failed", "cancelled"]

ASKING: frozenset[Kind] = frozenset({"judge", "tests"})
"""The kinds that ask a model: always jobs, in a lane of their own."""
OVER: frozenset[State] = frozenset({"done", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one client may ask for."""

    body_bytes: int = 4 << 20
    candidates: int = 100
    samples: int = 500
    """Of one call of entropy, whose time and memory grow with their square."""
    tests: int = 1000
    queue: int = 100
    """Jobs that may wait in each lane."""
    wait_seconds: float = 30.0
    """How long a request may wait for a result before it is told to come back."""
