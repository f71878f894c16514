"""Take a script out of a reply: a program that is run as a whole, so all of it counts."""

from __future__ import annotations

import ast

from consilience.code.assembly import join
from consilience.code.reply import clean, readings, without_thoughts
from consilience.code.search import Reading


def script_in(reply: str) -> str:
    """Find the program in *reply*: what parses whole and reads or prints, the last and longest.

    Gives the reply itself where it holds no code, to fail.
    """
    answer, _ = without_thoughts(clean(reply))
    best: tuple[tuple[bool, bool, int], Reading] | None = None
    for reading in readings(answer):
        merit = (_acts(reading), reading.whole, len(join(reading.statements)))
        if reading.statements and (best is None or merit >= best[0]):
            best = merit, reading
    if best is None or not best[0][0]:
        return reply
    chosen = best[1]
    return chosen.text if chosen.whole else join(chosen.statements)


def _acts(reading: Reading) -> bool:
    """Tell a program from prose that happens to parse: it calls something."""
    return any(
        isinstance(node, ast.Call) for s in reading.statements for node in ast.walk(s.node)
    )
