"""How far apart the samples lie, without any classes: one number, no alpha."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience.store import Store
from consilience.uncertainty import Confidence, Encoder
from consilience.uncertainty.distance import Floats, cosine_distances
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.structure import structural_distances
from consilience.uncertainty.text import plain, text_distances


@dataclass(frozen=True, slots=True)
class Closeness:
    """1 - the mean distance of two samples; for a sample, of it to the others.

    Distances are cosine distances of *encoder*'s vectors, or without one those of syntax.
    """

    encoder: Encoder | None = None
    store: Store | None = None
    name: str = "closeness"

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples*; one sample alone is undefined."""
        if len(samples) < 2:
            return Confidence(self.name, None, (None,), notes=("one sample has no distance",))
        distances = _distances([plain(text) for text in samples], self.encoder, self.store)
        means = distances.sum(axis=1) / (len(samples) - 1)
        close = np.clip(1.0 - means, 0.0, 1.0)
        return Confidence(self.name, float(close.mean()), tuple(close.tolist()))


@dataclass(frozen=True, slots=True)
class Graded:
    """1 - an entropy without classes: samples count as the same to a degree.

    H = -mean_i log2 mean_j exp(-D[i, j] / reach), over log2 n: the order-one diversity with
    similarities of Leinster and Cobbold (2012). It is Eq. 1 of FASE where samples are either
    equal or far apart, and needs no radius. For a sample: the share of all samples that it
    stands for.
    """

    encoder: Encoder | None = None
    """None: the distance of syntax trees."""
    reach: float = 0.3
    """How fast likeness fades; .3 suits syntax, about .02 MiniLM (hindsight on the open
    pools).
    """
    store: Store | None = None
    name: str = "graded"

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples*; one sample alone is undefined."""
        if len(samples) < 2:
            return Confidence(self.name, None, (None,), notes=("one sample has no distance",))
        texts = [plain(text) for text in samples]
        ordinary = np.exp(-_distances(texts, self.encoder, self.store) / self.reach).mean(
            axis=1
        )
        value = 1.0 - graded_entropy(ordinary)
        return Confidence(self.name, value, tuple(ordinary.tolist()))


def graded_entropy(ordinary: Floats) -> float:
    """Return the normalised entropy of samples of which each stands for a share of all."""
    return max(0.0, float(-np.log2(ordinary).mean() / math.log2(len(ordinary))))


@dataclass(frozen=True, slots=True)
class TextualCloseness:
    """1 - the mean textual distance of two samples."""

    name: str = "textual-closeness"

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples*; one sample alone is undefined."""
        if len(samples) < 2:
            return Confidence(self.name, None, (None,), notes=("one sample has no distance",))
        means = text_distances([plain(text) for text in samples]).sum(axis=1) / (
            len(samples) - 1
        )
        return Confidence(self.name, float(1 - means.mean()), tuple((1 - means).tolist()))


def _distances(texts: Sequence[str], encoder: Encoder | None, store: Store | None) -> Floats:
    if encoder is None:
        return structural_distances(texts)
    return cosine_distances(embed(texts, encoder, store).rows(texts))
