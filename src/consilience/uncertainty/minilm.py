"""all-MiniLM-L6-v2 in numpy: sentence vectors in single precision, no torch.

Covers BERT encoders with mean pooling stored as safetensors in F32. Quantised weights are refused
on purpose: dynamic int8 changed a third of the classes (research, 164 tasks x 24 settings).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from consilience.errors import WeightsError
from consilience.uncertainty.blas import one_thread
from consilience.uncertainty.wordpiece import WordPiece

Array = npt.NDArray[np.float32]
Overflow = Literal["pool", "truncate"]

_HEADS = 12
_WINDOW = 254  # tokens beside [CLS] and [SEP]: what the model was trained on
_BATCH = 1024  # tokens a batch: larger ones leave the cache and lose


class MiniLM:
    """Encode texts; longer ones are split into windows and pooled, or cut, as *overflow* says."""

    def __init__(
        self,
        weights: str | Path,
        vocabulary: str | Path | None = None,
        *,
        overflow: Overflow = "pool",
        workers: int | None = None,
    ) -> None:
        """Read *weights*: a safetensors file, or a folder of model.safetensors and vocab.txt."""
        path = Path(weights)
        file = path / "model.safetensors" if path.is_dir() else path
        words = Path(vocabulary) if vocabulary is not None else file.with_name("vocab.txt")
        if not file.is_file() or not words.is_file():
            raise WeightsError(f"No model.safetensors and vocab.txt at {path}.", hint=_FETCH)
        self.overflow = overflow
        self.name = f"all-minilm-l6-v2/f32/{overflow}"
        self._workers = workers or os.cpu_count() or 1
        self._pieces = WordPiece(words)
        self._bert = _Bert.read(file)

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
        """Cut tokens into windows of nearly equal length, each between its own [CLS] and [SEP]."""
        if self.overflow == "truncate":
            tokens = tokens[:_WINDOW]
        parts = max(1, -(-len(tokens) // _WINDOW))
        bounds = [len(tokens) * part // parts for part in range(parts + 1)]
        return [
            [self._pieces.begin, *tokens[low:high], self._pieces.end]
            for low, high in zip(bounds, bounds[1:], strict=False)
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


@dataclass(frozen=True, slots=True)
class _Layer:
    """Weights of one transformer layer, matrices transposed for row vectors."""

    qkv: tuple[Array, Array]
    out: tuple[Array, Array]
    norm_out: tuple[Array, Array]
    up: tuple[Array, Array]
    down: tuple[Array, Array]
    norm_down: tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class _Bert:
    """The forward pass, on sequences laid end to end: nothing is padded."""

    words: Array
    positions: Array
    norm: tuple[Array, Array]
    layers: tuple[_Layer, ...]

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        return int(self.words.shape[1])

    @classmethod
    def read(cls, file: Path) -> _Bert:
        tensors = read_safetensors(file)
        depth = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
        try:
            return cls(
                tensors["embeddings.word_embeddings.weight"],
                # Every token is of the first segment, so its vector joins the position's.
                tensors["embeddings.position_embeddings.weight"]
                + tensors["embeddings.token_type_embeddings.weight"][0],
                _pair(tensors, "embeddings.LayerNorm"),
                tuple(_layer(tensors, f"encoder.layer.{index}") for index in range(depth)),
            )
        except KeyError as error:
            raise WeightsError(f"{file} has no tensor {error}.", hint=_FETCH) from error

    def forward(self, sequences: Sequence[Sequence[int]]) -> Array:
        """Return the sum of the last layer's token vectors of each sequence."""
        lengths = [len(sequence) for sequence in sequences]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.concatenate([np.asarray(sequence, dtype=np.intp) for sequence in sequences])
        places = np.concatenate([np.arange(length) for length in lengths])
        hidden = _normalise(self.words[tokens] + self.positions[places], self.norm)
        for layer in self.layers:
            hidden = _apply(layer, hidden, bounds)
        return np.asarray(np.add.reduceat(hidden, bounds[:-1], axis=0), dtype=np.float32)


def _apply(layer: _Layer, hidden: Array, bounds: npt.NDArray[np.intp]) -> Array:
    mixed = np.empty_like(hidden)
    qkv = hidden @ layer.qkv[0] + layer.qkv[1]
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        mixed[start:stop] = _attend(qkv[start:stop])
    attended = _normalise(mixed @ layer.out[0] + (hidden + layer.out[1]), layer.norm_out)
    wide = attended @ layer.up[0]
    wide += layer.up[1]
    _gelu(wide)
    return _normalise(wide @ layer.down[0] + (attended + layer.down[1]), layer.norm_down)


def _attend(qkv: Array) -> Array:
    """Return multi-head attention of one sequence; the query comes already scaled."""
    length, width = qkv.shape
    query, key, value = qkv.reshape(length, 3, _HEADS, width // 3 // _HEADS).transpose(1, 2, 0, 3)
    scores = query @ key.transpose(0, 2, 1)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return (scores @ value).transpose(1, 0, 2).reshape(length, width // 3)


def _normalise(x: Array, weights: tuple[Array, Array]) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[-1]) + _EPSILON)
    x *= weights[0]
    x += weights[1]
    return x


_EPSILON = np.float32(1e-12)


def _gelu(x: Array) -> None:
    """Replace x by x Phi(x), in blocks that stay in the cache.

    erf by Abramowitz and Stegun, 7.1.26: within 1.5e-7, as fine as single precision.
    """
    for row in range(0, len(x), 16):
        block = x[row : row + 16]
        z = np.abs(block)
        z *= np.float32(0.7071067811865476)
        t = 1 / (1 + np.float32(0.3275911) * z)
        poly = np.full_like(t, 1.061405429)
        for term in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            poly *= t
            poly += np.float32(term)
        poly *= t
        np.multiply(z, z, out=z)
        np.negative(z, out=z)
        np.exp(z, out=z)
        poly *= z  # erfc of |x| / sqrt 2
        # x Phi(x) = max(x, 0) - |x| erfc / 2
        poly *= np.abs(block) * np.float32(0.5)
        np.maximum(block, 0, out=block)
        block -= poly


def read_safetensors(file: Path) -> dict[str, Array]:
    """Map the F32 tensors of a safetensors file: 8 bytes of length, a JSON header, the numbers.

    Raises:
        WeightsError: The file is cut off, or holds another kind of numbers.
    """
    data = np.memmap(file, dtype=np.uint8, mode="r")
    size = int.from_bytes(data[:8].tobytes(), "little")
    if len(data) < 8 or size > len(data) - 8:
        raise WeightsError(f"{file} is not a whole safetensors file.", hint=_FETCH)
    try:
        header = json.loads(data[8 : 8 + size].tobytes())
    except ValueError as error:
        raise WeightsError(f"{file} has no readable header.", hint=_FETCH) from error
    header.pop("__metadata__", None)
    return {name: _tensor(file, data[8 + size :], entry) for name, entry in header.items()}


def _tensor(file: Path, data: npt.NDArray[np.uint8], entry: Mapping[str, object]) -> Array:
    start, stop = entry["data_offsets"]  # type: ignore[misc]
    if stop > len(data):
        raise WeightsError(f"{file} is cut off.", hint=_FETCH)
    if entry["dtype"] == "I64":  # position numbers that some exports carry; never used
        return np.empty(0, dtype=np.float32)
    if entry["dtype"] != "F32":
        raise WeightsError(f"{file} holds {entry['dtype']} numbers; F32 is needed.", hint=_FETCH)
    return data[start:stop].view("<f4").reshape(entry["shape"])  # type: ignore[call-overload]


def _pair(tensors: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    return np.array(tensors[f"{name}.weight"]), np.array(tensors[f"{name}.bias"])


def _dense(tensors: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    weight, bias = _pair(tensors, name)
    return np.ascontiguousarray(weight.T), bias


def _layer(tensors: Mapping[str, Array], name: str) -> _Layer:
    query, key, value = (
        _dense(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value")
    )
    scale = np.float32((query[0].shape[1] // _HEADS) ** -0.5)
    return _Layer(
        qkv=(
            np.concatenate([query[0] * scale, key[0], value[0]], axis=1),
            np.concatenate([query[1] * scale, key[1], value[1]]),
        ),
        out=_dense(tensors, f"{name}.attention.output.dense"),
        norm_out=_pair(tensors, f"{name}.attention.output.LayerNorm"),
        up=_dense(tensors, f"{name}.intermediate.dense"),
        down=_dense(tensors, f"{name}.output.dense"),
        norm_down=_pair(tensors, f"{name}.output.LayerNorm"),
    )


_FETCH = "Fetch it: consilience models fetch all-minilm-l6-v2"
