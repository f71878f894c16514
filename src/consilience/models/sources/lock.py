"""One process at a time: a lock that the operating system lifts when its holder dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PAUSE = 0.2


@contextmanager
def locked(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock on *file*; call *waiting* once where another process holds it first."""
    with file.open("a+b") as opened:
        told = False
        while not _try(opened):
            if not told:
                waiting()
            told = True
            time.sleep(_PAUSE)
        yield  # closing the file lifts the lock


if sys.platform == "win32":
    import msvcrt

    def _try(opened: IO[bytes]) -> bool:
        opened.seek(0)
        try:
            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(opened: IO[bytes]) -> bool:
        try:
            fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
