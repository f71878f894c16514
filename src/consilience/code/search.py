"""Find the statements in a piece of text, whether or not it parses as a whole.

In text that does not (an answer without fences, a cut-off end, prose between definitions) runs
of lines that parse are found one after another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from consilience.code.parsing import attempt, dedent, is_incomplete, mend, repair
from consilience.code.statements import Statement, divide

BUDGET = 1_000_000
"""Characters to parse in a search: honest replies need far fewer, hostile ones end soon."""

# Lines that go on with the statement before them although they are not indented.
_CONTINUES = re.compile(r"(else|elif|except|finally|case)\b|[)\]}#]")
_STARTS = re.compile(
    r"(async\s+def|def|class|import|from|if|for|while|try|with|global|assert|return)\b"
    r"|@\s*\w|[A-Za-z_][\w.\[\]'\", ]*(:[^=]+)?=[^=]|[A-Za-z_][\w.]*\("
)
_DEFINITION = re.compile(r"\s*(async\s+def|def|class)\b|\s*@")


@dataclass(slots=True)
class Reading:
    """What was found in a piece of text."""

    statements: list[Statement] = field(default_factory=list)
    text: str = ""
    """The text as it was read, where all of it parses."""
    cut: Statement | None = None
    """A last definition that is not whole: its end is missing or damaged."""

    @property
    def whole(self) -> bool:
        """Tell whether all of the text parses."""
        return bool(self.text)


def read(text: str) -> Reading:
    """Find the top-level statements of *text*."""
    repaired = repair(text)
    if repaired is not None:
        text, tree = repaired
        return Reading(divide(text, tree), text)
    return _Search(text).run()


class _Search:
    """Goes through the lines of a text that does not parse."""

    def __init__(self, text: str) -> None:
        self.lines = text.replace("\xa0", " ").split("\n")
        self.reading = Reading()
        self.budget = BUDGET

    def run(self) -> Reading:
        start = 0
        while start < len(self.lines) and self.budget > 0:
            if _STARTS.match(self.lines[start].lstrip(" \t")):
                start = self._statement(start) or self._salvage(start)
            else:
                start += 1
        return self.reading

    def _statement(self, start: int) -> int | None:
        """Take the shortest run of lines from *start* that is a statement; give its end."""
        for end in self._ends(start):
            text, tree = self._parse(start, end)
            if isinstance(tree, str) and not (is_incomplete(tree) or text.startswith("@")):
                mended = mend(text)
                if mended is None:
                    return None
                text, tree = mended
            if isinstance(tree, ast.Module):
                self.reading.statements += divide(text, tree)
                return end
            if self.budget <= 0:
                return None
        return None

    def _salvage(self, start: int) -> int:
        """Note the sound beginning of a damaged definition; give the line to go on from.

        It still serves where the damage cannot be reached: behind a final return.
        """
        if not _DEFINITION.match(self.lines[start]):
            return start + 1
        end = next(self._ends(start), len(self.lines))
        for last in range(end - 1, start, -1):
            text, tree = self._parse(start, last)
            if isinstance(tree, ast.Module):
                self._note(divide(text, tree)[-1])
                return end
            if self.budget <= 0:
                break
        return self._salvage_header(start, end)

    def _salvage_header(self, start: int, end: int) -> int:
        text = dedent(self.lines[start]) + " pass"
        tree = attempt(text)
        if isinstance(tree, str):
            return start + 1
        self._note(divide(text, tree)[-1])
        return end

    def _note(self, statement: Statement) -> None:
        self.reading.cut = statement
        body = getattr(statement.node, "body", [None])
        if isinstance(body[-1], ast.Return | ast.Raise):
            self.reading.statements.append(statement)

    def _ends(self, start: int) -> Iterator[int]:
        """List the lines before which a statement that begins at *start* may end."""
        indent = _indent(self.lines[start])
        for end in range(start + 1, len(self.lines)):
            line = self.lines[end].lstrip(" \t")
            if line and _indent(self.lines[end]) <= indent and not _CONTINUES.match(line):
                yield end
        yield len(self.lines)

    def _parse(self, start: int, end: int) -> tuple[str, ast.Module | str]:
        text = dedent("\n".join(self.lines[start:end]))
        self.budget -= len(text) + 100
        return text, attempt(text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
