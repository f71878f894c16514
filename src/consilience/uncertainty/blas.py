"""One BLAS thread a kernel call: workers over batches are faster, and do not spin.

Measured: with one other busy process on two cores, two OpenBLAS threads take five times the CPU
time of one. numpy offers no switch, so this asks the OpenBLAS that numpy has loaded itself.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


class _Held:
    """How many callers hold OpenBLAS to one thread now, and what to go back to."""

    lock = threading.Lock()
    count = 0
    before = 1


@contextmanager
def one_thread() -> Iterator[bool]:
    """Hold OpenBLAS to one thread; yields False where numpy was built on another library."""
    switch = _switch()
    if switch is None:
        yield False
        return
    get, put = switch
    with _Held.lock:
        if _Held.count == 0:
            _Held.before = get()
            put(1)
        _Held.count += 1
    try:
        yield True
    finally:
        with _Held.lock:
            _Held.count -= 1
            if _Held.count == 0:
                put(_Held.before)


@cache
def _switch() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    for path in _bundled():
        library = ctypes.CDLL(str(path))  # already loaded by numpy: the same copy
        for name in _NAMES:
            get = getattr(library, name.format("get_num_threads"), None)
            put = getattr(library, name.format("set_num_threads"), None)
            if get is not None and put is not None:
                put.argtypes, put.restype = [ctypes.c_int], None
                return get, put
    return None


def _bundled() -> list[Path]:
    """List the OpenBLAS files that numpy's wheels carry, on Linux, Windows and macOS."""
    package = Path(np.__file__).parent
    places = (package.parent / "numpy.libs", package / ".dylibs")
    return sorted(
        path for place in places for path in place.glob("*openblas*") if path.is_file()
    )
