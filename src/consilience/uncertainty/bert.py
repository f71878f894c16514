"""BERT's forward pass in numpy, single precision, on sequences laid end to end: no padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from consilience.errors import WeightsError
from consilience.uncertainty.safetensors import Array, read_safetensors

_HEADS = 12


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one transformer layer, matrices transposed for row vectors."""

    qkv: tuple[Array, Array]
    out: tuple[Array, Array]
    norm_out: tuple[Array, Array]
    up: tuple[Array, Array]
    down: tuple[Array, Array]
    norm_down: tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Bert:
    """An encoder's weights, and its forward pass."""

    words: Array
    positions: Array
    norm: tuple[Array, Array]
    layers: tuple[Layer, ...]

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        return int(self.words.shape[1])

    @classmethod
    def read(cls, file: Path) -> Bert:
        """Read the weights from a safetensors file."""
        tensors = read_safetensors(file)
        depth = len({
            name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")
        })
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
            message = f"{file} is no BERT encoder: it has no tensor {error}."
            raise WeightsError(message) from error

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


def _apply(layer: Layer, hidden: Array, bounds: npt.NDArray[np.intp]) -> Array:
    mixed = np.empty_like(hidden)
    qkv = hidden @ layer.qkv[0] + layer.qkv[1]
    for start, stop in pairwise(bounds.tolist()):
        mixed[start:stop] = _attend(qkv[start:stop])
    attended = _normalise(mixed @ layer.out[0] + (hidden + layer.out[1]), layer.norm_out)
    wide = attended @ layer.up[0]
    wide += layer.up[1]
    _gelu(wide)
    return _normalise(wide @ layer.down[0] + (attended + layer.down[1]), layer.norm_down)


def _attend(qkv: Array) -> Array:
    """Return multi-head attention of one sequence; the query comes already scaled."""
    length, width = qkv.shape
    query, key, value = qkv.reshape(length, 3, _HEADS, width // 3 // _HEADS).transpose(
        1, 2, 0, 3
    )
    scores = query @ key.transpose(0, 2, 1)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed = (scores @ value).transpose(1, 0, 2).reshape(length, width // 3)
    return np.asarray(mixed, dtype=np.float32)


def _normalise(x: Array, weights: tuple[Array, Array]) -> Array:
    centred = np.subtract(x, x.mean(axis=-1, keepdims=True), dtype=np.float32)
    variance = np.einsum("ij,ij->i", centred, centred) / np.float32(x.shape[-1])
    np.divide(centred, np.sqrt(variance + _EPSILON)[:, None], out=centred)
    centred *= weights[0]
    centred += weights[1]
    return np.asarray(centred, dtype=np.float32)


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


def _pair(tensors: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    return np.array(tensors[f"{name}.weight"]), np.array(tensors[f"{name}.bias"])


def _dense(tensors: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    weight, bias = _pair(tensors, name)
    return np.ascontiguousarray(weight.T), bias


def _layer(tensors: Mapping[str, Array], name: str) -> Layer:
    query, key, value = (
        _dense(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value")
    )
    scale = np.float32((query[0].shape[1] // _HEADS) ** -0.5)
    return Layer(
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
