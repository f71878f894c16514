"""Whether anything was seen at all: without that there is no winner, no trust and no agreement.

Programs that fail alike agree on nothing. Where no candidate gave anything back on any probe,
the verdict says so, with the commonest cause and what to do about it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from consilience.code.parsing import parse
from consilience.interfaces.registry import interface
from consilience.sandbox import Outcome
from consilience.task import Candidate, Task

Row = Sequence[Outcome]
"""What one candidate did on every probe."""


def returned(row: Iterable[Outcome]) -> bool:
    """Tell whether a candidate gave anything back on any probe."""
    return any(outcome.ok for outcome in row)


def why_unjudged(task: Task, candidates: Sequence[Candidate], rows: Sequence[Row]) -> str:
    """Say in a sentence why nothing is known; empty where some candidate gave something back.

    *rows* holds what each candidate did on every probe that was tried, usable or not.
    """
    if any(map(returned, rows)):
        return ""
    outcomes = [outcome for row in rows for outcome in row]
    if not outcomes:
        return f"Nothing was run: {_nothing_to_run(task)}."
    commonest, _ = Counter((each.status, each.error) for each in outcomes).most_common(1)[0]
    example = next(each for each in outcomes if (each.status, each.error) == commonest)
    failing = sum(any(each.status == example.status for each in row) for row in rows)
    who = _who(failing, len(candidates))
    return _SAID.get(example.status, _other)(task, candidates, example, who)


def _nothing_to_run(task: Task) -> str:
    if task.examples:
        return "no input could be made of the examples"
    return (
        "the task states no example, and no input could be made without one; "
        "add one, or name a model that writes them"
    )


def _who(failing: int, count: int) -> str:
    if count == 1:
        return "the only candidate"
    if failing == count:
        return "both candidates" if count == 2 else f"all {count} candidates"
    return f"{failing} of {count} candidates"


Said = Callable[[Task, Sequence[Candidate], Outcome, str], str]


def _undefined(task: Task, candidates: Sequence[Candidate], _: Outcome, __: str) -> str:
    title = interface(task).title(task)
    found = sorted({name for each in candidates for name in _defined(each.code)})
    shown = ", ".join(f"`{name}`" for name in found[:4]) + ("..." if len(found) > 4 else "")
    defined = f"they define {shown}" if found else "they define nothing"
    return f"No candidate defines `{title}`: {defined}. Name what is meant with --entry-point."


def _defined(code: str) -> list[str]:
    tree = parse(code)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return [node.name for node in tree.body if isinstance(node, kinds)] if tree else []


def _context(task: Task, _: Sequence[Candidate], example: Outcome, __: str) -> str:
    title = interface(task).title(task)
    return (
        f"The code around `{title}` does not load: {_error(example)}. {_hint(example)}".rstrip()
    )


def _raised(_: Task, __: Sequence[Candidate], example: Outcome, who: str) -> str:
    told = f"Nothing came back: {who} raised {_error(example)}."
    return f"{told} {_hint(example)}".rstrip()


def _unloaded(_: Task, __: Sequence[Candidate], example: Outcome, who: str) -> str:
    told = f"Nothing ran: {who} failed to load, {_error(example)}."
    return f"{told} {_hint(example)}".rstrip()


def _late(_: Task, __: Sequence[Candidate], ___: Outcome, who: str) -> str:
    return f"Nothing came back: {who} ran out of time. Allow more with --cpu-seconds."


def _other(_: Task, __: Sequence[Candidate], example: Outcome, who: str) -> str:
    more = f" ({example.message})" if example.message else ""
    return f"Nothing came back: {who} {_ENDS.get(example.status, 'did not end well')}{more}."


def _error(outcome: Outcome) -> str:
    message = f": {outcome.message}" if outcome.message else ""
    return f"{outcome.error or outcome.status}{message}"


def _hint(outcome: Outcome) -> str:
    if outcome.error in {"ModuleNotFoundError", "ImportError"}:
        return "Is it a package of your own or of your environment? --project, --python."
    if outcome.error == "NameError":
        return "Is it defined in another file? --project; or put it into the task's file."
    return ""


_SAID: dict[str, Said] = {
    "no_entry_point": _undefined,
    "context": _context,
    "raised": _raised,
    "load_raised": _unloaded,
    "timeout": _late,
    "skipped": _late,
    "load_timeout": _late,
}
_ENDS = {
    "too_large": "gave back more than is read",
    "memory": "ran out of memory",
    "load_memory": "ran out of memory",
    "exit": "ended the interpreter",
    "crash": "crashed",
    "load_crash": "crashed while loading",
    "infrastructure": "could not be run: a fault of the sandbox",
    "ok": "gave nothing that can be compared",
}
