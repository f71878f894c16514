"""Say what is wrong with a command line, as a person would, and where to read on."""

from __future__ import annotations

from cyclopts import CycloptsError, MissingArgumentError
from cyclopts.exceptions import UnusedCliTokensError


def misuse(error: CycloptsError) -> tuple[str, str]:
    """Return one sentence and a hint."""
    verb = " ".join(["consilience", *(error.command_chain or ())])
    return _told(error, verb), f"See {verb} --help."


def _told(error: CycloptsError, verb: str) -> str:
    if isinstance(error, UnusedCliTokensError):
        words = ", ".join(f'"{word}"' for word in error.unused_tokens or ())
        return f"{verb} does not know what to do with {words}."
    if isinstance(error, MissingArgumentError) and error.argument and error.keyword is None:
        return f"{verb} needs {error.argument.name}."
    return f"{error}"
