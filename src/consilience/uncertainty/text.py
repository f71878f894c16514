"""Equality and distance of samples as text."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from consilience.uncertainty import Partition
from consilience.uncertainty.clusters import numbered
from consilience.uncertainty.distance import Floats

_FENCED = re.compile(r"\s*```[\w+-]*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Textual:
    """Samples are equivalent when their text is equal, up to `plain` unless *exact*."""

    exact: bool = False
    name: str = "textual"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group equal texts."""
        return Partition(
            self.name, numbered(samples if self.exact else [plain(text) for text in samples])
        )


def plain(text: str) -> str:
    """Strip what no program depends on: a fence around it, common indentation, line ends."""
    fenced = _FENCED.fullmatch(text)
    lines = (fenced[1] if fenced else text).removeprefix("\ufeff").splitlines()
    return textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n")


def text_distances(texts: Sequence[str]) -> Floats:
    """Return 1 - (twice the shared tokens and token pairs over all), in [0, 1].

    0 between equal texts. Not 1 - BLEU, as the published code has it: that puts a short text at
    .82 from itself, and depends on which of the two comes first.
    """
    grams = [_grams(text) for text in texts]
    distances = np.zeros((len(texts), len(texts)))
    for i, first in enumerate(grams):
        for j in range(i):
            total = first.total() + grams[j].total()
            shared = 2 * (first & grams[j]).total() / total if total else 0.0
            distances[i, j] = distances[j, i] = 0.0 if texts[i] == texts[j] else 1.0 - shared
    return distances


def _grams(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(text)
    return Counter([(token,) for token in tokens]) + Counter(pairwise(tokens))
