"""Take the program out of a model's reply.

What counts as code is decided by parsing, what belongs to the program by names: the definition
of the entry point, then whatever it needs (helpers, imports, constants, decorators, settings)
from the same stretch of the reply, from other stretches, from the prompt. Demonstrations, tests
and main guards are left out, so loading the program does nothing but define it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from consilience.code.assembly import definition_of, is_stub, join, program, write
from consilience.code.completion import complete
from consilience.code.reply import clean, readings, stretches, without_thoughts
from consilience.code.search import Reading, read
from consilience.code.statements import Statement


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a reply held."""

    status: Literal["ok", "no_code", "no_entry_point"]
    code: str
    """A program that defines the entry point; without one, the code there was."""
    truncated: bool = False
    """The reply was cut off, by the token limit or within its last definition."""
    left_out: tuple[str, ...] = ()
    """First lines of statements that are not part of the program, and other omissions."""


def extract(
    reply: str, entry_point: str, prompt: str = "", *, truncated: bool = False
) -> Extraction:
    """Find the program that defines *entry_point* in *reply*.

    *prompt* is the code that the model was asked to complete, if it was code: a reply may
    consist of the body alone, or rely on what the prompt defines.
    """
    answer, thoughts = without_thoughts(clean(reply))
    found = readings(answer)
    chosen = _choose(found, entry_point)
    if chosen is None:
        # Without fences of its own, code may still hold some in its strings.
        others = [read(answer)] if len(found) > 1 else []
        chosen = _choose(others, entry_point) or complete(
            stretches(answer), entry_point, clean(prompt)
        )
        found = found if chosen is None else [chosen]
    notes = [f"thoughts of {len(thoughts)} characters"] if thoughts.strip() else []
    cut = truncated or found[-1].cut is not None
    if chosen is None:
        return _nothing(found, cut, notes, entry_point)
    kept = program(chosen, found, entry_point, read(clean(prompt)).statements)
    notes += [s.first_line for reading in found for s in reading.statements if s not in kept]
    return Extraction("ok", write(kept, chosen, entry_point), cut, tuple(notes))


def _nothing(
    found: Sequence[Reading], cut: bool, notes: list[str], entry_point: str
) -> Extraction:
    code = [s for reading in found for s in reading.statements if _is_code(s)]
    damaged = any(r.cut is not None and entry_point in r.cut.defines for r in found)
    if damaged:
        notes.append(f"{entry_point} is not whole")
    status: Literal["no_code", "no_entry_point"]
    status = "no_entry_point" if code or damaged else "no_code"
    return Extraction(status, join(code), cut, tuple(notes))


def _is_code(statement: Statement) -> bool:
    """Tell code from prose that happens to parse, such as one word or a label with a colon."""
    node = statement.node
    return not isinstance(node, ast.Expr | ast.AnnAssign) or isinstance(
        getattr(node, "value", None), ast.Call
    )


# --- which stretch


def _choose(found: Sequence[Reading], entry_point: str) -> Reading | None:
    """Prefer what parses as a whole, then what is more than a sketch, then what comes last."""
    best: tuple[tuple[bool, bool, int], Reading] | None = None
    for i, reading in enumerate(found):
        definition = definition_of(reading, entry_point)
        if definition is None:
            continue
        merit = (not is_stub(definition), reading.whole, i)
        if best is None or merit > best[0]:
            best = merit, reading
    return best[1] if best else None
