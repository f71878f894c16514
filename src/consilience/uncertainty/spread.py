"""How far apart the samples lie, without any classes: one number, no alpha."""

from __future__ import annotations

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
        distances = self._distances([plain(text) for text in samples])
        means = distances.sum(axis=1) / (len(samples) - 1)
        close = np.clip(1.0 - means, 0.0, 1.0)
        return Confidence(self.name, float(close.mean()), tuple(close.tolist()))

    def _distances(self, texts: Sequence[str]) -> Floats:
        if self.encoder is None:
            return structural_distances(texts)
        return cosine_distances(embed(texts, self.encoder, self.store).rows(texts))


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
