"""Vectors of texts: each distinct text is encoded once, and stored by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.errors import BadReplyError
from consilience.store import Store, digest
from consilience.uncertainty import Encoder

_KIND = "embedding"


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of distinct texts."""

    vectors: Mapping[str, npt.NDArray[np.float32]]
    overflowing: frozenset[str]
    """Texts longer than the encoder's context."""
    remedy: str = "split and pooled"
    """What the encoder did with those."""

    def rows(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of *texts*, in order."""
        return np.stack([self.vectors[text] for text in texts])


def embed(texts: Iterable[str], encoder: Encoder, store: Store | None = None) -> Embedded:
    """Encode each distinct text once.

    What *store* holds under the encoder's name is not encoded again; an encoder without a name
    cannot be told from another one, so nothing of it is stored.

    Raises:
        BadReplyError: The encoder did not return one finite vector for each text.
    """
    distinct = list(dict.fromkeys(texts))
    name = getattr(encoder, "name", None)
    keys = {text: digest(str(name), text) for text in distinct} if store and name else {}
    found = store.get_many(_KIND, list(keys.values())) if store and keys else {}
    vectors = {
        text: np.frombuffer(found[key], dtype="<f4")
        for text, key in keys.items()
        if key in found
    }
    missing = [text for text in distinct if text not in vectors]
    if missing:
        vectors.update(zip(missing, encoded(missing, encoder), strict=True))
    if store and keys:
        items = {keys[text]: vectors[text].astype("<f4").tobytes() for text in missing}
        store.put_many(_KIND, items)
    windows: Callable[[str], int] = getattr(encoder, "windows", lambda _: 1)
    return Embedded(
        vectors,
        frozenset(text for text in distinct if windows(text) > 1),
        "cut" if getattr(encoder, "overflow", "pool") == "truncate" else "split and pooled",
    )


def encoded(texts: list[str], encoder: Encoder) -> npt.NDArray[np.float32]:
    """Call the encoder and check what it returns, (n, dimensions)."""
    rows = np.asarray(encoder.encode(texts), dtype=np.float32)
    if rows.ndim != 2 or len(rows) != len(texts):
        message = f"The encoder returned an array of shape {rows.shape} for {len(texts)} texts."
        raise BadReplyError(message, hint="encode(texts) must return one row for each text.")
    if not np.isfinite(rows).all():
        raise BadReplyError(
            "The encoder returned a number that is not finite.",
            hint="Try the texts one by one: an empty or overlong one is the usual cause.",
        )
    return rows
