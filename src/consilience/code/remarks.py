"""What a task says, in passing, about how its answers are to be seen and compared."""

from __future__ import annotations

import builtins
import re

_EXCEPTIONS = frozenset(
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
)
_TRACEBACK = re.compile(
    r"^[ \t]*Traceback \(most recent call last\):[ \t]*\n"
    r"(?:[ \t]*\n|[ \t]+.*\n|[ \t]*\.\.\.\n)*?"
    r"[ \t]*(?P<name>[A-Za-z_][\w.]*)[ \t]*(?::|$)",
    re.MULTILINE,
)
_SAID = re.compile(
    r"(?::raises?:?|:exception:?|@raises?|\braise[sd]?\b|\braising\b|\bthrow[sn]?\b|\bthrowing\b)"
    r"\W{0,3}(?:an?\W{1,3}|the\W{1,3})?(?P<names>[A-Za-z_][\w.]*"
    r"(?:(?:\W{1,4}or\W{1,4}(?:an?\W{1,3})?|\W{0,2},\W{1,2}|\W{0,2}/\W{0,2})[A-Z][\w.]*)*)",
    re.IGNORECASE,
)
# The heading of numpy and of Google, with the classes on the lines below.
_HEADING = re.compile(
    r"^(?P<indent>[ \t]*)Raises:?[ \t]*\n(?:[ \t]*-{3,}[ \t]*\n)?"
    r"(?P<lines>(?:(?P=indent)[ \t]*\S.*\n?)+)",
    re.MULTILINE,
)
_CLASS = re.compile(r"\b(?:[a-z_]\w*\.)*([A-Z]\w*)\b")
_PRINTING = re.compile(
    r"\bprint(?:s|ed|ing)?\b(?!ab)|\b(?:standard output|stdout)\b"
    r"|\bto the (?:console|screen)\b",
    re.IGNORECASE,
)
_FILES = re.compile(
    r"\b(?:files?|filenames?|folders?|directory|directories|database|sqlite3?|tempfile|pathlib)\b"
    r"|\bopen\(|\bPath\(",
    re.IGNORECASE,
)
_NO_PRINTING = re.compile(r"\b(?:not|n't|never|without|instead of) print", re.IGNORECASE)
_SMALL = (
    r"(?:1?e-\d+|1?[ ]?(?:\\times|\\cdot|x|\xd7)?[ ]?10[ ]?(?:\^|\*\*)[ ]?\{?\(?"
    r"[-\u2212\u2013]\d+|0\.0+1\b)"
)
_ROUGHLY = re.compile(
    r"\b(?:absolute|relative)\b.{0,40}\berror\b"
    r"|\berror\b.{0,60}" + _SMALL + r"|\bwithin\b.{0,60}" + _SMALL
    + r"|\b(?:precision|tolerance|accuracy)\b.{0,30}" + _SMALL,
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_ANY_CASE = re.compile(
    r"\bin any (?:letter )?case\b|\bany case \(|\bcase[- ]insensitive(?:ly)?\b"
    r"|\b(?:upper|lower)[- ]?case (?:or|and) (?:upper|lower)[- ]?case (?:are|is|will be) "
    r"(?:both )?(?:accepted|allowed|fine)\b|\b(?:regardless|irrespective) of (?:the )?case\b",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"\b(?:print|output|answer|display|accept|judge|letter)", re.IGNORECASE)


def speaks_of_exceptions(text: str) -> tuple[str, ...]:
    """List the classes that *text* says are raised, sorted: by a traceback, or in words."""
    found = {match["name"].rpartition(".")[2] for match in _TRACEBACK.finditer(text)}
    for match in _SAID.finditer(text):
        found |= {name for name in _CLASS.findall(match["names"]) if _is_exception(name)}
    for match in _HEADING.finditer(text):
        starts = (
            _CLASS.match(line.strip().lstrip("-*` ")) for line in match["lines"].split("\n")
        )
        found |= {start[1] for start in starts if start and _is_exception(start[1])}
    return tuple(sorted(name for name in found if _is_exception(name)))


def _is_exception(name: str) -> bool:
    return name in _EXCEPTIONS or bool(re.search(r"[a-z](?:Error|Exception|Warning)$", name))


def speaks_of_printing(text: str) -> bool:
    """Tell whether *text* asks for something to be printed."""
    return bool(_PRINTING.search(_NO_PRINTING.sub("", text)))


def speaks_of_files(text: str) -> bool:
    """Tell whether *text* asks for files to be written, or has code that does."""
    return bool(_FILES.search(text))


def roughly(text: str) -> bool:
    """Tell whether *text* allows an error in its numbers: "within 1e-6", "relative error"."""
    return bool(_ROUGHLY.search(text))


def any_case(text: str) -> bool:
    """Tell whether *text* allows its answers in upper and lower case alike.

    Only in a sentence on the answer: a task about words may itself be case-insensitive.
    """
    sentences = re.split(r"(?<=[.!?])\s+|\n\s*\n", text)
    return any(_ANY_CASE.search(each) and _ANSWER.search(each) for each in sentences)
