"""What samples show under each name of a layout: numbers, words, texts without blanks."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import takewhile

from consilience.inputs.constraints import constraints
from consilience.inputs.layout import Line, Reading, Repeat, Scalar
from consilience.inputs.moods import Mood

FEWEST = 3
"""Lines that have something in common by more than chance."""
_NAME = re.compile(r"[A-Za-z]\w*")
_INTEGER = re.compile(r"-?\d{1,30}")
_LETTERS = (
    (re.compile(r"lower-?\s?case", re.IGNORECASE), "abc"),
    (re.compile(r"upper-?\s?case", re.IGNORECASE), "ABC"),
    (re.compile(r"\bdigits\b", re.IGNORECASE), "0129"),
)


class Words:
    """The tokens of all samples by name, and what they have in common."""

    def __init__(self, statement: str, readings: Sequence[Reading]) -> None:
        self._readings = readings
        self._statement = statement
        self._limits = constraints(statement)
        # Samples do not change while texts are drawn by the thousand.
        for name in (
            "rows",
            "tokens",
            "numbers",
            "is_word",
            "is_glued",
            "alphabet",
            "permuted",
        ):
            setattr(self, name, cache(getattr(self, name)))
        for name in (
            "distinct_lines",
            "sorted_lines",
            "joins",
            "upward",
            "_as_long_as",
            "_is_grid",
            "_grids",
        ):
            setattr(self, name, cache(getattr(self, name)))

    def rows(self, name: str) -> list[list[str]]:
        """Return the tokens of each reading of *name*."""
        return [row for reading in self._readings for row in reading.values.get(name, [])]

    def tokens(self, name: str) -> list[str]:
        """Return all tokens under *name*."""
        return [token for row in self.rows(name) for token in row]

    def numbers(self, name: str) -> list[int]:
        """Return those that are integers."""
        return [int(token) for token in self.tokens(name) if _INTEGER.fullmatch(token)]

    def is_word(self, name: str) -> bool:
        """Tell whether *name* holds text: some token is no integer, or has leading zeros."""
        tokens = self.tokens(name)
        return any(
            not _INTEGER.fullmatch(token) or (len(token) > 1 and token[0] == "0")
            for token in tokens
        )

    def is_glued(self, name: str) -> bool:
        """Tell whether a row is written without blanks, as a text of its length."""
        rows = self.rows(name)
        return bool(rows) and all(len(row) == 1 for row in rows) and max(map(len, rows[0])) > 1

    def alphabet(self, name: str) -> str:
        """Return the characters under *name*, and those that the statement allows."""
        seen = {character for token in self.tokens(name) for character in token}
        for words, letters in _LETTERS:
            if words.search(self._statement) and seen and seen <= _kin(letters):
                seen |= set(letters)
        return "".join(sorted(seen)) or "a"

    def text(self, name: str, length: int, rng: random.Random) -> str:
        """Draw a text of *length*: of few characters, so that they repeat."""
        letters = self.alphabet(name)
        some = rng.sample(letters, min(len(letters), rng.choice([1, 2, 2, 3, len(letters)])))
        return "".join(rng.choices(some, k=length))

    def draw(self, name: str, env: Mapping[str, int], rng: random.Random, mood: Mood) -> str:
        """Draw a word like those under *name*."""
        tokens = self.tokens(name)
        listed = self._limits.words.get(name)
        if listed and set(tokens) <= set(listed):
            return rng.choice(listed)
        if any(_is_decimal(token) for token in tokens):
            return _decimal(rng.choice(tokens), rng)
        low, high = self._lengths(name, env)
        fitting = [token for token in tokens if low <= len(token) <= high]
        like = self._like(tokens, fitting, rng) if fitting else None
        return self._drawn(name, (low, high), rng, mood) if like is None else like

    def _like(
        self, tokens: Sequence[str], fitting: Sequence[str], rng: random.Random
    ) -> str | None:
        """Return a word that was seen, or one of the same characters in the same places."""
        if len(set(tokens)) * 2 <= len(tokens) and len(set(tokens)) <= 8:
            return rng.choice(sorted(set(fitting)))  # one of a few
        if self._shuffled(tokens):
            return "".join(rng.sample(tokens[0], len(tokens[0])))
        if any(not t.isalnum() for t in tokens) and rng.random() < 0.2:
            return rng.choice(fitting)
        if self._placed(tokens):
            return "".join(self._character(tokens, i, rng) for i in range(len(tokens[0])))
        return None

    def _drawn(
        self, name: str, lengths: tuple[int, int], rng: random.Random, mood: Mood
    ) -> str:
        (low, high), (start, end) = lengths, _common(self.tokens(name))
        least = max(low, len(start) + len(end))
        length = mood.size(rng, least, max(least, high))
        return start + self.text(name, length - len(start) - len(end), rng) + end

    def _shuffled(self, tokens: Sequence[str]) -> bool:
        """Tell whether words are the same characters, each once, in other orders."""
        letters = {"".join(sorted(token)) for token in tokens}
        return (
            len(letters) == 1 and len(tokens[0]) > 3 and len(set(tokens[0])) == len(tokens[0])
        )

    def _placed(self, tokens: Sequence[str]) -> bool:
        """Tell whether words are of one length, with characters that hold their place."""
        same = len(set(map(len, tokens))) == 1 and len(tokens) >= 2 and len(tokens[0]) > 1
        return same and any(len(set(column)) == 1 for column in zip(*tokens, strict=True))

    def _character(self, tokens: Sequence[str], place: int, rng: random.Random) -> str:
        seen = sorted({token[place] for token in tokens})
        if len(seen) == 1:
            return seen[0]
        return rng.choice("0123456789") if all(map(str.isdigit, seen)) else rng.choice(seen)

    def _lengths(self, name: str, env: Mapping[str, int]) -> tuple[int, int]:
        """Return how long a word may be: as a number that every sample's is, or as is said."""
        for known in env:
            if self._as_long_as(name, known):
                return max(0, env[known]), max(0, env[known])
        lengths = {len(token) for token in self.tokens(name)}
        if len(lengths) == 1 and len(self.tokens(name)) > 1:
            return min(lengths), max(lengths)
        low = self._limits.low(f"|{name}|", env)
        high = self._limits.high(f"|{name}|", env)
        low = min(1, *lengths) if low is None else low
        return low, max(low, max(lengths) if high is None else high)

    def lengths(self) -> frozenset[str]:
        """Return the names of numbers that are the length of a text."""
        names = {name for reading in self._readings for name in reading.values}
        said = {
            part
            for each in self._limits.relations
            if each.left.startswith("|") and self.is_word(each.left.strip("|"))
            for part in _NAME.findall(each.right)
        }
        words = [name for name in sorted(names) if self.is_word(name)]
        seen = {each for each in names if any(self._as_long_as(word, each) for word in words)}
        return frozenset(said & names | seen)

    def _as_long_as(self, name: str, known: str) -> bool:
        pairs = [pair for reading in self._readings for pair in _paired(reading, name, known)]
        return bool(pairs) and all(length == number for length, number in pairs)

    def permuted(self, name: str) -> int:
        """Return 1 more than the first number where every row is a permutation, else 0."""
        rows = [row for row in self.rows(name) if len(row) > 1]
        numbers = [sorted(int(t) for t in row if _INTEGER.fullmatch(t)) for row in rows]
        for first in (1, 0):
            spans = [list(range(first, first + len(row))) for row in rows]
            if rows and max(map(len, rows)) >= FEWEST and numbers == spans:
                return first + 1
        return 0

    def _table(self, node: Repeat) -> list[list[str]]:
        """Return the lines of a table of single tokens, of all samples."""
        line = node.body[0]
        parts = line.parts if isinstance(line, Line) else ()
        names = [part.name for part in parts if isinstance(part, Scalar)]
        columns = [self.tokens(name) for name in names]
        return [list(row) for row in zip(*columns, strict=False)]

    def distinct_lines(self, node: Repeat) -> bool:
        """Tell whether no sample has a line twice."""
        line = node.body[0]
        parts = line.parts if isinstance(line, Line) else ()
        names = [part.name for part in parts if isinstance(part, Scalar)]
        return all(
            len(set(lines)) == len(lines)
            for reading in self._readings
            if (lines := _lines(reading, names))
        )

    def sorted_lines(self, node: Repeat) -> bool:
        """Tell whether the lines of every sample ascend, as numbers."""
        line = node.body[0]
        part = line.parts[0] if isinstance(line, Line) else None
        if not isinstance(part, Scalar) or self.is_word(part.name):
            return False
        found = [
            [int(token) for row in reading.values.get(part.name, []) for token in row]
            for reading in self._readings
        ]
        return max(map(len, found), default=0) >= FEWEST and all(x == sorted(x) for x in found)

    def is_grid(self, node: Repeat) -> bool:
        """Tell whether lines are words that are as long as each other, in every sample."""
        line = node.body[0]
        part = line.parts[0] if isinstance(line, Line) and len(line.parts) == 1 else None
        if len(node.body) != 1 or part is None:
            return False
        return self._is_grid(part.name)

    def _is_grid(self, name: str) -> bool:
        found = self._grids(name)
        level = all(len({len(line) for line in grid}) == 1 for grid in found if grid)
        words = self.is_word(name) or self.is_glued(name)
        return bool(found) and words and level and max(map(len, found)) >= FEWEST

    def grids(self, node: Repeat) -> list[list[str]]:
        """Return the lines of each sample's grid."""
        line = node.body[0]
        return self._grids(line.parts[0].name) if isinstance(line, Line) else []

    def _grids(self, name: str) -> list[list[str]]:
        return [
            [row[0] for row in reading.values.get(name, []) if len(row) == 1]
            for reading in self._readings
        ]

    def rising_lines(self, node: Repeat) -> bool:
        """Tell whether the first numbers of the lines of every sample ascend, no two alike."""
        line = node.body[0]
        part = line.parts[0] if isinstance(line, Line) else None
        if not isinstance(part, Scalar) or self.is_word(part.name):
            return False
        found = [
            [int(token) for row in reading.values.get(part.name, []) for token in row]
            for reading in self._readings
        ]
        return all(len(set(x)) == len(x) for x in found) and len(self._readings) > 1

    def joins(self, node: Repeat) -> bool:
        """Tell whether each line joins two different numbers from 1 on."""
        rows = [row[:2] for row in self._table(node)]
        return (
            bool(rows)
            and len(rows[0]) == 2
            and all(
                a != b
                and _INTEGER.fullmatch(a)
                and _INTEGER.fullmatch(b)
                and int(a) > 0 < int(b)
                for a, b in rows
            )
        )

    def upward(self, node: Repeat) -> bool:
        """Tell whether each line's first number is the smaller one."""
        rows = self._table(node)
        return (
            self.joins(node)
            and len(rows) >= FEWEST
            and all(int(a) < int(b) for a, b, *_ in rows)
        )


def _lines(reading: Reading, names: Sequence[str]) -> list[tuple[str, ...]]:
    columns = [[t for row in reading.values.get(name, []) for t in row] for name in names]
    return list(zip(*columns, strict=False))


def _common(tokens: Sequence[str]) -> tuple[str, str]:
    """Return how all words start and end: of three or more, and not all of one character."""
    if len(set(tokens)) < FEWEST or len(set("".join(tokens))) < 2:
        return "", ""
    start, end = _prefix(tokens), _prefix([token[::-1] for token in tokens])[::-1]
    shortest = min(map(len, tokens))
    return start, end[-max(0, shortest - len(start)) :] if shortest > len(start) else ""


def _prefix(tokens: Sequence[str]) -> str:
    """Return the characters with which all *tokens* begin."""
    columns = zip(*tokens, strict=False)
    return "".join(column[0] for column in takewhile(lambda c: len(set(c)) == 1, columns))


def _kin(letters: str) -> set[str]:
    if letters[0].isdigit():
        return set("0123456789")
    low = set("abcdefghijklmnopqrstuvwxyz")
    return low if letters[0].islower() else {letter.upper() for letter in low}


def _paired(reading: Reading, name: str, known: str) -> list[tuple[int, int]]:
    """Return lengths of words beside the numbers that were read before them."""
    words = [row[0] for row in reading.values.get(name, []) if len(row) == 1]
    rows = reading.values.get(known, [])
    if _is_number(rows):
        return [(len(word), int(rows[0][0])) for word in words]
    if len(rows) != len(words) or not all(_is_number([row]) for row in rows):
        return []
    return [(len(word), int(row[0])) for word, row in zip(words, rows, strict=True)]


def _is_number(rows: Sequence[Sequence[str]] | None) -> bool:
    return (
        bool(rows) and len(rows or ()) == 1 and bool(_INTEGER.fullmatch((rows or [[""]])[0][0]))
    )


def _is_decimal(token: str) -> bool:
    return bool(re.fullmatch(r"-?\d+\.\d+", token))


def _decimal(token: str, rng: random.Random) -> str:
    whole, _, part = token.partition(".")
    digits = str(rng.randrange(10 ** len(part))).zfill(len(part))
    return f"{rng.randint(0, max(1, abs(int(whole))))}.{digits}"
