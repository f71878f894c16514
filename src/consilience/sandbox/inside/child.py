"""One program, in one forked child: load it once, call it on every input, report line by line.

A line is `index TAB status TAB micros TAB mutated TAB payload`; a load line starts with L, the
closing line with D. The candidate shares this process, so whatever these lines say is only its
own claim about itself: the judge takes them as data, checks their form and never believes a
verdict.
"""

from __future__ import annotations

import gc
import io
import marshal
import os
import resource
import signal
import sys
import time
import types
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from . import classes, encoder, selftest, session
from .confinement import THREADS, lower_limit
from .stream import Sink

TICK: Final = 0.02
"""Seconds between two looks at the clock; a call may overrun its limit by this much."""
GRACE: Final = 0.25
"""CPU seconds that a call gets to obey a time-out before it is killed."""
FLUSH: Final = 0.05
CHUNK: Final = 1 << 16
MODULE: Final = "candidate"
MISSING: Final = object()


class CallTimeout(BaseException):
    """Raised inside a candidate's call when its time is over."""


class Watch:
    """Ends a call that uses too much time, at no cost to the calls themselves.

    One periodic signal looks whether the call it saw last is still running; only the call
    counter is touched by a call. A call that swallows the exception, or sits in C code where no
    handler can run, is ended by the profiling timer, whose signal the kernel itself makes
    fatal.
    """

    __slots__ = (
        "active",
        "call",
        "cpu",
        "cpu_limit",
        "seen",
        "since_cpu",
        "since_wall",
        "wall",
        "wall_limit",
    )

    def __init__(self, cpu_limit: float, wall_limit: float) -> None:
        self.cpu_limit, self.wall_limit = cpu_limit, wall_limit
        self.cpu, self.wall = time.process_time, time.monotonic
        self.active = False
        self.call = 0
        self.seen = -1
        self.since_cpu = self.since_wall = 0.0

    def tick(self, _signal: int, _frame: types.FrameType | None) -> None:
        """Note a new call, or end the one that has had its time."""
        if self.seen != self.call:
            # In this order: on a busy machine the next tick may come in between, and one that
            # found the call seen but its start not yet noted would end it at once.
            self.since_cpu, self.since_wall = self.cpu(), self.wall()
            self.seen = self.call
            _setitimer(_PROF, self.cpu_limit + GRACE + TICK)
        elif self.active:
            cpu, wall = self.cpu() - self.since_cpu, self.wall() - self.since_wall
            if cpu > self.cpu_limit or wall > self.wall_limit:
                if cpu > self.cpu_limit + GRACE or wall > self.wall_limit + GRACE:
                    _die()
                raise CallTimeout

    def start(self) -> None:
        """Set both timers and their handlers, whatever the program has done to them."""
        _signal(_SIGPROF, signal.SIG_DFL)
        _signal(_SIGALRM, self.tick)
        _setitimer(_REAL, TICK, TICK)
        _setitimer(_PROF, self.cpu_limit + GRACE + TICK)


# Bound once, so that a candidate that rebinds them in their modules only fools itself.
_signal, _getsignal, _setitimer = signal.signal, signal.getsignal, signal.setitimer
_raise_signal = signal.raise_signal
_SIGALRM, _SIGPROF = signal.SIGALRM, signal.SIGPROF
_REAL, _PROF = signal.ITIMER_REAL, signal.ITIMER_PROF
_loads, _write = marshal.loads, os.write  # noqa: S302 - from the judge, never from a program
_now, _monotonic = time.perf_counter_ns, time.monotonic
now = _now


def _die() -> None:
    _signal(_SIGPROF, signal.SIG_DFL)
    _raise_signal(_SIGPROF)


class Reporter:
    """Sends lines to the judge: in batches, or each at once where blame has to be exact."""

    __slots__ = ("_at_once", "_fd", "_flushed", "_lines")

    def __init__(self, fd: int, *, at_once: bool) -> None:
        self._fd, self._at_once = fd, at_once
        self._lines: list[str] = []
        self._flushed = _monotonic()

    def add(self, line: str) -> None:
        """Take a line; send what has gathered when it is time."""
        self._lines.append(line)
        if self._at_once or _monotonic() - self._flushed > FLUSH:
            self.flush()

    def flush(self) -> None:
        """Send all lines that wait."""
        data = "".join(self._lines).encode("ascii", "replace")
        self._lines.clear()
        while data:
            data = data[_write(self._fd, data) :]
        self._flushed = _monotonic()


def receive(fd: int) -> dict[str, Any]:
    """Read the job: eight digits of hexadecimal length, then the marshalled fields."""
    data = os.read(fd, CHUNK)
    size = int(data[:8], 16) + 8
    parts, have = [data], len(data)
    while have < size:
        part = os.read(fd, CHUNK)
        if not part:
            raise EOFError("the judge hung up")
        parts.append(part)
        have += len(part)
    job: dict[str, Any] = _loads(b"".join(parts)[8:])
    return job


def limit(job: dict[str, Any], base_memory: int, *, threads: bool) -> None:
    """Set the limits that differ from job to job; *base_memory* is what the worker holds."""
    if job["memory"]:
        lower_limit(resource.RLIMIT_AS, base_memory + job["memory"])
    lower_limit(resource.RLIMIT_CPU, job["cpu_total"])
    if threads:
        lower_limit(resource.RLIMIT_NPROC, THREADS)


def run(fd: int, job: dict[str, Any]) -> None:
    """Do the job, sealed off."""
    gc.enable()
    TASKS[job["task"]](fd, job)


# Made once in the worker: every child has its own copy.
STREAMS = (Sink(), Sink(), io.StringIO(""))
REHEARSAL = """
from typing import List
import math
class Pair:
    def __init__(self, left): self.left = left
    def both(self): return [item * self.left for item in range(3)]
def helper(first, second=2, *rest, **named):
    return first + second
def f(items, count):
    found = []
    for place, item in enumerate(sorted(items)):
        if item % 2 == 0 and place > 0: found.append(item * helper(1))
        elif item < 0: continue
        else: found.append(str(item).upper().split(","))
    known, seen = {key: len(str(key)) for key in items}, set(items) | {1}
    while count > 0: count -= 1
    try: last = items[10]
    except IndexError: last = None
    text = " ".join(map(str, items))
    return found, known, seen, Pair(3).both(), text, last, max(items), sum(items) / 2, True
"""


def rehearse(times: int = 20) -> None:
    """Run a sample program in the worker itself, so that its children find everything warm.

    The interpreter specialises code and fills caches as it runs; what is written before the
    fork is shared by the children, what is written after it costs each of them a copied page.
    """
    nowhere = os.open("/dev/null", os.O_WRONLY)
    blobs = [marshal.dumps(([3, 1, 2], 3), 2)] * 3
    job = {"code": REHEARSAL, "entry": "f", "inputs": blobs, "start": 0, "stop": 3, "seed": 0}
    job |= {"cpu": 60.0, "wall": 60.0, "at_once": False}
    job |= {"context": "", "raises": [], "prints": False, "patience": 1}
    streams, profile = (sys.stdin, sys.stdout, sys.stderr), signal.getsignal(_SIGPROF)
    for _ in range(times):
        execute(nowhere, job)
    _setitimer(_REAL, 0)
    _setitimer(_PROF, 0)
    _signal(_SIGALRM, signal.SIG_DFL)
    _signal(_SIGPROF, profile)
    sys.stdin, sys.stdout, sys.stderr = streams
    STREAMS[0].count = STREAMS[1].count = 0
    del sys.modules[MODULE]
    os.close(nowhere)


def execute(fd: int, job: dict[str, Any]) -> None:
    """Load the program and call it on every input from `start` to `stop`."""
    reporter = Reporter(fd, at_once=job["at_once"])
    watch = Watch(job["cpu"], job["wall"])
    sys.stdout = sink = Sink()
    sys.stderr = Sink()
    sys.stdin = stdin = io.StringIO("")
    gc.enable()
    watch.start()
    classes.SPOKEN.update(job["raises"])
    function = load_program(job, watch, reporter)
    if function is None:
        reporter.flush()
        return
    _call_all(job, partial(_call, function, sink, job["prints"]), watch, reporter, stdin)
    reporter.add(f"D\t{sink.count}\n")
    reporter.flush()


def _call_all(
    job: dict[str, Any],
    call: Callable[[bytes], str],
    watch: Watch,
    reporter: Reporter,
    stdin: io.StringIO,
) -> None:
    """Call on every input, and report each; a program that is late again and again is left."""
    reseed, inputs, tick, late = reseeder(job), job["inputs"], watch.tick, 0
    for index in range(job["start"], job["stop"]):
        if sys.stdin is not stdin or stdin.closed:
            sys.stdin = stdin = io.StringIO("")
        if reseed:
            reseed()
        if _getsignal(_SIGALRM) != tick:
            watch.start()
        started = _now()
        status, rest = guard(watch, partial(call, inputs[index]))
        micros = (_now() - started) // 1000
        reporter.add(f"{index}\t{status}\t{micros}\t{rest}\n")
        late += status == "timeout"
        if late >= job["patience"]:
            for left in range(index + 1, job["stop"]):
                reporter.add(f"{left}\tskipped\t0\t0\t-\n")
            return


def load_program(job: dict[str, Any], watch: Watch, reporter: Reporter) -> Any:
    """Load what is around the program, then the program; return what its calls go to.

    None where that failed; the reporter has been told how.
    """
    module = types.ModuleType(MODULE)
    module.__file__ = f"{MODULE}.py"
    sys.modules[MODULE] = module
    found: list[Any] = []

    def load() -> str:
        _run_source(job["code"], module, f"{MODULE}.py")
        found.append(_find(module.__dict__, job["entry"]))
        return "0\t-"

    watch.cpu_limit += 1.0
    status, rest = "ok", "0\t-"
    context = job.get("context", "")
    if context:
        status, rest = guard(watch, partial(_load_context, context, module))
        status = status if status == "ok" else "context"
    if status == "ok":
        known = frozenset(module.__dict__) if context else frozenset[str]()
        status, rest = guard(watch, load)
        if context:
            session.share(module.__dict__, known)
    watch.cpu_limit -= 1.0
    if status == "ok" and found[0] is MISSING:
        status = "no_entry_point"
    reporter.add(f"L\t{status}\t{rest}\n")
    return found[0] if status == "ok" else None


def _load_context(source: str, module: types.ModuleType) -> str:
    _run_source(source, module, "context.py")
    return "0\t-"


def _run_source(source: str, module: types.ModuleType, name: str) -> None:
    # What the user's file says of annotations holds for what is written into it.
    postponed = module.__dict__.get("annotations") is annotations
    flags = annotations.compiler_flag if postponed else 0
    program = compile(source, name, "exec", flags, dont_inherit=True)
    exec(program, module.__dict__)  # noqa: S102 - what all the walls around are for


def _find(space: dict[str, Any], entry: str) -> Any:
    """Find what *entry* names: a function or class, or a method of objects yet to be made."""
    owner, _, name = entry.partition(".")
    found = space.get(owner, MISSING)
    if found is MISSING or not name:
        return found
    if not classes.has(type(found), type):
        return MISSING
    if not any(name in classes.namespace(base) for base in classes.mro(found)):
        return MISSING

    def fresh(*arguments: Any) -> Any:
        return getattr(found(), name)(*arguments)

    return fresh


def reseeder(job: dict[str, Any]) -> Callable[[], None] | None:
    """Return what makes the random generators start anew, None where the program uses none."""
    if "random" not in job["code"]:
        return None
    numpy, seed = sys.modules.get("numpy"), job["seed"]
    seeds = [sys.modules["random"].seed, *([numpy.random.seed] if numpy else [])]

    def reseed() -> None:
        for start in seeds:
            start(seed)

    return reseed


def _call(function: Any, sink: Sink, prints: bool, blob: bytes) -> str:
    arguments = _loads(blob)
    if type(arguments) is list:  # lines, not arguments
        space = sys.modules[MODULE].__dict__
        return f"0\t{session.drive(space, arguments, sink, prints=prints)}"
    sink.begin()
    result = function(*arguments)
    changed = _changed(_loads(blob), arguments)
    if result is None and changed:
        result = arguments
    if result is None or prints:
        return f"{changed:d}\t{session.shown(result, sink, prints=prints)}"
    return f"{changed:d}\t{encoder.encode(result)}"


def _changed(before: Any, after: Any) -> bool:
    # A NaN makes equal arguments unequal, so the first no is only a suspicion.
    return bool(before != after) and encoder.encode(before) != encoder.encode(after)


def guard(watch: Watch, step: Callable[[], str]) -> tuple[str, str]:
    """Run *step* under the watch; return its status and the rest of its line."""
    try:
        return _guarded(watch, step)
    except CallTimeout:
        return "timeout", "0\t-"
    except BaseException:
        watch.active = False
        return "tampered", "0\t-"


def _guarded(watch: Watch, step: Callable[[], str]) -> tuple[str, str]:
    try:
        watch.call += 1
        watch.active = True
        rest = step()
        watch.active = False
    except CallTimeout:
        watch.active = False
        return "timeout", "0\t-"
    except MemoryError:
        watch.active = False
        return "memory", "0\t-"
    except encoder.TooLargeError:
        watch.active = False
        return "too_large", "0\t-"
    except BaseException as error:
        watch.active = False
        status = "exit" if classes.has(type(error), SystemExit) else "raised"
        return status, "0\t" + _describe(error)
    return "ok", rest


_arguments = BaseException.__dict__["args"].__get__


def _describe(error: BaseException) -> str:
    """Return [builtin class, first argument] where that argument is an exact string."""
    arguments = _arguments(error)
    first = arguments[0] if arguments else ""
    message = first[:200] if type(first) is str else ""
    return encoder.dump_strings([classes.exception_name(type(error)), message])


TASKS: dict[str, Callable[[int, dict[str, Any]], None]] = {
    "execute": execute,
    "selftest": selftest.run,
}
"""What a child can be told to do; the worker adds what `conversation` has."""
