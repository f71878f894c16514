"""Lines of Python beside a program, as at a prompt: what each of them shows.

The judge has parsed and checked the lines; they are run here alone. What is seen of a step is
the value it gives, else what it printed, else nothing. Of an exception its class is seen where
the task speaks of it, and otherwise only that there was one: programs that are right differ in
which. Ending the session there was tried: with the steps behind it a fifth of the wrong classes
went unseen.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from . import classes, encoder
from .stream import Sink

NOTHING: Final = "null"
ACCIDENTS: Final = frozenset({
    "AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "NotImplementedError",
    "RecursionError", "SyntaxError", "TypeError", "UnboundLocalError",
})  # fmt: skip
"""Exceptions that say "no such program": they end a session, as they end a call."""
REFUSED: Final = "Exception"
"""What is seen of an exception that the task does not speak of: that there was one."""

Step = tuple[str, str]
"""How a line is compiled, `eval` or `exec`, and the line."""


def share(space: dict[str, Any], names: frozenset[str]) -> None:
    """Note the classes that *space* holds under *names*: all programs of the task have them."""
    classes.SHARED.clear()
    for name in names:
        kind: Any = space.get(name)
        if classes.has(type(kind), type) and _is_own(kind):
            classes.SHARED[id(kind)] = name


def _is_own(kind: type) -> bool:
    """Tell a class of the user's from one of the standard library."""
    return classes.names(kind)[0].partition(".")[0] not in sys.stdlib_module_names


def drive(space: dict[str, Any], steps: list[Step], sink: Sink, *, prints: bool) -> str:
    """Run the *steps* beside the program in *space*; return what was seen, a node a step.

    A single step that raises lets the exception through: the call itself is what failed.
    """
    names = dict(space)
    seen = [_step(names, step, sink, prints=prints, alone=len(steps) == 1) for step in steps]
    payload = seen[0] if len(seen) == 1 else f'["O",{",".join(seen)}]'
    return encoder.bounded(payload, "session")


def _step(names: dict[str, Any], step: Step, sink: Sink, *, prints: bool, alone: bool) -> str:
    mode, text = step
    sink.begin()
    try:
        code = compile(text, "<probe>", mode, dont_inherit=True)
        value = eval(code, names)  # noqa: S307 - what all the walls around are for
    except Exception as error:
        name = classes.exception_name(type(error))
        spoken = name in classes.SPOKEN
        if alone or (name in ACCIDENTS and not spoken):
            raise
        return encoder.dump(["!", name if spoken else REFUSED])
    return shown(value, sink, prints=prints) if mode == "eval" else printed(sink)


def shown(value: Any, sink: Sink, *, prints: bool) -> str:
    """Return what is seen of a *value*: itself, with what was printed where that counts."""
    if value is None:
        return printed(sink)
    payload = encoder.encode(value)
    if prints and sink.text:
        return f'["P",{encoder.dump(sink.text)},{payload}]'
    return payload


def printed(sink: Sink) -> str:
    """Return what was printed, or nothing."""
    text = sink.text
    return encoder.dump(["P", text]) if text else NOTHING
