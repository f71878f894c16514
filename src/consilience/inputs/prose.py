"""What a statement says of its input in words: "N is an integer between 3 and 5".

The text is plain (`constraints.plain`): one symbol a name, `<=` for every spelling of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Said = tuple[str, str, str]
"""Left, sign and right of a comparison."""

_SYMBOL = r"[A-Za-z]\w{0,2}(?:_\{?[\w,+-]+\}?)?'?"
_SUBJECT = re.compile(
    r"(?:(?:each|every|all|the|values?|elements?|lengths?|of)\s+)*"
    rf"(?P<names>{_SYMBOL}(?:(?:,\s*and|,|\s+and)\s+{_SYMBOL})*)"
    r"\s+(?:is|are|has|have|consists?)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_NO_NAMES = frozenset({"it", "the", "all", "we", "you", "for", "if", "is", "of", "one"})
_SPAN = re.compile(r"\b(?:between|from)\s+(?P<low>\S+)\s+(?:and|to)\s+(?P<high>[^\s,]+)")
_LONG = re.compile(
    r"\blengths?\b(?!-)\s*(?:of\s+|from\s+|is\s+)?(?P<low>[\w^*{}+-]+)(?:\s+to\s+(?P<high>[\w^*{}+-]+))?"
)
_BRIEF = re.compile(r"\blength-(\d+)\b")
_ARRAY = re.compile(
    r"\b(?:array|string|list|sequence|permutation)s?\s+(?P<name>\w+)[^.\n]{0,20}?"
    r" of (?:length|size) (?P<size>\w(?:[+-]\d+)?)(?![\w^*])"
)
_PARITY = re.compile(r"\b([A-Za-z]\w?)(?:_\w+)? (?:is|are) (?:an )?(odd|even)\b")
_MODULO = re.compile(r"(\|?\b\w+\b\|?)\s*(?:%|\bmod\b)\s*2\s*==\s*([01])")
_DIVIDES = re.compile(r"(\b\w+) divides (\|?\w+\|?)")
_MULTIPLE = re.compile(r"(\|\w+\||\b\w+\b) is (?:divisible by|a multiple of) (\w+)")
_CHOICE = re.compile(
    rf"^[\s*•-]*(?P<name>{_SYMBOL}) is (?:one of |either )?"
    r"(?P<words>\S{1,8}(?:, \S{1,8})*,?(?: or | and |, )\S{1,8}?)\.?$",
    re.MULTILINE,
)
_ITEM = re.compile(r"\b([A-Za-z]\w*?)_(?:\{[^{}]*\}|\w+)")
_UNLIKE = re.compile(r"\b([A-Za-z]\w*?)_\{?[ij1]\}?\s*!=\s*([A-Za-z]\w*?)_\{?[jk2]\}?(?![+\w])")
_DISTINCT = re.compile(
    r"^(.*?) (?:are|is) (?:all |pairwise |mutually )*(?:distinct|different|unique)",
    re.MULTILINE,
)
_RISING = re.compile(
    r"\b([A-Za-z]\w*?)_\{?(?:\w,\s*)?[01]\}?\s*<\s*(?:([A-Za-z]\w*?)_\{?(?:\w,\s*)?2\}?\s*<|\.\.\.?\s*<\s*([A-Za-z]\w*?)_)"
)
_NEXT = re.compile(r"\b(\w+?)_\{?(\w)\}?\s*!=\s*(\w+?)_\{?(\w)\+1\}?")


def said(line: str) -> Iterator[Said]:
    """Yield the comparisons that *line* makes in words."""
    if divides := _DIVIDES.search(line):
        yield divides[1], "divides", divides[2].rstrip(".")
    if multiple := _MULTIPLE.search(line):
        yield multiple[2].rstrip("."), "divides", multiple[1]
    subject = _SUBJECT.match(line.strip())
    if subject is None:
        return
    rest = re.split(r"[.;](?:\s|$)", subject["rest"])[0]
    for name in re.split(r",?\s+and\s+|,\s*", subject["names"]):
        if name.lower() not in _NO_NAMES:
            yield from _of(f"|{name}|" if "length" in line else name, rest)


def arrays(text: str) -> Iterator[Said]:
    """Yield that an array is of a size: "you are given an array a of length n"."""
    for line in text.split("\n"):
        for match in _ARRAY.finditer(line) if "given" in line else ():
            yield from _same(f"|{match['name']}|", match["size"])


def parities(text: str) -> dict[str, int]:
    """Return 1 for names that the *text* calls odd, 0 for those that are even."""
    said = {match[1]: int(match[2] == "odd") for match in _PARITY.finditer(text)}
    return said | {match[1]: int(match[2]) for match in _MODULO.finditer(text)}


def apart(text: str) -> tuple[frozenset[str], ...]:
    """Return groups of names whose items all differ: "A_1, ..., B_N are all distinct"."""
    groups = [frozenset({m[1]}) for m in _UNLIKE.finditer(text) if m[1] == m[2]]
    for match in _DISTINCT.finditer(text):
        names = {re.sub(r"_.*|'", "", name) for name in _ITEM.findall(match[1])}
        groups += [frozenset(names)] if names and "(" not in match[1] else []
    return tuple(dict.fromkeys(groups))


def rising(text: str) -> frozenset[str]:
    """Return names whose items ascend, no two alike: `D_1 < D_2 < ... < D_N`."""
    return frozenset(m[1] for m in _RISING.finditer(text) if m[1] in {m[2], m[3]})


def vocabularies(text: str) -> dict[str, tuple[str, ...]]:
    """Return what names may be: "C is one of N, E, and W"."""
    found = {}
    for match in _CHOICE.finditer(text):
        words = re.split(r",? (?:or|and) |, ", match["words"])
        found[re.sub(r"_.*", "", match["name"])] = tuple(word for word in words if word)
    return found


def uneven(text: str) -> frozenset[str]:
    """Return the names of which no item may be like the next: `A_i != A_{i+1}`."""
    found = _NEXT.finditer(text)
    return frozenset(m[1] for m in found if m[1] == m[3] and m[2] == m[4])


def _of(name: str, rest: str) -> Iterator[Said]:
    span = _SPAN.search(rest)
    long = _LONG.search(rest)
    if span:
        yield span["low"], "<=", name
        yield name, "<=", span["high"]
    elif long and name.startswith("|"):
        yield long["low"], "<=", name
        yield name, "<=", long["high"] or long["low"]
    elif re.match(r"\s+[A-Z]\.?$", rest) and name.startswith("|"):
        yield from _same(name, rest.strip(" ."))
    elif re.search(r"\bpositive integers?\b", rest):
        yield "1", "<=", name
    elif re.search(r"\bnon-negative integers?\b", rest):
        yield "0", "<=", name
    if brief := _BRIEF.search(rest):
        yield from _same(f"|{name.strip('|')}|", brief[1])


def _same(left: str, right: str) -> Iterator[Said]:
    yield left, "<=", right
    yield right, "<=", left
