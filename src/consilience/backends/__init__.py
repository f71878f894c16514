"""Map over work, in order: the protocol.

The implementation for this machine is in `local`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Backend(Protocol):
    """Anything that applies a function to many items."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield the result of each item, in the order of the items.

        Items are taken lazily, only a bounded number ahead of what was consumed. Once one has
        failed no further item is begun; results before it are still yielded, then its error is
        raised.
        """
        ...
