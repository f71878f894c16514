"""Outcomes that were computed before, by all that determines them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import get_args

from consilience.sandbox import Level, Outcome, Status
from consilience.sandbox.job import Job
from consilience.sandbox.process import Setup
from consilience.store import Store, digest
from consilience.values import Value

KIND = "outcome"
VERSION = "2"
PASSING = frozenset({"infrastructure", "skipped", "protocol"})
"""What another run may well find otherwise, and so is never kept."""


class OutcomeMemory:
    """Outcomes in a store; a call that is in it is not made again."""

    def __init__(self, store: Store, level: Level) -> None:
        self._store = store
        self._level = level

    def recall(self, key: str, job: Job, setup: Setup) -> list[Outcome | None]:
        """Return the outcome of each input, None where it is not known."""
        keys = self._keys(key, job, setup)
        found = self._store.get_many(KIND, keys)
        return [_read(found[one]) if one in found else None for one in keys]

    def keep(self, key: str, job: Job, setup: Setup, outcomes: Sequence[Outcome]) -> None:
        """Store what each input came to."""
        pairs = zip(self._keys(key, job, setup), outcomes, strict=True)
        entries = {one: _write(out) for one, out in pairs if out.status not in PASSING}
        self._store.put_many(KIND, entries)

    def _keys(self, key: str, job: Job, setup: Setup) -> list[str]:
        limits = json.dumps(astuple(job.limits))
        kind = json.dumps([
            self._level,
            setup.packages,
            setup.python,
            setup.scratch_mb,
            setup.state,
        ])
        seeds = f"{setup.hash_seed} {job.seed}"
        target = json.dumps(astuple(job.target))
        fixed = digest(VERSION, key, target, limits, kind, seeds)
        return [digest(fixed, one) for one in job.inputs]


def _write(outcome: Outcome) -> bytes:
    payload = outcome.value.payload if outcome.value else None
    fields = [outcome.status, payload, outcome.error, outcome.message]
    return json.dumps([*fields, outcome.micros, outcome.mutated]).encode()


def _read(entry: bytes) -> Outcome:
    status, payload, error, message, micros, mutated = json.loads(entry)
    known: Status = status if status in get_args(Status) else "infrastructure"
    value = None if payload is None else Value.from_wire(payload)
    return Outcome(known, value, error, message, micros, mutated)
