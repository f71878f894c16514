"""One step of a session, with what is expected after it, as lines of a test."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from typing import Any

from consilience.values import Value

Lines = list[str]


def lines_of(step: str, expected: Value, *, shown: bool) -> Lines | None:
    """Write *step* and check what is *expected* of it; None where that cannot be written.

    *shown* tells whether the step is an expression, of which something is seen.
    """
    if expected.raised_class:
        return [f"with pytest.raises({expected.raised_class}):", *_indented(step)]
    if not shown:
        return step.split("\n")
    node = json.loads(expected.payload)
    if node is None:
        return step.split("\n")
    tag = node[0] if isinstance(node, list) else ""
    rule = _RULES.get(tag, _literal)
    return rule(step, node, expected)


def error_names(steps: tuple[Value, ...]) -> set[str]:
    """List the exceptions that are expected and are no builtins."""
    names = {step.raised_class for step in steps if step.raised_class}
    return {name for name in names if name and not hasattr(builtins, name)}


def _indented(step: str) -> Lines:
    return [f"    {line}" for line in step.split("\n")]


def _literal(step: str, _: Any, expected: Value) -> Lines | None:
    written = expected.literal()
    return None if written is None else [f"assert agree({step}, {written})"]


def _standard(step: str, node: Any, _: Value) -> Lines:
    return [f"assert str({step}) == {node[2]!r}"]


def _array(step: str, node: Any, _: Value) -> Lines | None:
    flat = Value.from_wire(json.dumps(["l", *node[3]])).literal()
    return (
        None
        if flat is None
        else [
            f"seen = {step}",
            f"assert list(seen.shape) == {node[2]!r}",
            f"assert agree(seen.ravel().tolist(), {flat})",
        ]
    )


def _shared(step: str, node: Any, _: Value) -> Lines | None:
    fields = [[json.dumps(name), value] for name, value in node[2:]]
    written = [(name, Value.from_wire(json.dumps(value)).literal()) for name, value in fields]
    if any(value is None for _, value in written):
        return None
    inside = ", ".join(f"{name}: {value}" for name, value in written)
    return [
        f"seen = {step}",
        f"assert type(seen).__name__ == {node[1]!r}",
        f"assert agree(vars(seen), {{{inside}}})",
    ]


def _printed(step: str, node: Any, _: Value) -> Lines:
    return [
        "capsys.readouterr()",
        f"seen = {step}",
        f"assert alike(capsys.readouterr().out, {node[1]!r})",
    ]


def _stated(step: str, node: Any, expected: Value) -> Lines | None:
    if not node[1].strip():
        return step.split("\n")
    written = expected.literal()
    check = f"shows(seen, capsys.readouterr().out, {node[1]!r})"
    if written is not None:
        check = f"agree(seen, {written}) or {check}"
    return ["capsys.readouterr()", f"seen = {step}", f"assert {check}"]


_RULES: dict[str, Callable[[str, Any, Value], Lines | None]] = {
    "v": _standard,
    "n": _array,
    "C": _shared,
    "P": _printed,
    "p": _printed,
    "W": _stated,
}
