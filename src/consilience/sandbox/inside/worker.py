"""The worker: a fresh interpreter that confines itself, preloads, then forks a child a program.

It stays single-threaded and never sees a job: each comes as a socket that the child reads. On
the control socket the judge sends `J` with a job's socket, `K` to kill the running child, `C`
to ask for its CPU time; the worker answers `X status cpu maxrss` when a child has ended, `C
seconds` when asked, `H why` when a child could not be made ready. End of file means that the
judge is gone, so the worker and its child go too.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import site
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from . import heap

# Before what the children run is imported, so that it lies together, and once more before they
# are forked.
HOLES = heap.fill_holes()

from . import child, confinement, conversation, kernel, script, seccomp  # noqa: E402

# What programs commonly import. Each module makes every fork dearer (about 25 microseconds), so
# a rare one is better imported by the program that wants it.
PRELOAD = (
    *("bisect", "cmath", "collections", "copy", "datetime", "functools", "heapq", "itertools"),
    *("math", "operator", "random", "re", "string", "time", "typing", "warnings"),
)
ENVIRONMENT = {
    "HOME": "/tmp",  # noqa: S108 - an empty read-only folder inside
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PATH": "/nonexistent",
}


def main(fd: int) -> None:
    """Become a worker that is driven over the socket *fd*."""
    control = socket.socket(fileno=fd)
    settings = json.loads(control.recv(1 << 20))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        worker = prepare(settings)
    except confinement.NamespaceError as error:
        control.send(json.dumps({"reports": [["namespaces", False, str(error)]]}).encode())
        os._exit(3)
    control.send(json.dumps(worker.hello).encode())
    worker.serve(control)


def prepare(settings: dict[str, Any]) -> Worker:
    """Confine this process, preload what programs import, put the system-call filter on."""
    wanted, packages = settings["layers"], settings["packages"]
    sys.path.extend(packages)
    own, roots, scratch = settings["visible"], settings["roots"], settings["scratch_mb"]
    readable = confinement.readable_paths([*packages, *own])
    reports, statm = confinement.confine(wanted, readable, scratch, own=own, roots=roots)
    _preload([*PRELOAD, *settings["preload"]])
    reports += _filter(wanted, writing=scratch > 0)
    gc.collect()
    HOLES.extend(heap.fill_holes())
    worker = Worker(reports, wanted, statm, scratch=scratch > 0)
    sys.path[:0] = roots  # last, so that nothing of the user's is imported but by programs
    child.TASKS.update({**conversation.TASKS, "stdin": script.run})
    gc.collect()
    gc.freeze()
    gc.disable()
    return worker


class Worker:
    """The confined process, ready to fork."""

    def __init__(
        self,
        reports: list[confinement.Report],
        wanted: Sequence[str],
        statm: int,
        *,
        scratch: bool,
    ) -> None:
        self._limit_threads = confinement.own_processes(reports)
        # As first process of its own pid namespace it takes its children with it when it dies.
        self._alone = any(name == "namespaces" and granted for name, granted, _ in reports)
        self._memory = _address_space(statm)
        self._seal = _make_seal(wanted)
        # Without a filter a program can fork: its whole process group has to be ended.
        self._end = os.kill if "seccomp" in wanted else os.killpg
        self._scratch = scratch
        self.hello = {"reports": reports, "pid": os.getpid(), "python": sys.version.split()[0]}

    def serve(self, control: socket.socket) -> None:
        """Run one job after the other until the judge hangs up."""
        poller = select.poll()
        poller.register(control, select.POLLIN)
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, 64, 3)
            if not message:
                os._exit(0)
            if message != b"J":
                continue
            pid = self._fork(control, *descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            self._supervise(control, poller, pid)
            if self._scratch:
                _empty(confinement.SCRATCH)

    def _fork(self, control: socket.socket, fd: int, *streams: int) -> int:
        """Fork a child for the job on *fd*; a script gets its standard *streams* besides."""
        pid = os.fork()
        if pid:
            return pid
        try:
            if not self._alone:
                kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            job = child.receive(fd)
            script.adopt(streams)
            child.limit(job, self._memory, threads=self._limit_threads)
            self._seal()
        except BaseException as error:
            # Only the harness has run so far, so this may be told where it is believed.
            control.send(b"H " + ascii(error).encode()[:200])
            os._exit(1)
        control.close()
        try:
            child.run(fd, job)
        finally:
            os._exit(0)

    def _supervise(self, control: socket.socket, poller: select.poll, pid: int) -> None:
        """Wait for the child, doing what the judge asks meanwhile, and report its end."""
        handle = os.pidfd_open(pid)
        poller.register(handle, select.POLLIN)
        while not any(ready == handle for ready, _ in poller.poll()):
            message = control.recv(64)
            if message == b"C":
                control.send(b"C %f" % _cpu_seconds(pid))
            else:
                self._kill(pid)
            if not message:
                os._exit(0)
        poller.unregister(handle)
        os.close(handle)
        if self._end is os.killpg:
            self._kill(pid)
        _, status, usage = os.wait4(pid, 0)
        cpu = usage.ru_utime + usage.ru_stime
        control.send(b"X %d %f %d" % (status, cpu, usage.ru_maxrss))

    def _kill(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._end(pid, signal.SIGKILL)


def _empty(folder: str) -> None:
    """Delete what a program left in its scratch folder; it cannot have closed it to us."""
    device = os.stat(folder).st_dev
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.stat(follow_symlinks=False).st_dev != device:
                continue  # an environment that lies in /tmp, shown read-only
            _empty(entry.path)
            with contextlib.suppress(OSError):  # it holds such a one
                os.rmdir(entry.path)
        else:
            os.unlink(entry.path)


def _cpu_seconds(pid: int) -> float:
    # The kernel's own numbering of another process' CPU clock (clock_getcpuclockid).
    return time.clock_gettime((~pid << 3) | 2)


def _preload(modules: Sequence[str]) -> None:
    os.environ.clear()
    os.environ.update(ENVIRONMENT)
    # A reseeded generator in each child would cost time and make programs irreproducible.
    register, os.register_at_fork = os.register_at_fork, lambda **_: None
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    os.register_at_fork = register
    child.rehearse()
    # Names that programs expect among the builtins, which only `site` sets.
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for name in [name for name in sys.modules if name.split(".")[0] == __package__]:
        del sys.modules[name]


def _filter(wanted: Sequence[str], *, writing: bool) -> list[confinement.Report]:
    if "seccomp" not in wanted:
        return []
    try:
        seccomp.worker_filter(writing=writing).install()
    except (OSError, KeyError) as error:
        return [("seccomp", False, str(error))]
    return [("seccomp", True, "allow-list of system calls")]


def _make_seal(wanted: Sequence[str]) -> Callable[[], None]:
    if "seccomp" not in wanted:
        return os.setsid
    tightening = seccomp.child_filter()
    return lambda: tightening.install(os.getpid())


def _address_space(statm: int) -> int:
    """Return the bytes of address space in use, which every child inherits."""
    if statm < 0:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    pages = int(os.pread(statm, 64, 0).split()[0])
    os.close(statm)
    return pages * resource.getpagesize()
