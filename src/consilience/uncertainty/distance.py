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
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim < 2 or not np.isfinite(rows).all():
        raise InputError("Vectors must be rows of finite numbers.", hint=_CHECK)
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    distances = 1.0 - unit @ np.swapaxes(unit, -1, -2)
    empty = length[..., 0] == 0
    distances[empty[..., :, None] & empty[..., None, :]] = 0.0
    # float32 encoders repeat themselves to about 1e-7 a component.
    distances[distances < _ROUNDING] = 0.0
    return cleaned(distances)


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
    matrix[..., np.arange(matrix.shape[-1]), np.arange(matrix.shape[-1])] = 0.0
    return matrix


def published_distances(vectors: npt.ArrayLike) -> Floats:
    """Return the distances as the published FASE code makes them, for parity.

    Single precision, no distance between samples below 1e-6, six digits, no upper limit.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    distances = 1.0 - unit @ np.swapaxes(unit, -1, -2)
    distances = np.round(np.maximum(distances, np.float32(_FLOOR)).astype(np.float64), 6)
    distances = (distances + np.swapaxes(distances, -1, -2)) / 2
    distances[..., np.arange(rows.shape[-2]), np.arange(rows.shape[-2])] = 0.0
    result: Floats = distances
    return result


def floored(distances: npt.ArrayLike) -> Floats:
    """Apply the published code's floor and rounding to a given matrix."""
    matrix: Floats = np.maximum(cleaned(distances), _FLOOR)
    matrix = matrix.round(6)
    matrix[..., np.arange(matrix.shape[-1]), np.arange(matrix.shape[-1])] = 0.0
    return matrix


_CHECK = "Check the encoder's output, or the matrix that was passed in."
_FLOOR = 1e-6
_ROUNDING = 5e-7
