"""Cosine distances between samples: symmetric, in [0, 2], zero between equal rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.errors import InputError

Floats = npt.NDArray[np.float64]


def cosine_distances(vectors: npt.ArrayLike) -> Floats:
    """Return D[..., i, j] = 1 - cosine of rows i and j of *vectors* (..., n, dimensions).

    Distances that rounding alone separates from 0 are 0, so equal rows are exactly equal. A
    zero vector (nothing was encoded) is at 0 from another zero vector and at 1 from everything
    else.
    """
    cosines, empty = _cosines(vectors)
    distances: Floats = np.subtract(1.0, cosines, dtype=np.float64)
    if empty.any():
        distances[empty[..., :, None] & empty[..., None, :]] = 0.0
    distances[distances < _ROUNDING] = 0.0
    _clear_diagonal(distances)
    np.minimum(distances, 2.0, out=distances)
    return distances


def _cosines(vectors: npt.ArrayLike) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.bool_]]:
    """Return symmetric cosines in the precision of *vectors*, and which rows are zero."""
    rows = np.asarray(vectors)
    if rows.dtype not in {np.dtype(np.float32), np.dtype(np.float64)}:
        rows = rows.astype(np.float64)
    if rows.ndim < 2 or not np.isfinite(rows).all():
        raise InputError("Vectors must be rows of finite numbers.", hint=_CHECK)
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    cosines = unit @ np.swapaxes(unit, -1, -2)
    cosines = cosines + np.swapaxes(cosines, -1, -2)
    cosines *= 0.5
    return cosines, length[..., 0] == 0


def _clear_diagonal(matrix: Floats) -> None:
    matrix[..., np.arange(matrix.shape[-1]), np.arange(matrix.shape[-1])] = 0.0


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
    cosines, _ = _cosines(np.asarray(vectors, dtype=np.float32))
    return _floor(np.subtract(np.float32(1.0), cosines).astype(np.float64))


def floored(distances: npt.ArrayLike) -> Floats:
    """Apply the published code's floor and rounding to a given matrix."""
    return _floor(cleaned(distances))


def _floor(matrix: Floats) -> Floats:
    np.maximum(matrix, _FLOOR, out=matrix)
    np.round(matrix, 6, out=matrix)
    _clear_diagonal(matrix)
    return matrix


_CHECK = "Check the encoder's output, or the matrix that was passed in."
_FLOOR = 1e-6
_ROUNDING = 5e-7  # encoders in single precision repeat themselves to about 1e-7
