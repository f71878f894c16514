"""A task of one's own as a prompt in text or Markdown."""

from __future__ import annotations

import re
from pathlib import Path

from consilience.code.printed_samples import printed_samples
from consilience.errors import InputError
from consilience.formats.shaped import method_in, shape_of, task_of
from consilience.task import Shape, Task

_NAMED = re.compile(r"\bdef\s+(\w+)\s*\(|`(\w+)\(")


def read_text(
    path: Path, text: str, entry_point: str | None = None, shape: Shape | None = None
) -> Task:
    """Make a task of a prompt in plain text; the function's name may stand in it as code.

    Sample inputs and outputs, with no function named, are those of a script.
    """
    if not text.strip():
        message = f"{path.name}: is empty."
        raise InputError(message, hint="Write what the program should do.")
    name = entry_point
    if name is None and shape in {None, "function"}:
        name = _named(path, text, may_be_script=shape is None)
    name = name or ""
    try:
        return task_of(path.stem, text, name, shape or shape_of(text, name))
    except InputError as error:
        message = f"{path.name}: {error}"
        raise InputError(message, hint=error.hint) from None


def _named(path: Path, text: str, *, may_be_script: bool) -> str:
    """Find the only function that *text* names; nothing where it is a script's statement."""
    starter = method_in(text)
    if starter and may_be_script:
        return starter if starter.startswith("Solution.") else starter.partition(".")[0]
    names: set[str] = {name for pair in _NAMED.findall(text) for name in pair if name}
    if len(names) == 1:
        return names.pop()
    if may_be_script and not names and printed_samples(text):
        return ""
    found = f"It mentions: {', '.join(sorted(names))}." if names else ""
    hint = "Name it with --entry-point; a program that reads standard input: --shape stdin."
    message = f"{path.name}: which function is to be written?"
    raise InputError(message, hint=f"{hint} {found}".strip())
