"""Wait in an event loop for a job that a thread works on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from consilience.service.lanes import Job

POLL = 0.25
"""Seconds between two looks at whether there is still reason to wait."""


async def until_over(
    job: Job, seconds: float, enough: Callable[[], bool] = lambda: False
) -> None:
    """Wait until the job is over, the time is up, or it is *enough*."""
    loop, event = asyncio.get_running_loop(), asyncio.Event()

    def wake(_: object) -> None:
        with suppress(RuntimeError):  # the loop has ended, so nobody waits
            loop.call_soon_threadsafe(event.set)

    deadline = loop.time() + seconds
    if seconds and not job.over.done():
        job.over.add_done_callback(wake)
    while not job.over.done() and not enough() and (left := deadline - loop.time()) > 0:
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), min(POLL, left))
