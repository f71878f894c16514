"""What the measurements' tests share: where the real benchmarks and samples are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """Find the shared data; skip, with the reason, where it is absent."""
    fallback = BESIDE if BESIDE.exists() else "/work/shared/data"
    found = Path(os.environ.get("CONSILIENCE_DATA", fallback))
    if not found.exists():
        pytest.skip(f"no shared data at {found}")
    return found
