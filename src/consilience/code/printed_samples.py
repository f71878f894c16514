"""Read what a statement gives a script to read, and what it is to print.

"Sample Input 1" and "Sample Output 1" of AtCoder, "Examples / Input / Output" of Codeforces,
fenced blocks in Markdown of one's own.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from consilience.code.remarks import any_case
from consilience.task import Example, Stdin
from consilience.values import Value

_DECORATION = r"[ \t>#*_|-]*"
_HEADER = re.compile(
    rf"^{_DECORATION}(?P<before>(?:sample|example|test(?: case)?)s?[ \t]*#?\d*[ \t:.-]*)?"
    r"(?P<kind>input|output)s?(?P<copy>copy)?"
    r"(?P<after>[ \t]*\(?(?:sample|example)\)?)?[ \t]*#?(?P<number>\d*)"
    r"[*_]*[ \t]*(?P<colon>:?)[*_]*[ \t]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_SECTION = re.compile(
    rf"^{_DECORATION}(?:for )?(?:examples?|samples?|sample tests?|test cases?)"
    r"[ \t]*#?\d*[*_:.]*[ \t]*$",
    re.IGNORECASE,
)
_END = re.compile(
    rf"^(?:{_DECORATION}(?:notes?|explanations?|constraints?|hints?|scoring|subtasks?)"
    r"[ \t]*#?\d*[*_]*(?:[ \t]*$|:)|#{1,6}[ \t]|-{3,}[ \t]*$)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
# Copies of Codeforces have the header behind the last full stop.
_GLUED = re.compile(
    r"(?<=[.!?)])((?:Sample|Example) (?:In|Out)put ?\d*:?[ \t]*)$", re.MULTILINE
)
_SPEAKS_OF_BLANKS = re.compile(r"\b(?:blank|empty) lines?\b", re.IGNORECASE)
_INTERACTIVE = re.compile(
    r"\binteractive (?:problem|task)\b|\bthe judge program\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A header with the text below it, up to the next."""

    kind: str
    strong: bool
    """Its words say that it is a sample, wherever it stands."""
    body: str
    fenced: bool


def printed_samples(statement: str) -> tuple[Example, ...]:
    """Find the samples of *statement*: a text to read, and the text that is to be printed.

    A bare "Input" counts below a heading "Examples", or where its text stands in a fence; else
    it heads the description of the format. Interactive tasks have no samples.
    """
    if _INTERACTIVE.search(statement):
        return ()
    text = statement.replace("\r\n", "\n").replace("\r", "\n")
    text = _GLUED.sub(r"\n\1", text.replace("<pre>", "").replace("</pre>", "\n"))
    parts = list(_parts(text.split("\n")))
    strong = [part for part in parts if part.strong]
    keep_blanks = bool(_SPEAKS_OF_BLANKS.search(statement))
    pairs = _pairs(strong) or _pairs([part for part in parts if part.fenced])
    gap = min(_gap(output) for _, output in pairs) if len(pairs) > 1 else len(text)
    found = {_read_input(i, keep_blanks=keep_blanks): _read_output(o, gap) for i, o in pairs}
    return tuple(
        Example(Stdin(given), printed_answer(statement, printed))
        for given, printed in found.items()
        if printed is not None
    )


def printed_answer(statement: str, text: str) -> Value:
    """Hold the printed *text* as programs for this *statement* are seen to print it."""
    return Value.printed(text.casefold() if any_case(statement) else text)


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    """Divide the statement at its headers; what stands in a fence is never one."""
    header, body, in_samples, fence = None, list[str](), False, ""
    for line in lines:
        mark = re.match(r"\s*(```|~~~)", line)
        fence = "" if mark and fence else mark[1] if mark else fence
        match = None if fence else _header(line)
        if match is None and (fence or not (_SECTION.match(line) or _END.match(line))):
            body.append(line)
            continue
        if header is not None:
            yield _part(header, body, in_samples=in_samples)
        in_samples = in_samples or bool(_SECTION.match(line))
        header, body = match, [match["rest"]] if match and match["rest"] else []
    if header is not None:
        yield _part(header, body, in_samples=in_samples)


def _header(line: str) -> re.Match[str] | None:
    match = _HEADER.match(line)
    return match if match and (match["colon"] or not match["rest"]) else None


def _part(header: re.Match[str], lines: Sequence[str], *, in_samples: bool) -> _Part:
    body = "\n".join(lines) + "\n"
    named = header["before"] or header["copy"] or header["after"] or header["number"]
    fenced = bool(_FENCE.match(body))
    return _Part(header["kind"].lower(), bool(named) or in_samples, body, fenced)


def _pairs(parts: Sequence[_Part]) -> list[tuple[str, str]]:
    neighbours = pairwise(parts)
    return [(a.body, b.body) for a, b in neighbours if (a.kind, b.kind) == ("input", "output")]


def _read_input(body: str, *, keep_blanks: bool) -> str:
    block = _block(body)
    if block is not None:
        return block
    lines = _trimmed(body)
    return _ended(lines if keep_blanks or not _is_spread(lines) else [x for x in lines if x])


def _read_output(body: str, gap: int) -> str | None:
    """Take the first paragraph: what follows it explains.

    Where more blank lines come first than the *gap* of the others, what is printed is blank.
    """
    block = _block(body)
    if block is not None:
        return block
    if _gap(body) > gap:
        return ""
    lines = _trimmed(body)
    return _ended(lines[: lines.index("")] if "" in lines else lines) or None


def _gap(body: str) -> int:
    return len(body) - len(body.lstrip("\n"))


def _block(body: str) -> str | None:
    """Give what stands in the fence that *body* begins with."""
    match = _FENCE.match(body)
    return _ended(match[2].strip("\n").split("\n")) if match else None


def _trimmed(body: str) -> list[str]:
    text = re.sub(r"^`(.*)`$", r"\1", textwrap.dedent(body).strip("\n"), flags=re.MULTILINE)
    return [line.rstrip() for line in text.strip().split("\n")]


def _is_spread(lines: Sequence[str]) -> bool:
    """Tell blank lines that a copied page put between lines, or between numbered cases."""
    if len(lines) < 3 or "" not in lines:
        return False
    if all(not line for line in lines[1::2]) and all(lines[0::2]):
        return True
    groups = "\n".join(lines).split("\n\n")
    return lines[0].isdecimal() and len(groups) == int(lines[0]) + 1


def _ended(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    return text + "\n" if text else ""
