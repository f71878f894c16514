"""A script, in a child of its own: standard input and output are the real ones.

Descriptor 0 is a file with the text, descriptor 1 a pipe to the judge, so whatever a program
does with them (`input`, `sys.stdin.buffer`, `open(0)`, `os.read`, `fileinput`, threads) it does
as outside. What it printed the judge has read from the pipe; the line says only how it ended.
"""

from __future__ import annotations

import atexit
import os
import sys
import types
from collections.abc import Sequence
from typing import Any, Final

from . import child

NAME: Final = "main.py"
STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def run(fd: int, job: dict[str, Any]) -> None:
    """Run the program as `__main__`, and tell how it ended."""
    reporter = child.Reporter(fd, at_once=True)
    watch = child.Watch(job["cpu"], job["wall"])
    _open_streams()
    watch.start()
    reporter.add("L\tok\t0\t-\n")
    started = child.now()
    status, rest = child.guard(watch, lambda: _whole(job["code"]))
    if status != "ok":
        child.guard(watch, _finish)  # what was printed before counts as it would outside
    micros = (child.now() - started) // 1000
    reporter.add(f"{job['start']}\t{status}\t{micros}\t{rest}\n")


def adopt(descriptors: Sequence[int]) -> None:
    """Make the judge's file and pipe this process' standard input and output."""
    for stream, descriptor in enumerate(descriptors):
        os.dup2(descriptor, stream)
        os.close(descriptor)


def _open_streams() -> None:
    for descriptor, (name, mode) in enumerate(STREAMS):
        stream = open(  # noqa: SIM115 - it stays open as long as the process lives
            descriptor, mode, encoding="utf-8", errors="surrogateescape", closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv[:] = [NAME]


def _whole(code: str) -> str:
    module = types.ModuleType("__main__")
    module.__file__ = NAME
    sys.modules["__main__"] = module
    program = compile(code, NAME, "exec", dont_inherit=True)
    try:
        exec(program, module.__dict__)  # noqa: S102 - what all the walls around are for
    except SystemExit as stop:
        if not (stop.code is None or stop.code == 0):
            raise
    return _finish()


def _finish() -> str:
    """Do what an interpreter does at its end: wait for threads, run exit hooks, flush."""
    # Not imported above: what it does at every fork would make all of them dearer.
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None and not stream.closed:
            stream.flush()
    return "0\tnull"
