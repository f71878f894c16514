"""Divide a model's reply: thoughts aside, then the stretches between fences.

Fences are not paired up. A model may forget the first one or the last, or have one inside a
docstring; so every fence is only a place where code may begin or end, and parsing tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.code.parsing import attempt, dedent, is_incomplete
from consilience.code.search import Reading, read

MAX_JOINED = 12
"""How many stretches one piece of code with fences inside may span."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\x00]")
_END_TOKENS = re.compile(r"(?:\s*(?:<\|[\w-]{2,40}\|>|</s>|<eos>|<end_of_turn>))+\s*$")
_THINKS = "think|thinking|thought|thoughts|reasoning|analysis|scratchpad"
_CLOSING = re.compile(rf"</(?:{_THINKS})>|<\|channel\|>final<\|message\|>|<\|end_of_thought\|>")
_OPENING = re.compile(rf"^[ \t]*<(?:{_THINKS})>|<\|begin_of_thought\|>", re.MULTILINE)
_QUOTE = re.compile(r"^> ?", re.MULTILINE)
_QUOTED_FENCE = re.compile(r"^> ?(?:`{3,}|~{3,})", re.MULTILINE)
_TAG_LINE = r"^[ \t]*</?(?:code|answer|solution|python|final|output|response)>[ \t]*$"
_FENCE = re.compile(rf"^[ \t]*~{{3,}}[^\n]*$|`{{3,}}(?:[^\n`]*$)?|{_TAG_LINE}", re.MULTILINE)
_LANGUAGES = re.compile(
    r"(?:python|py|pycon|ipython|code|text|txt|plaintext)[\d.]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text between two fences."""

    start: int
    end: int
    info: str = ""
    """What stands on the line of the fence before it."""


def clean(reply: str) -> str:
    """Remove what terminals, other systems and tokenizers leave in a text."""
    text = sound(reply).replace("\r\n", "\n").replace("\r", "\n")
    text = _END_TOKENS.sub("", _INVISIBLE.sub("", _ANSI.sub("", text)))
    return _QUOTE.sub("", text) if _QUOTED_FENCE.search(text) else text


def sound(text: str) -> str:
    """Return *text* as a file can hold it: half surrogate pairs are joined or replaced.

    A token limit can cut an emoji in two, and JSON carries the half without complaint.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_thoughts(text: str) -> tuple[str, str]:
    """Divide *text* into the answer and the thoughts before it."""
    closings = list(_CLOSING.finditer(text))
    if closings:
        end = closings[-1].end()
        return text[end:], text[:end]
    opening = _OPENING.search(text)
    if opening:  # cut off while thinking: a draft is not an answer
        return text[: opening.start()], text[opening.start() :]
    return text, ""


def readings(text: str) -> list[Reading]:
    """Read each stretch of *text* for code, in order; joined where only together they parse."""
    divided = _divide(text)
    found = []
    i = 0
    while i < len(divided):
        reading, used = _read_from(text, divided, i)
        found.append(reading)
        i += used
    return found


def stretches(text: str) -> list[str]:
    """Give the text between fences, as it stands."""
    return [text[stretch.start : stretch.end] for stretch in _divide(text)]


def _divide(text: str) -> list[Stretch]:
    divided, start, info = [], 0, ""
    for fence in _FENCE.finditer(text):
        divided.append(Stretch(start, fence.start(), info))
        start, info = fence.end(), fence[0].strip(" \t").lstrip("`~")
        if fence[0].lstrip().startswith("<"):
            info = ""
    divided.append(Stretch(start, len(text), info))
    return divided


def _read_from(text: str, divided: list[Stretch], i: int) -> tuple[Reading, int]:
    stretch = divided[i]
    alone = _read_stretch(text[stretch.start : stretch.end], stretch.info)
    if alone.whole:
        return alone, 1
    # A fence inside a docstring divides code of which the first part alone is unfinished.
    message = attempt(dedent(text[stretch.start : stretch.end]))
    if isinstance(message, str) and is_incomplete(message):
        for last in range(i + 1, min(len(divided), i + MAX_JOINED)):
            joined = _read_whole(text[stretch.start : divided[last].end])
            if joined is not None:
                return joined, last - i + 1
    return alone, 1


def _read_stretch(content: str, info: str) -> Reading:
    first, _, rest = info.strip().partition(" ")
    if _LANGUAGES.fullmatch(first):
        info = rest
    elif not info and _LANGUAGES.fullmatch(content.partition(" ")[0]):
        info, content = content.partition(" ")[2], ""
    # Code may stand on the fence's own line; a single word there is a language.
    has_code = bool(info.strip()) and not info.strip().isidentifier()
    with_info = _read_whole(info.lstrip() + content) if has_code else None
    return with_info or read(content)


def _read_whole(text: str) -> Reading | None:
    """Read *text* if all of it parses and says something."""
    if isinstance(attempt(dedent(text)), str):
        return None
    reading = read(text)
    return reading if reading.statements else None
