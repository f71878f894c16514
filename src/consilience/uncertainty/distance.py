"""Cosine distances between samples: symmetric, in [0, 2], zero between equal rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.errors import InputError

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.floating]


def cosine_distances(vectors: npt.ArrayLike) -> Floats:
    """Return D[..., i, j] = 1 - cosine of rows i and j of *vectors* (..., n, dimensions).

    Distances that rounding alone separates from 0 are 0, so equal rows are exactly equal. A
    zero vector (nothing was encoded) is at 0 from another zero vector and at 1 from everything
    else.
    """
    rows, length = _measured(vectors)
    distances: Floats = np.subtract(1.0, _cosines(rows, length), dtype=np.float64)
    if not length.all():
        empty = length[..., 0] == 0
        distances[empty[..., :, None] & empty[..., None, :]] = 0.0
    np.maximum(distances, 0.0, out=distances)
    np.minimum(distances, 2.0, out=distances)
    distances *= distances >= _ROUNDING
    _clear_diagonal(distances)
    return distances


def _measured(vectors: npt.ArrayLike) -> tuple[Vectors, Vectors]:
    """Return *vectors* in single or double precision, and their lengths (..., n, 1)."""
    rows = np.asarray(vectors)
    if rows.dtype.char not in "fd":
        rows = rows.astype(np.float64)
    if rows.ndim < 2:
        raise InputError("Vectors must be rows of finite numbers.", hint=_CHECK)
    length = np.sqrt(np.add.reduce(rows * rows, axis=-1, keepdims=True))
    # Finite lengths are of finite numbers: one look at few instead of at all.
    if not np.isfinite(length).all() and not np.isfinite(rows).all():
        raise InputError("Vectors must be rows of finite numbers.", hint=_CHECK)
    return rows, length


def _cosines(rows: Vectors, length: Vectors) -> Vectors:
    """Return cosines in the precision of *rows*; those of a zero vector are 0.

    A matrix times its own transpose is symmetric to the last bit: BLAS computes one triangle.
    """
    if length.all():
        unit = rows / length
    else:
        unit = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    cosines: Vectors = unit @ np.swapaxes(unit, -1, -2)
    return cosines


def _clear_diagonal(matrix: Floats) -> None:
    np.einsum("...ii->...i", matrix)[...] = 0.0


def cleaned(distances: npt.ArrayLike) -> Floats:
    """Return a copy that is symmetric, in [0, 2] and zero on the diagonal.

    Raises:
        InputError: The matrix is not square, or a number is not finite.
    """
    matrix = np.array(distances, dtype=np.float64)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise InputError("A distance matrix must be square.", hint=_CHECK)
    if not np.isfinite(matrix).all():
        raise InputError("A distance matrix must hold finite numbers.", hint=_CHECK)
    matrix = (matrix + np.swapaxes(matrix, -1, -2)) / 2
    np.clip(matrix, 0.0, 2.0, out=matrix)
    _clear_diagonal(matrix)
    return matrix


def published_distances(vectors: npt.ArrayLike) -> Floats:
    """Return the distances as the published FASE code makes them, for parity.

    Single precision, no distance between samples below 1e-6, six digits, no upper limit.
    """
    rows, length = _measured(np.asarray(vectors, dtype=np.float32))
    distances = _cosines(rows, length)
    np.subtract(np.float32(1.0), distances, out=distances)
    np.maximum(distances, np.float32(_FLOOR), out=distances)
    return _rounded(distances.astype(np.float64))


def floored(distances: npt.ArrayLike) -> Floats:
    """Apply the published code's floor and rounding to a given matrix."""
    matrix = cleaned(distances)
    np.maximum(matrix, _FLOOR, out=matrix)
    return _rounded(matrix)


def _rounded(matrix: Floats) -> Floats:
    matrix.round(6, out=matrix)
    _clear_diagonal(matrix)
    return matrix


_CHECK = "Check the encoder's output, or the matrix that was passed in."
_FLOOR = 1e-6
_ROUNDING = 5e-7  # encoders in single precision repeat themselves to about 1e-7
