"""Who may use the machine: many at once, or one alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Turn:
    """One use of the machine."""

    alone: bool
    """Nobody else used it meanwhile."""


class Turns:
    """A lock that is shared by runs and taken alone by confirmations."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._open: list[Turn] = []
        self._waiting = 0
        self._taken = False

    @contextmanager
    def shared(self) -> Iterator[Turn]:
        """Use the machine beside others; the turn tells whether there were any."""
        with self._condition:
            # Those who want to be alone go first, or a busy pool would never let them.
            self._condition.wait_for(lambda: not self._taken and not self._waiting)
            turn = Turn(alone=not self._open)
            for other in self._open:
                other.alone = False
            self._open.append(turn)
        try:
            yield turn
        finally:
            with self._condition:
                self._open = [one for one in self._open if one is not turn]
                self._condition.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Use the machine alone."""
        with self._condition:
            self._waiting += 1
            self._condition.wait_for(lambda: not self._taken and not self._open)
            self._waiting -= 1
            self._taken = True
        try:
            yield
        finally:
            with self._condition:
                self._taken = False
                self._condition.notify_all()
