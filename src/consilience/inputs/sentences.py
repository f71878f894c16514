"""How an input is laid out, read from sentences as Codeforces writes them.

"The first line contains a single integer $t$. The first line of each test case contains two
integers $n$ and $k$. The second line contains $n$ integers $a_1, a_2, ..., a_n$."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.inputs.layout import Line, Node, Repeat, Row, Scalar
from consilience.inputs.spellings import base_name, plain

_SECTION = re.compile(r"^[#*\s]*input[:*\s]*$", re.IGNORECASE | re.MULTILINE)
_END = re.compile(
    r"^[#*\s]*(?:output|constraints?|sample|examples?)\b", re.IGNORECASE | re.MULTILINE
)
_SENTENCE = re.compile(
    r"\b(?P<which>first|second|third|fourth|fifth|only|single|last|following|next)\s+"
    r"(?:and only\s+)?(?P<many>\$?\w+\$?\s+)?lines?\b"
    r"(?P<each>[^.]*?)\b(?:contains?|consists? of|has|describes?)\s+(?P<what>[^—\u2013]*?)"
    r"(?=\s+[—\u2013-]\s|\.\s|\.$|;|$)",
    re.IGNORECASE | re.MULTILINE,
)
_CASES = re.compile(r"\beach\b|\btest case|\bdata\s?set|\bthe case", re.IGNORECASE)
_ROW = re.compile(
    r"\$?\b(?P<count>[A-Za-z]\w*|\d+)\$? (?:\w+ )?(?:integers|numbers|words|strings)\b"
    r"[^$]*\$(?P<name>[A-Za-z]\w*?)_[^$]*\$"
)
_SYMBOL = re.compile(r"\$([^$]*)\$")


def told(statement: str) -> Iterator[tuple[Node, ...]]:
    """Yield the layouts that the sentences of *statement* may mean."""
    head = _SECTION.search(statement)
    text = statement[head.end() :] if head else statement
    text = _END.split(text, maxsplit=1)[0]
    found = list(_lines(re.sub(r"\([^()]*\)", "", text)))
    if not found or any(line is None for _, line in found):
        return
    lines = [(inner, line) for inner, line in found if line is not None]
    cases = next((i for i, (inner, _) in enumerate(lines) if inner), None)
    if cases is not None and cases > 0:
        yield _grouped([line for _, line in lines], cases)
    yield tuple(line for _, line in lines)


def _grouped(lines: Sequence[Line], start: int) -> tuple[Node, ...]:
    """Repeat what follows the number of cases, which is the last name before it."""
    last = lines[start - 1].parts[-1]
    return (*lines[:start], Repeat("cases", last.name, tuple(lines[start:])))


def _lines(text: str) -> Iterator[tuple[bool, Line | None]]:
    inner = False
    for match in _SENTENCE.finditer(text):
        about = match["each"] + match["what"]
        if "multiple test cases" in about or "description" in about:
            continue
        inner = inner or bool(_CASES.search(match["each"]))
        yield inner, _line(match["what"]) if not match["many"] else None


def _line(what: str) -> Line | None:
    """Read what one line holds: a row, or numbers and texts by their symbols."""
    row = _ROW.search(what)
    before = what[: row.start()] if row else what
    parts: list[Scalar | Row] = [Scalar(name) for name in _names(before)]
    if row:
        parts.append(Row(row["name"], row["count"]))
    return Line(tuple(parts)) if parts else None


def _names(what: str) -> Iterator[str]:
    # A text's length is no token of its own: "a string $s$ of length $n$".
    for symbol in _SYMBOL.findall(re.sub(r"\bof length \$[^$]*\$", "", what)):
        for name in re.split(r"\s*,\s*", plain(symbol).strip()):
            if re.fullmatch(r"[A-Za-z]\w{0,9}", name):
                yield base_name(name) if not re.search(r"_\d$", name) else name
