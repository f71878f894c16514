"""Text that programs and models wrote, made safe to look at: nothing hides, nothing floods.

Markup is left to the template's escaping. Here is what escaping does not touch: characters that
cannot be seen or that turn the direction of reading, and lengths that choke a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST_LINE = 2_000
LONGEST_TEXT = 60_000
MOST_LINES = 2_000

# C0 and C1 controls except tab and line feed, soft hyphen, zero-width and bidirectional marks,
# line and paragraph separators, tags, noncharacters, and surrogates that no file can hold.
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    r"""Write every character that hides as its escape: \x00, \u202e, \U000e0041."""
    return _ODD.sub(_escape, text.replace("\r\n", "\n"))


def paragraphs(parts: Iterable[Iterable[str]]) -> str:
    """Join lines into paragraphs for a terminal; what they quote shall not steer it."""
    return visible("\n\n".join("\n".join(part) for part in map(list, parts) if part))


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """Cut lines of more than `LONGEST_LINE`, texts of more than *longest* or `MOST_LINES`."""
    lines = text[: 4 * longest].split("\n", MOST_LINES)
    kept = "\n".join(_cut(line) for line in lines[:MOST_LINES])
    if len(kept) <= longest and len(lines) <= MOST_LINES and len(text) <= 4 * longest:
        return kept
    return f"{kept[:longest]}\n[cut here: the whole has {len(text):,} characters]"


def _cut(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]} [cut here: the line has {len(line):,} characters]"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
