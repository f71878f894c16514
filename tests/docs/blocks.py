"""The code blocks of a Markdown page, and how each of them is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^( *)(```+)[ \t]*([^\n`]*)\n(.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_EXEMPT = re.compile(r"<!-- not run: ([^>]+?) -->\s*$")


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    page: str
    line: int
    language: str
    title: str
    text: str
    exempt: str
    """Why it is not run; empty where it is."""


@dataclass(frozen=True)
class Command:
    """A line of a console block after `$ `, and what should be printed."""

    words: str
    status: int
    printed: str
    """What stdout begins with, line by line; `...` stands for anything."""


def blocks(path: Path) -> list[Block]:
    """Read every fenced block of a page."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        info = match[3].strip()
        language = info.split(" ")[0] if info else ""
        title = _TITLE.search(info)
        exempt = _EXEMPT.search(text[: match.start()])
        found.append(
            Block(
                path.name,
                text.count("\n", 0, match.start()) + 1,
                language,
                title[1] if title else "",
                re.sub(rf"^{match[1]}", "", match[4], flags=re.MULTILINE),
                exempt[1] if exempt else "",
            )
        )
    return found


def commands(block: Block) -> Iterator[Command]:
    """Take a console block apart: `$ words  # exit 2`, then what it prints."""
    words, printed = "", []
    for line in [*block.text.splitlines(), "$ "]:
        if not line.startswith("$ "):
            printed.append(line)
            continue
        if words:
            wanted = re.search(r"  +# exit (\d+)$", words)
            bare = re.sub(r"  +#.*$", "", words)
            yield Command(bare, int(wanted[1]) if wanted else 0, "\n".join(printed))
        words, printed = line[2:], []


def fits(printed: str, wanted: str) -> bool:
    """Tell whether *printed* is *wanted*, where `...` in it stands for anything."""
    parts = map(re.escape, wanted.strip().split("..."))
    return re.fullmatch(".*?".join(parts), printed.strip(), re.DOTALL) is not None
