"""BERT's uncased WordPiece, for a vocabulary file: text in, token numbers out.

The rules are those that BERT's published vocabulary rests on: control characters dropped, CJK
characters and punctuation on their own, accents stripped, lower case, longest piece first. The
tests compare it with the `tokenizers` package's numbers; it spares that dependency.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

_LONGEST_WORD = 100
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_CONTROL = frozenset({"Cc", "Cf", "Co", "Cs"})  # unassigned characters stay
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Turn text into token numbers, without the [CLS] and [SEP] around them."""

    def __init__(self, vocabulary: Path) -> None:
        words = vocabulary.read_text(encoding="utf-8").split("\n")
        self._number = {word: index for index, word in enumerate(words) if word}
        self._special = re.compile("|".join(re.escape(token) for token in _SPECIAL))
        # Programs repeat their words: nearly every look-up after the first texts is a hit.
        self._word = lru_cache(maxsize=65_536)(self._split)

    @property
    def begin(self) -> int:
        """Number of [CLS]."""
        return self._number["[CLS]"]

    @property
    def end(self) -> int:
        """Number of [SEP]."""
        return self._number["[SEP]"]

    def tokenize(self, text: str) -> list[int]:
        """Return the token numbers of *text*."""
        numbers: list[int] = []
        place = 0
        for match in self._special.finditer(text):
            numbers += self._plain(text[place : match.start()])
            numbers.append(self._number[match[0]])
            place = match.end()
        return numbers + self._plain(text[place:])

    def _plain(self, text: str) -> list[int]:
        return [number for word in words(text) for number in self._word(word)]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._number["[UNK]"],)
        numbers: list[int] = []
        start = 0
        while start < len(word):
            piece = self._longest(word, start)
            if not piece:
                return (self._number["[UNK]"],)
            numbers.append(self._number[piece])
            start += len(piece) - (2 if start else 0)
        return tuple(numbers)

    def _longest(self, word: str, start: int) -> str:
        prefix = "##" if start else ""
        for stop in range(len(word), start, -1):
            piece = prefix + word[start:stop]
            if piece in self._number:
                return piece
        return ""


_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


def words(text: str) -> list[str]:
    """Split *text* into lower-case words and single punctuation marks."""
    if text.isascii() and not _ASCII_CONTROL.search(text):
        return _ASCII_WORD.findall(text.lower())
    found: list[str] = []
    for word in _cleaned(text).split():
        found += _PUNCTUATED.findall("".join(_marked(char) for char in word))
    return [word.strip("\0") for word in found]


_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Punctuation is fenced by NUL, which cleaning has removed from the text itself.
_PUNCTUATED = re.compile(r"\0[^\0]\0|[^\0]+")


def _cleaned(text: str) -> str:
    """Drop controls, space CJK characters, strip accents, lower the case."""
    kept = "".join(_spaced(char) for char in text)
    bare = (c for c in unicodedata.normalize("NFD", kept) if unicodedata.category(c) != "Mn")
    # Character by character: str.lower would turn a final capital sigma into another letter.
    return "".join(char.lower() for char in bare)


@lru_cache(maxsize=4096)
def _spaced(char: str) -> str:
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in _CONTROL:
        return ""
    if any(low <= ord(char) <= high for low, high in _CJK):
        return f" {char} "
    return " " if char.isspace() else char


@lru_cache(maxsize=4096)
def _marked(char: str) -> str:
    ascii_mark = char.isascii() and char.isprintable() and not char.isalnum()
    is_mark = ascii_mark or unicodedata.category(char).startswith("P")
    return f"\0{char}\0" if is_mark else char
