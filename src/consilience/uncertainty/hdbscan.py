"""Classes with a fixed minimum size, by scikit-learn's HDBSCAN: the FASE paper's baseline."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.errors import MissingExtraError, UsageError
from consilience.store import Store
from consilience.uncertainty import Encoder, Partition
from consilience.uncertainty.clusters import numbered
from consilience.uncertainty.distance import Floats, cleaned, cosine_distances
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.fase import unparsable


@dataclass(frozen=True, slots=True)
class FixedSize:
    """Samples are equivalent when HDBSCAN puts them in one cluster of at least *minimum*."""

    encoder: Encoder
    minimum: int = 2
    store: Store | None = None
    name: str = "hdbscan"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group *samples*; what HDBSCAN calls noise are classes of their own."""
        vectors = embed(samples, self.encoder, self.store).rows(samples)
        labels = hdbscan(cosine_distances(vectors), self.minimum)
        return Partition(self.name, labels, unparsable=unparsable(samples))


def hdbscan(distances: Floats, minimum: int) -> tuple[int, ...]:
    """Label samples by HDBSCAN on a distance matrix, which is left as it is.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    if minimum < 2:
        raise UsageError("The minimum class size must be at least 2.")
    if len(distances) < minimum:
        return tuple(range(len(distances)))
    model = _library().HDBSCAN(
        min_cluster_size=minimum, metric="precomputed", allow_single_cluster=True, copy=True
    )
    # A copy of our own as well: older releases overwrite a float64 matrix in place.
    found = model.fit(np.array(cleaned(distances))).labels_
    return numbered(
        (int(label), index if label < 0 else -1) for index, label in enumerate(found)
    )


def _library() -> Any:
    try:
        return importlib.import_module("sklearn.cluster")
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "hdbscan") from error
