"""The worker's heap before it forks: what a child allocates shall lie together.

Every page that a child writes to is copied first, about 2 microseconds each. Importing leaves
the allocator with hundreds of half-free pools, and a child that allocates from them writes to
a page of each; filled up, it allocates from fresh pools, one page after the other.
"""

from __future__ import annotations

POOL = 1 << 14
HEADER = 48
LARGEST = 512
"""CPython's pools of small objects: bytes of a pool, of its header, of the largest object."""
ENOUGH = 6000


def fill_holes() -> list[object]:
    """Return objects that take up what is free in the pools in use; keep them."""
    kept: list[object] = []
    for size in range(16, LARGEST + 1, 16):
        for _ in range(ENOUGH):
            kept.append(_object_of(size))
            # The first two places of a pool: a fresh one was opened, so no other has room.
            first, second = kept[-2:] if len(kept) > 1 else (0, 0)
            if id(first) % POOL == HEADER and id(second) == id(first) + size:
                break
    return kept


def _object_of(size: int) -> object:
    """Make an object that the allocator rounds up to *size* bytes."""
    if size == 16:
        return object()
    if size == 32:
        return float(size)
    return bytes(size - bytes.__basicsize__ - 8)
