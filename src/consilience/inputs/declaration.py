"""Declarations as benchmarks and sites write them, so that they can be read at all."""

from __future__ import annotations

import ast
import re

from consilience.code.parsing import parse


def whole(source: str) -> str:
    """Return *source* so that it parses: a starter gets a body, quotes around it go.

    Of a skeleton that is damaged, the headers, what is set, and the words between are kept.
    """
    bare = re.sub(r"\A\s*('''|\"\"\")|('''|\"\"\")\s*\Z", "", source)
    # A text alone is no program, though it parses.
    tree = parse(source)
    if tree is not None and any(not isinstance(node, ast.Expr) for node in tree.body):
        return source
    for reading in (source, bare, _straight(source)):
        for ending in ("", "\n    pass", "\n        pass"):
            text = reading.rstrip() + ending + "\n"
            tree = parse(text)
            if tree is not None and any(not isinstance(n, ast.Expr) for n in tree.body):
                return text
    return _headers(source)


def _straight(source: str) -> str:
    return source.replace("\u201c", '"').replace("\u201d", '"')


def _headers(source: str) -> str:
    found: list[str] = []
    for part in re.split(
        r"^(?=[ \t]*(?:class|def|async def|@\w+)\b)", source, flags=re.MULTILINE
    ):
        first, _, rest = part.partition("\n")
        margin = first[: len(first) - len(first.lstrip())]
        inner = f"{margin}    "
        sets = [f"{inner}{m}" for m in re.findall(r"^\s+(self\.\w+ = .*)$", rest, re.MULTILINE)]
        lines = [first, f"{inner}{rest.strip()!r}", *filter(_is_sound, sets)]
        if first.lstrip().startswith("@"):
            found.append(first)
        elif _is_sound(f"{first.strip()} pass"):
            found += lines
    return "\n".join(found)


def _is_sound(line: str) -> bool:
    return parse(line.strip()) is not None
