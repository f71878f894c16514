"""A check script and the candidate it calls, each in a child of its own.

Neither child holds anything of the other: a call's arguments and its result cross as wire
values, through the judge. The script's child sends `C index payload` and waits for the answer;
it ends with `E status line 0 payload`. The candidate's child answers each call with a line as
in `child`, whose payload is a tuple: the result, the place of the argument that it is (or -1),
and the arguments where the call changed them.
"""

from __future__ import annotations

import io
import signal
import sys
import time
import types
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from . import child, decoder, encoder
from .stream import Sink

SCRIPT: Final = "check"
FILE: Final = "check.py"
_now, _getsignal = time.perf_counter_ns, signal.getsignal
MOST: Final = 1 << 20
"""Characters of one payload, as the wire has it."""


def serve(fd: int, job: dict[str, Any]) -> None:
    """Be the candidate: load the program, then answer calls until the judge hangs up."""
    reporter = child.Reporter(fd, at_once=True)
    watch = _begin(job)
    function = child.load_program(job, watch, reporter)
    reseed, index = child.reseeder(job), 0
    while function is not None:
        try:
            text = child.receive(fd)["call"]
        except (EOFError, ValueError, OSError):
            return
        if reseed:
            reseed()
        if _getsignal(signal.SIGALRM) != watch.tick:  # the program has set its own
            watch.start()
        started = _now()
        status, rest = child.guard(watch, partial(_answer, function, text))
        micros = (_now() - started) // 1000
        reporter.add(f"{index}\t{status}\t{micros}\t{rest}\n")
        index += 1


def _begin(job: dict[str, Any]) -> child.Watch:
    sys.stdout, sys.stderr, sys.stdin = Sink(), Sink(), io.StringIO("")
    watch = child.Watch(job["cpu"], job["wall"])
    watch.start()
    return watch


def _answer(function: Any, text: str) -> str:
    arguments, named = decoder.decode(text)
    result = function(*arguments, **named)
    place = next((i for i, argument in enumerate(arguments) if argument is result), -1)
    after = encoder.encode((arguments, named))
    changed = after if after != encoder.encode(decoder.decode(text)) else "null"
    payload = f'["t",{encoder.encode(result)},{place},{changed}]'
    if len(payload) > MOST:
        raise encoder.TooLargeError
    return f"0\t{payload}"


def script(fd: int, job: dict[str, Any]) -> None:
    """Be the script: run it, then whatever tests it defines, with a proxy for the candidate."""
    reporter = child.Reporter(fd, at_once=True)
    watch = _begin(job)
    module = types.ModuleType(SCRIPT)
    module.__file__ = FILE
    sys.modules[SCRIPT] = sys.modules["__main__"] = module
    sys.argv[:] = [FILE]  # `unittest.main()` reads it
    place = [0]
    proxy = _proxy(fd, job, reporter)
    status, rest = child.guard(watch, lambda: _located(place, module, job, proxy))
    reporter.add(f"E\t{status}\t{place[0]}\t{rest}\n")


def _located(
    place: list[int], module: types.ModuleType, job: dict[str, Any], proxy: Callable[..., Any]
) -> str:
    """Run the script; note the line of it at which it was left by an exception."""
    try:
        return _run(module, job, proxy)
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == FILE:
                place[0] = trace.tb_lineno
            trace = trace.tb_next
        raise


def _proxy(fd: int, job: dict[str, Any], reporter: child.Reporter) -> Callable[..., Any]:
    """Return a function that sends its call to the judge and gives back what it answers."""
    count = 0

    def proxy(*arguments: Any, **named: Any) -> Any:
        nonlocal count
        payload = encoder.encode((arguments, named))
        reporter.add(f"C\t{count}\t{payload}\n")
        count += 1
        answer = child.receive(fd)
        if "error" in answer:
            raise decoder.exception(answer["error"], answer["message"])
        result, place, after = decoder.decode(answer["value"])
        if after is not None:
            settle((arguments, named), after)
        return arguments[place] if place >= 0 else result

    proxy.__name__ = proxy.__qualname__ = job["entry"]
    return proxy


def _run(module: types.ModuleType, job: dict[str, Any], proxy: Callable[..., Any]) -> str:
    space = module.__dict__
    _execute(job["preamble"], "preamble.py", space)
    space[job["entry"]] = space["candidate"] = proxy
    for name in job["modules"]:
        sys.modules[name] = types.ModuleType(name)
        setattr(sys.modules[name], job["entry"], proxy)
    try:
        _execute(job["code"], FILE, space)
    except SystemExit as stop:  # `unittest.main()` ends so
        if stop.code is not None and stop.code is not False and stop.code != 0:
            raise AssertionError("the script ended itself") from None
    for name, wants in job["calls"]:
        space[name](*([proxy] if wants else []))
    if job["unittest"]:
        _run_cases(module)
    return "0\t-"


def _execute(source: str, name: str, space: dict[str, Any]) -> None:
    exec(compile(source, name, "exec", dont_inherit=True), space)  # noqa: S102 - see child


def _run_cases(module: types.ModuleType) -> None:
    import unittest  # noqa: PLC0415 - the judge asks for it to be loaded beforehand

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    wrong = [*result.failures, *result.errors]
    if wrong:
        case, trace = wrong[0]
        last = trace.strip().rpartition("\n")[2]
        told = f"{len(wrong)} of {result.testsRun} tests; {case}: {last}"
        raise AssertionError(told)
    if result.unexpectedSuccesses:
        raise AssertionError("a test that should fail does not")


def settle(old: Any, new: Any) -> bool:
    """Change *old* in place into *new*; tell whether it now equals it.

    What the script holds on to (the list it passed, a row of it) stays the same object.
    """
    step = next((step for kind, step in _SETTLE if isinstance(old, kind)), None)
    if type(old) is not type(new) or step is None:
        return type(old) is type(new) and bool(old == new)
    return step(old, new)


def _settle_list(old: Any, new: Any) -> bool:
    pairs = zip(old, new, strict=False)
    kept = [before if settle(before, after) else after for before, after in pairs]
    old[:] = kept + new[len(kept) :]
    return True


def _settle_tuple(old: Any, new: Any) -> bool:
    return len(old) == len(new) and all(list(map(settle, old, new)))


def _settle_dict(old: Any, new: Any) -> bool:
    kept = {
        key: old[key] if key in old and settle(old[key], new[key]) else new[key] for key in new
    }
    old.clear()
    old.update(kept)
    return True


def _settle_whole(old: Any, new: Any) -> bool:
    old.clear()
    (old.update if isinstance(old, set) else old.extend)(new)
    return True


_SETTLE: Final[tuple[tuple[Any, Callable[[Any, Any], bool]], ...]] = (
    (list, _settle_list),
    (tuple, _settle_tuple),
    (dict, _settle_dict),
    ((set, deque, bytearray), _settle_whole),
)


TASKS: Final = {"serve": serve, "script": script}
"""What a child can be told to do, besides `child.TASKS`."""
