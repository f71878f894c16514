"""Multiply the texts that a script reads: by the layout of its input, within its constraints.

Small cases find most wrong programs: few items, small values, so that ties and coincidences
happen. So most texts are tiny, some are at the edges of what the statement allows, a few are of
medium size. Where the statement shows no layout, the samples' own tokens are varied. Large
texts come apart: they tell slow programs from fast ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from consilience.inputs.composer import Composer
from consilience.inputs.layout import MisfitError, Node, Reading, layouts, read_sample, split
from consilience.inputs.moods import LARGE, MOODS, WIDE
from consilience.inputs.sentences import told

MOST_TRIES = 12
"""Texts drawn for one that is wanted: where constraints are hard to meet there are fewer."""
LONGEST = 4_000
"""Characters of a text that is kept."""
SHRINKS = 6
"""Times that a large text is tried smaller."""
_INTEGER = re.compile(r"-?\d{1,30}")


def mutate_texts(
    pool: Sequence[str], *, count: int, seed: int, statement: str = ""
) -> list[str]:
    """Return up to *count* new texts like those of *pool*, all distinct.

    Deterministic by *seed*, whatever PYTHONHASHSEED is.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    found = _followed(pool, statement)
    composer = Composer(rng, statement, *found) if found else None
    shuffler = _Shuffler(rng, pool)
    moods = (*MOODS, *WIDE) if composer and composer.scalars_only else MOODS
    known = {_squeezed(text) for text in pool}
    made: list[str] = []
    for turn in range(MOST_TRIES * count):
        if len(made) >= count:
            break
        stuck = not made and turn >= MOST_TRIES * count // 2
        text = (
            composer.text(moods[turn % len(moods)])
            if composer and not stuck
            else shuffler.text()
        )
        if text is not None and len(text) <= LONGEST and _squeezed(text) not in known:
            known.add(_squeezed(text))
            made.append(text)
    return made


def large_texts(
    pool: Sequence[str], *, count: int, seed: int, statement: str = ""
) -> list[str]:
    """Return up to *count* texts as large as the statement allows, within reason.

    Nothing where the statement shows no layout that the samples follow.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    found = _followed(pool, statement)
    if found is None:
        return []
    composer = Composer(rng, statement, *found)
    made: list[str] = []
    for turn in range(2 * count):
        if len(made) >= count:
            break
        mood = LARGE[turn % len(LARGE)]
        for _ in range(SHRINKS):
            text = composer.text(mood)
            if text is not None:
                made += [] if text in made else [text]
                break
            mood = mood.smaller()
    return made


def _squeezed(text: str) -> str:
    return "\n".join(" ".join(tokens) for tokens in split(text))


def _followed(
    pool: Sequence[str], statement: str
) -> tuple[tuple[Node, ...], list[Reading]] | None:
    """Find the first layout that every sample follows."""
    for layout in (*layouts(statement), *told(statement)):
        try:
            return layout, [read_sample(layout, text) for text in pool]
        except MisfitError:
            continue
    return None


class _Shuffler:
    """Varies the tokens of samples whose layout nobody knows, but not those that count."""

    def __init__(self, rng: random.Random, pool: Sequence[str]) -> None:
        self._rng = rng
        self._pool = [split(text) for text in pool if text.strip()]
        tokens = [token for lines in self._pool for line in lines for token in line]
        self._numbers = [int(token) for token in tokens if _INTEGER.fullmatch(token)]
        letters = {c for t in tokens if not _INTEGER.fullmatch(t) for c in t}
        self._letters = sorted(letters) or ["a"]

    def text(self) -> str | None:
        """Vary a sample."""
        if not self._pool:
            return None
        lines = self._rng.choice(self._pool)
        counts = {len(lines) - place for place in range(1, len(lines) + 1)}
        counts |= {len(line) for line in lines} | {len(t) for line in lines for t in line}
        varied = [[self._token(token, counts) for token in line] for line in lines]
        return "\n".join(" ".join(line) for line in varied) + "\n"

    def _token(self, token: str, counts: set[int]) -> str:
        if self._rng.random() < 0.4:
            return token
        if not _INTEGER.fullmatch(token):
            return "".join(self._rng.choice(self._letters) for _ in token)
        if int(token) in counts and len(self._pool) > 0:
            return token
        low, high = min(self._numbers), max(self._numbers)
        return str(self._rng.randint(low, min(high, low + 20)))
