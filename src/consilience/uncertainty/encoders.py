"""Which encoder to use when none is named."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from consilience.models import weights
from consilience.uncertainty import Encoder
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.minilm import MiniLM

FALLBACK = (
    "MiniLM's weights are not on this machine: hashed n-grams were compared instead "
    f"(consilience models pull {weights.DEFAULT_ENCODER})"
)
"""What to note where the default encoder is the fallback."""


def default_encoder() -> Encoder:
    """Return MiniLM where its weights are on this machine, else the hashed encoder."""
    if weights.status(weights.DEFAULT_ENCODER).state != "present":
        return HashedEncoder()
    return _minilm(weights.path(weights.DEFAULT_ENCODER))


@cache
def _minilm(folder: Path) -> MiniLM:
    return MiniLM(folder)  # loaded once a process
