"""all-MiniLM-L6-v2 in numpy: sentence vectors in single precision, no torch.

Covers BERT encoders with mean pooling stored as safetensors in F32. Quantised weights are
refused on purpose: dynamic int8 changed a third of the classes (research, 164 tasks x 24
settings).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from consilience.errors import WeightsError
from consilience.uncertainty.bert import Bert
from consilience.uncertainty.blas import one_thread
from consilience.uncertainty.safetensors import Array
from consilience.uncertainty.wordpiece import WordPiece

Overflow = Literal["pool", "truncate"]

_WINDOW = 254  # tokens beside [CLS] and [SEP]: what the model was trained on
_BATCH = 1024  # tokens a batch: larger ones leave the cache and lose


class MiniLM:
    """Encode texts; long ones are split and pooled, or cut, as *overflow* says."""

    def __init__(
        self,
        weights: str | Path,
        vocabulary: str | Path | None = None,
        *,
        overflow: Overflow = "pool",
        workers: int | None = None,
    ) -> None:
        """Read *weights*: a safetensors file, or a folder with it and vocab.txt."""
        path = Path(weights)
        file = path / "model.safetensors" if path.is_dir() else path
        words = Path(vocabulary) if vocabulary is not None else file.with_name("vocab.txt")
        if not file.is_file() or not words.is_file():
            message = f"No model.safetensors and vocab.txt at {path}."
            raise WeightsError(
                message, hint="Fetch them: consilience models pull all-minilm-l6-v2"
            )
        self.overflow = overflow
        self.name = f"all-minilm-l6-v2/f32/{overflow}"
        self._workers = workers or os.cpu_count() or 1
        self._pieces = WordPiece(words)
        self._bert = Bert.read(file)

    def windows(self, text: str) -> int:
        """Tell how many context windows *text* takes; more than 1 means pooled or cut."""
        return max(1, -(-len(self._pieces.tokenize(text)) // _WINDOW))

    def encode(self, sentences: list[str], /) -> Array:
        """Return one unit vector for each text, (n, 384)."""
        windows = [self._split(self._pieces.tokenize(text)) for text in sentences]
        flat = [window for group in windows for window in group]
        sums = self._sums(flat)
        vectors = np.zeros((len(sentences), self._bert.size), dtype=np.float32)
        start = 0
        for row, group in enumerate(windows):
            vectors[row] = sums[start : start + len(group)].sum(axis=0)
            start += len(group)
        # Mean pooling and unit length: the count of tokens cancels.
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(length, 1e-12), dtype=np.float32)

    def _split(self, tokens: list[int]) -> list[list[int]]:
        """Cut tokens into windows of nearly equal length, each with its [CLS] and [SEP]."""
        if self.overflow == "truncate":
            tokens = tokens[:_WINDOW]
        parts = max(1, -(-len(tokens) // _WINDOW))
        bounds = [len(tokens) * part // parts for part in range(parts + 1)]
        return [
            [self._pieces.begin, *tokens[low:high], self._pieces.end]
            for low, high in pairwise(bounds)
        ]

    def _sums(self, windows: list[list[int]]) -> Array:
        """Return the sum of token vectors of each window, batches spread over the workers."""
        sums = np.empty((len(windows), self._bert.size), dtype=np.float32)
        batches = _batches([len(window) for window in windows])

        def fill(batch: list[int]) -> None:
            sums[batch] = self._bert.forward([windows[index] for index in batch])

        with one_thread(), ThreadPoolExecutor(self._workers) as pool:
            list(pool.map(fill, batches))
        return sums


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Group windows by length, longest first, at most `_BATCH` tokens a batch."""
    batches: list[list[int]] = []
    filled = _BATCH
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        if filled + lengths[index] > _BATCH:
            batches.append([])
            filled = 0
        batches[-1].append(index)
        filled += lengths[index]
    return batches
