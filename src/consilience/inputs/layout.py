r"""How an input is laid out: read from the format block of a statement, checked by its samples.

    N M                     scalars
    A_1 A_2 \ldots A_N      a row: as many as its last index says
    X_1 Y_1 / \vdots / X_N Y_N      a table: a line for each index
    A_{1,1} ... A_{H,W}     a matrix; without blanks between, a grid of characters

Where there is no such block, or the samples do not follow it, they are read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from consilience.inputs.formulas import evaluate
from consilience.inputs.spellings import base_name, plain

Lines = list[list[str]]


@dataclass(frozen=True, slots=True)
class Scalar:
    """One token."""

    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """So many tokens on a line."""

    name: str
    count: str


@dataclass(frozen=True, slots=True)
class Line:
    """What stands on one line."""

    parts: tuple[Scalar | Row, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same lines, so many times."""

    name: str
    count: str
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Free:
    """So many lines of several kinds, told apart by their first token and their length."""

    name: str
    count: str


Node = Line | Repeat | Free
Values = dict[str, list[str]]
"""By name, the tokens in order."""


class MisfitError(Exception):
    """A sample does not follow the layout."""


@dataclass(slots=True)
class Reading:
    """What a sample holds: scalars by name, rows and tables by name."""

    env: dict[str, int] = field(default_factory=dict)
    values: dict[str, list[list[str]]] = field(default_factory=dict)
    """By name, one list for each time it is read: a scalar is a list of one."""

    def take(self, name: str, tokens: list[str]) -> None:
        """Note the *tokens* of one reading of *name*."""
        self.values.setdefault(name, []).append(tokens)
        if len(tokens) == 1 and re.fullmatch(r"-?\d{1,18}", tokens[0]):
            self.env[name] = int(tokens[0])


def read_sample(layout: Sequence[Node], text: str) -> Reading:
    """Read a sample by its *layout*.

    Raises:
        MisfitError: it does not follow it.
    """
    lines = split(text)
    reading = Reading()
    rest = _read(layout, lines, 0, reading)
    if any(lines[rest:]):
        raise MisfitError("lines are left over")
    return reading


def split(text: str) -> Lines:
    """Return the tokens of each line, without blank lines at the end."""
    lines = [line.split() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _read(layout: Sequence[Node], lines: Lines, at: int, reading: Reading) -> int:
    for node in layout:
        if isinstance(node, Repeat):
            count = evaluate(node.count, reading.env)
            if count is None or not 0 <= count <= len(lines):
                raise MisfitError(node.count)
            for _ in range(count):
                at = _read(node.body, lines, at, reading)
            continue
        if isinstance(node, Free):
            at = _read_free(node, lines, at, reading)
            continue
        tokens = lines[at] if at < len(lines) else []
        _read_line(node, tokens, reading)
        at += 1
    return at


def _read_free(node: Free, lines: Lines, at: int, reading: Reading) -> int:
    count = evaluate(node.count, reading.env)
    if count is None or not 0 <= count <= len(lines) - at:
        raise MisfitError(node.count)
    for tokens in lines[at : at + count]:
        reading.values.setdefault(node.name, []).append(tokens)
    return at + count


def _read_line(line: Line, tokens: list[str], reading: Reading) -> None:
    place = 0
    for part in line.parts:
        count = 1 if isinstance(part, Scalar) else evaluate(part.count, reading.env)
        last = part is line.parts[-1]
        if count is None or count < 0 or place + count > len(tokens):
            # A row may be written without blanks: a text.
            if not (isinstance(part, Row) and last and len(tokens) == place + 1):
                raise MisfitError(getattr(part, "name", ""))
            count = 1
        reading.take(part.name, tokens[place : place + count])
        place += count
    if place != len(tokens):
        raise MisfitError("tokens are left over")


# --- the format block

_HEAD = re.compile(
    r"(?:in|has|with|of)\s+(?:one\s+of\s+)?the\s+following\s+(?:two\s+|three\s+)?formats?[^\n]*\n+|^\s*(?:input\s+)?format\s*:?\s*\n+",
    re.IGNORECASE | re.MULTILINE,
)
_TEX_WORD = re.compile(r"\\[A-Za-z]+")
_DOTS = ("...", "..", "⋯")
_VERTICAL = re.compile(r"^(?::|\\?vdots|⋮|\.\.\.|\.)$")
_SYMBOL = re.compile(r"([A-Za-z]\w*?)(?:_(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\w+))?'*$")
_GLUED = re.compile(r"^(?:[A-Za-z]\w*?_(?:\{[^{}]*\}|\w)\s*){1,3}(?:\.\.\.)")


def layouts(statement: str) -> Iterator[tuple[Node, ...]]:
    """Yield the layouts that *statement* may mean, likeliest first."""
    found = [_block(statement, match.end()) for match in _HEAD.finditer(statement)]
    blocks = [block for block in found if block]
    for place, block in enumerate(blocks):
        for inner in (*blocks[place + 1 : place + 2], None):
            layout = _layout(block, inner)
            if layout:
                yield layout


def _block(statement: str, start: int) -> list[str]:
    text = statement[start:]
    fence = re.match(r"\s*```[^\n]*\n(.*?)```", text, re.DOTALL)
    body = fence[1] if fence else re.split(r"\n\s*\n", text.lstrip("\n"), maxsplit=1)[0]
    lines = [_spelled(line) for line in body.split("\n")]
    return [line for line in lines if line][:60]


def _spelled(line: str) -> str:
    """Write indices one way: `A[0][N-1]` and `A_{0, N-1}` are `A_{0,N-1}`."""
    square = re.sub(
        r"\b(\w+)((?:\[[^\]]*\])+)",
        lambda match: f"{match[1]}_{{{match[2][1:-1].replace('][', ',')}}}",
        line,
    )
    return re.sub(r"\s+(?=[^{}]*\})", "", plain(square)).strip()


def _layout(block: Sequence[str], inner: Sequence[str] | None) -> tuple[Node, ...] | None:
    nodes: list[Node] = []
    place = 0
    while place < len(block):
        lines, period = _run(block, place)
        node = _repeated(lines, period, inner) if period else _line(block[place])
        if node is None:
            return None
        nodes.append(node)
        place += len(lines)
    return tuple(nodes)


def _run(block: Sequence[str], place: int) -> tuple[Sequence[str], int]:
    """Return the lines from *place* that stand for one repetition, and how many repeat."""
    for period in (1, 2, 3):
        first = [_names(line) for line in block[place : place + period]]
        end = place + period
        while end < len(block) and [_names(x) for x in block[end : end + period]] == first:
            end += period
        dotted = end < len(block) and _VERTICAL.match(block[end])
        if dotted and [_names(x) for x in block[end + 1 : end + 1 + period]] == first:
            return block[place : end + 1 + period], period
    return block[place : place + 1], 0


def _names(line: str) -> list[str]:
    return list(dict.fromkeys(base_name(symbol) for symbol in _symbols(line)))


def _symbols(line: str) -> list[str]:
    spaced = re.sub(
        r"(?<=\})(?=[A-Za-z])|(?<=_\w)(?=[A-Za-z]\w*_)", " ", _TEX_WORD.sub("", line)
    )
    spaced = re.sub(r"(?<=[\w}])(?=\.\.)|(?<=\.\.)(?=[A-Za-z])", " ", spaced)
    return [token for token in spaced.split() if token not in _DOTS]


def _repeated(lines: Sequence[str], period: int, inner: Sequence[str] | None) -> Node | None:
    low, count = _first_index(lines[0]), _first_index(lines[-period])
    if count is None or low is None:
        return None
    count = _from(low, count)
    names = _names(lines[0])
    if len(names) == 1 and names[0].lower() in _MEANT:
        body = _layout(inner, None) if inner else None
        return Repeat(names[0], count, body) if body else Free(names[0], count)
    read = [_line(line) for line in lines[:period]]
    known = tuple(line for line in read if line is not None)
    return Repeat("/".join(names), count, known) if len(known) == len(read) else None


_MEANT = frozenset({"query", "case", "test", "testcase", "dataset", "operation", "event"})
"""What stands for lines that are described elsewhere."""


def _first_index(line: str) -> str | None:
    """Return the first index of the line's first symbol: of `A_{H,1}` that is H."""
    symbols = _symbols(line)
    index = _index(symbols[0]) if symbols else None
    if index is None:
        return None
    return re.split(r",(?![^{(]*[})])", index)[0]


def _index(symbol: str) -> str | None:
    match = _SYMBOL.match(symbol)
    if match is None or match[2] is None:
        return None
    return match[2].removeprefix("{").removesuffix("}")


def _line(text: str) -> Line | None:
    symbols = _symbols(text)
    dotted = any(dots in text for dots in _DOTS)
    if not symbols or any(_SYMBOL.match(symbol) is None for symbol in symbols):
        return None
    if not dotted:
        return Line(tuple(map(Scalar, _numbered(symbols))))
    last = base_name(symbols[-1])
    start = next(i for i, symbol in enumerate(symbols) if base_name(symbol) == last)
    count = _count(symbols[start], symbols[-1])
    if count is None:
        return None
    return Line((*map(Scalar, _numbered(symbols[:start])), Row(last, count)))


def _numbered(symbols: Sequence[str]) -> list[str]:
    """Name scalars by their base, those of one base (`X_1 X_2`) apart."""
    bases = [base_name(symbol) for symbol in symbols]
    return [
        base if bases.count(base) == 1 else symbol
        for base, symbol in zip(bases, symbols, strict=True)
    ]


def _count(first: str, last: str) -> str | None:
    low, high = _index(first), _index(last)
    if low is None or high is None:
        return None
    low, high = (re.split(r",(?![^{(]*[})])", each)[-1].strip() for each in (low, high))
    return _from(low, _INNER.sub(r"\1", high))


def _from(low: str, high: str) -> str:
    """Count the indices from *low* to *high*; a *low* that is no number is the first."""
    skipped = int(low) - 1 if low.isdigit() else 0
    return f"({high})-({skipped})" if skipped else high


_INNER = re.compile(r"([A-Za-z]\w*?)_(?:\{[^{}]*\}|\w+)")
