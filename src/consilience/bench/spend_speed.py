"""How much of a run's time is the server's: overhead, slots filled, prompts shared.

A run is judged live with an empty store while each request's time is noted; then the same
requests are sent again, raw, as many at a time as there were at most. Wall times mean something
only on a machine that does nothing else.
"""

from __future__ import annotations

import itertools
import resource
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from consilience.backends.local import Threads
from consilience.bench.machine import machine
from consilience.bench.ranking_tasks import RankingTask
from consilience.judge import Judge
from consilience.models import Ledger, Reply, Sampling
from consilience.models.stored import Piecemeal
from consilience.store import Store

SCHEMA = "consilience.bench.spend-speed/1"


@dataclass(frozen=True, slots=True)
class Request:
    """One request with the time it was on its way, in seconds from the beginning."""

    prompt: str
    n: int
    sampling: Sampling | None
    seed: int | None
    first: int
    begun: float
    ended: float


class Timed:
    """A model whose requests are noted."""

    def __init__(self, model: Piecemeal, name: str) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._model = model
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Draw *n* samples."""
        return [
            reply
            for batch in self.batches(prompt, n=n, sampling=sampling, seed=seed)
            for reply in batch
        ]

    def batches(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        first: int = 0,
    ) -> Iterator[list[Reply]]:
        """Draw samples from number *first* on, in one piece, and note when."""
        begun = time.monotonic() - self._begun
        drawn = self._model.batches(prompt, n=n, sampling=sampling, seed=seed, first=first)
        replies = [reply for batch in drawn for reply in batch]
        ended = time.monotonic() - self._begun
        with self._lock:
            self.requests.append(Request(prompt, n, sampling, seed, first, begun, ended))
        yield replies


def run(
    judge: Judge, model: Piecemeal, tasks: Sequence[RankingTask], *, slots: int, workers: int
) -> dict[str, Any]:
    """Judge *tasks* with nothing in the store, then replay the same requests raw."""
    timed = Timed(model, judge.model.name)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "store.sqlite") as store,
        _clock() as judged,
    ):
        fresh = replace(judge, model=timed, store=store, ledger=Ledger())
        list(Threads(workers).map(lambda p: fresh.judge(p.task, p.candidates), tasks))
    most = max((count for _, _, count in _flight(timed.requests, lambda r: 1)), default=1)
    with _clock() as raw:
        ordered = sorted(timed.requests, key=lambda request: request.begun)
        drawn = sum(Threads(most).map(lambda request: _send(model, request), ordered))
    judged["tokens"], raw["tokens"] = fresh.ledger.total().completion_tokens, drawn
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "model": judge.model.name,
        "tasks": len(tasks),
        "workers": workers,
        "requests": len(timed.requests),
        "judged": judged,
        "raw": raw,
        "overhead_of_wall": round(judged["wall"] / raw["wall"] - 1, 4) if raw["wall"] else None,
        "overhead_a_token": _overhead(judged, raw),
        **flight(timed.requests, judged["wall"], slots),
        "prompt_shared": shared(timed.requests),
    }


def flight(requests: Sequence[Request], wall: float, slots: int) -> dict[str, Any]:
    """Say how long nothing was on its way, and how many of the slots were asked for."""
    spans = _flight(requests, lambda request: request.n)
    busy = sum(end - start for start, end, count in spans if count)
    asked = sum((end - start) * min(count, slots) for start, end, count in spans)
    return {
        "idle_of_wall": round(max(0.0, 1 - busy / wall), 4) if wall else None,
        "slots": slots,
        "slots_asked": round(asked / busy, 2) if busy else None,
    }


def shared(requests: Sequence[Request]) -> float | None:
    """Return the share of prompt text that begins as the prompt sent before it does."""
    ordered = sorted(requests, key=lambda request: request.begun)
    seen: list[str] = []
    common = total = 0
    for request in ordered:
        best = max((_common(old, request.prompt) for old in seen), default=0)
        common, total = common + best, total + len(request.prompt)
        seen.append(request.prompt)
    return round(common / total, 4) if total else None


def _common(one: str, other: str) -> int:
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


def _flight(requests: Sequence[Request], size: Any) -> list[tuple[float, float, int]]:
    """Split the time into spans in which the same requests were on their way."""
    moves = [(r.begun, size(r)) for r in requests] + [(r.ended, -size(r)) for r in requests]
    spans, count = [], 0
    ordered = sorted(moves)
    for (start, change), (end, _) in itertools.pairwise(ordered):
        count += change
        spans.append((start, end, count))
    return spans


def _send(model: Piecemeal, request: Request) -> int:
    drawn = model.batches(
        request.prompt,
        n=request.n,
        sampling=request.sampling,
        seed=request.seed,
        first=request.first,
    )
    return sum(reply.usage.completion_tokens for batch in drawn for reply in batch)


def _overhead(judged: Mapping[str, float], raw: Mapping[str, float]) -> float | None:
    """Compare wall a token written: a server under load does not repeat texts to the bit."""
    if not (judged["tokens"] and raw["tokens"] and raw["wall"]):
        return None
    rates = [each["wall"] / each["tokens"] for each in (judged, raw)]
    return round(rates[0] / rates[1] - 1, 4)


@contextmanager
def _clock() -> Iterator[dict[str, float]]:
    """Measure wall time, and CPU time of this process and of those it has ended."""
    found: dict[str, float] = {}
    begun, spent = time.monotonic(), _cpu()
    yield found
    found["wall"] = round(time.monotonic() - begun, 3)
    found["cpu"] = round(_cpu() - spent, 3)


def _cpu() -> float:
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in each)
