"""Read the safetensors format: 8 bytes of length, a JSON header, the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.errors import WeightsError

Array = npt.NDArray[np.float32]


def read_safetensors(file: Path) -> dict[str, Array]:
    """Map the F32 tensors of a safetensors file; integer ones (position numbers) are left out.

    Raises:
        WeightsError: The file is cut off, or holds another kind of numbers.
    """
    if file.stat().st_size < 8:
        raise _broken(file, "is not a whole safetensors file")
    data = np.memmap(file, dtype=np.uint8, mode="r")
    size = int.from_bytes(data[:8].tobytes(), "little")
    if size > len(data) - 8:
        raise _broken(file, "is not a whole safetensors file")
    try:
        header: dict[str, Any] = json.loads(data[8 : 8 + size].tobytes())
    except ValueError as error:
        raise _broken(file, "has no readable header") from error
    header.pop("__metadata__", None)
    numbers = data[8 + size :]
    return {
        name: _tensor(file, numbers, entry)
        for name, entry in header.items()
        if not entry["dtype"].startswith("I")
    }


def _tensor(file: Path, numbers: npt.NDArray[np.uint8], entry: dict[str, Any]) -> Array:
    start, stop = entry["data_offsets"]
    if stop > len(numbers):
        raise _broken(file, "is cut off")
    if entry["dtype"] != "F32":
        raise _broken(file, f"holds {entry['dtype']} numbers where F32 is needed")
    tensor: Array = numbers[start:stop].view("<f4").reshape(entry["shape"])
    return tensor


def _broken(file: Path, what: str) -> WeightsError:
    return WeightsError(
        f"{file} {what}.", hint="Fetch it again: consilience models pull all-minilm-l6-v2"
    )
