"""Start workers from one thread that lasts as long as this process.

The kernel ends a worker with the thread that started it (PR_SET_PDEATHSIG goes by threads), and
whoever asks for a program to be run may be a thread of a moment.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from queue import SimpleQueue
from typing import TypeVar

Made = TypeVar("Made")


def lasting(make: Callable[[], Made]) -> Made:
    """Return what *make* returns, called in the thread that lasts."""
    made: Future[Made] = Future()

    def carry_out() -> None:
        try:
            made.set_result(make())
        except BaseException as error:
            made.set_exception(error)

    _orders(os.getpid()).put(carry_out)
    return made.result()


@cache
def _orders(pid: int) -> SimpleQueue[Callable[[], None]]:
    """Begin the thread of the process *pid*: a forked one has none of its parent's threads."""
    orders: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def work() -> None:
        while True:
            orders.get()()

    threading.Thread(target=work, name=f"nursery-{pid}", daemon=True).start()
    return orders
