"""One BLAS thread a kernel call: workers over batches are faster and do not spin on a busy machine.

Measured: with one other busy process on two cores, two OpenBLAS threads take five times the CPU
time of one. numpy offers no switch, so this asks the OpenBLAS that numpy has loaded itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


@contextmanager
def one_thread() -> Iterator[bool]:
    """Hold OpenBLAS to one thread; yields False where numpy was built on another library."""
    switch = _switch()
    if switch is None:
        yield False
        return
    get, put = switch
    before = get()
    put(1)
    try:
        yield True
    finally:
        put(before)


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
    return sorted(path for place in places for path in place.glob("*openblas*") if path.is_file())
