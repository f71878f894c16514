"""Try what must not be possible, from exactly where a candidate's program will stand.

Each attempt gives a line `name TAB 1 or 0 TAB what happened`; 1 means that the wall held. The judge
knows which names it expects, so an attempt that breaks out without a word counts as a hole.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Callable, Sequence
from typing import Any

PTRACE_ATTACH = 16
NEW_USER = 0x10000000


def run(fd: int, job: dict[str, Any]) -> None:
    """Make every attempt and report each on *fd*."""
    for name, attempt in attempts(job["canary"], job["memory"], job["folders"]).items():
        held, what = _held(attempt)
        line = f"{name}\t{held:d}\t{what}\n"
        os.write(fd, line.encode("ascii", "replace"))


def attempts(
    canary: str, memory: int, folders: Sequence[str]
) -> dict[str, Callable[[], object]]:
    """Return the attempts by name; each must raise."""
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getppid()
    return {
        "read a file outside": lambda: os.close(os.open(canary, os.O_RDONLY)),
        "read /etc/passwd": lambda: os.close(os.open("/etc/passwd", os.O_RDONLY)),
        "read another process": lambda: os.close(
            os.open(f"/proc/{parent}/environ", os.O_RDONLY)
        ),
        "write a file": lambda: _write_anywhere(folders),
        "delete a file": lambda: os.unlink(canary),
        "open a network socket": lambda: socket.socket(socket.AF_INET).close(),
        "start a process": _fork,
        "run a command": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "exit"], {}),
        "signal the worker": lambda: os.kill(parent, signal.SIGTERM),
        "trace the worker": lambda: _checked(libc.ptrace(PTRACE_ATTACH, parent, 0, 0)),
        "make a namespace": lambda: _checked(libc.unshare(NEW_USER)),
        "raise a limit": _raise_limit,
        "take more memory": lambda: bytearray(memory + (64 << 20)),
        "see the judge's environment": _see_environment,
    }


def _held(attempt: Callable[[], object]) -> tuple[bool, str]:
    try:
        attempt()
    except (OSError, MemoryError, ValueError) as error:
        code = getattr(error, "errno", None)
        return True, os.strerror(code) if code else type(error).__name__
    return False, "it worked"


def _write_anywhere(folders: Sequence[str]) -> None:
    """Write into each of *folders*; raises only where all refuse."""
    for folder in folders:
        try:
            fd = os.open(f"{folder}/consilience-selftest", os.O_CREAT | os.O_WRONLY)
        except OSError as error:
            refusal = error
        else:
            os.close(fd)
            return
    raise refusal


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _raise_limit() -> None:
    import resource  # noqa: PLC0415 - as a candidate would

    unlimited = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (unlimited, unlimited))


def _see_environment() -> None:
    """Raise where nothing but what the worker itself sets is to be seen."""
    known = {"HOME", "LC_ALL", "LC_CTYPE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH"}
    if not set(os.environ) - known:
        raise OSError(2, "nothing there")


def _checked(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
