"""Tell on stderr how far a run has come: stages, inputs, tokens, money and time left."""

from __future__ import annotations

import sys
import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from consilience.models import Ledger
from consilience.report.record import PRICE

EVERY = 5.0
"""Seconds between two lines within a stage, where there is no terminal."""


class Meter:
    """A bar on a terminal, a line a stage and task elsewhere, nothing when *quiet*."""

    def __init__(
        self, total: int, *, quiet: bool, ledger: Ledger, price: float = PRICE
    ) -> None:
        """Expect *total* tasks; read tokens from *ledger*."""
        console = Console(stderr=True)
        self._live = console.is_terminal and not quiet
        self._quiet = quiet
        self._total = total
        self._done = 0
        self._ledger = ledger
        self._price = price
        self._begun = self._told = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:g}/{task.total:g}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            disable=not self._live,
        )
        self._row = self._bar.add_task("tasks", total=total, note="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def stage(self, task_id: str, stage: str, done: int, total: int) -> None:
        """Show how far a task is in a stage."""
        told = f"{stage} {done}/{total}"
        self._bar.update(self._row, note=f"{told}, {self._spent()}")
        if self._live or self._quiet:
            return
        now = time.monotonic()
        if done == total or now - self._told > EVERY:
            self._told = now
            print(f"      {task_id}: {told}", file=sys.stderr, flush=True)

    def finished(self, task_id: str, summary: str) -> None:
        """Count a task as done."""
        self._done += 1
        note = f"{self._spent()}, {self._left()}"
        self._bar.update(self._row, completed=self._done, note=note)
        if not self._live and not self._quiet:
            print(
                f"[{self._done}/{self._total}] {task_id}: {summary} ({note})", file=sys.stderr
            )

    def _spent(self) -> str:
        paid, replayed = self._ledger.total(), self._ledger.total(replayed=True)
        tokens = paid.prompt_tokens + paid.completion_tokens
        stored = replayed.prompt_tokens + replayed.completion_tokens
        money = f"${tokens * self._price / 1e6:.4f}"
        return f"{tokens:,} tokens, {money}" + (
            f", {stored:,} from the store" if stored else ""
        )

    def _left(self) -> str:
        if self._done >= self._total:
            return f"{time.monotonic() - self._begun:.0f} s"
        rate = (time.monotonic() - self._begun) / max(self._done, 1)
        return f"about {rate * (self._total - self._done):.0f} s left"
