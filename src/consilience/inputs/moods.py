"""What a new input is like: how many items, how far apart its values are, whether at an edge.

Small cases find most wrong programs: few items and small values, so that ties and coincidences
happen. So most are tiny, some lie at the edges of what is allowed, a few are of medium size.
Large ones tell slow programs from fast ones; they come apart, since they cost the most.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Mood:
    """How one input is drawn."""

    items: int
    """Items above the fewest."""
    span: int
    """How far values lie above the lowest."""
    edge: str = ""
    """`low` or `high`, where values are mostly there."""
    most: int = 60
    """Items that any part may have."""

    def size(self, rng: random.Random, low: int, high: int) -> int:
        """Draw how many items there are, of *low* to *high*."""
        if self.most > 60:  # nearly all as large as can be; now and then one is small
            low = min(high, self.most) if rng.random() < 0.85 else low
            return min(low, high)
        most = min(high, low + self.items, max(low, self.most))
        return rng.randint(max(low, most - 2), max(low, most))

    def number(self, rng: random.Random, low: int, high: int, seen: Sequence[int]) -> int:
        """Draw a value of *low* to *high*; now and then one that the samples have."""
        if self.edge and rng.random() < 0.6:
            return low if self.edge == "low" else max(low, high - rng.choice([0, 0, 1, 3]))
        if seen and rng.random() < 0.1 and low <= (one := rng.choice(seen)) <= high:
            return one
        if low < 0 < high and not self.edge:  # around zero, not at the far end
            low = max(low, -(self.span // 2) - 1)
        return rng.randint(low, max(low, min(high, low + self.span + (low < 0))))

    def smaller(self) -> Mood:
        """Return the same with a fifth of the items."""
        return replace(self, items=self.items // 5, most=max(60, self.most // 5))


MOODS = (
    Mood(2, 2), Mood(3, 3), Mood(3, 9), Mood(5, 2), Mood(5, 5), Mood(6, 30), Mood(4, 0),
    Mood(0, 3), Mood(1, 20), Mood(3, 9, "high"), Mood(4, 4, "low"), Mood(12, 4),
    Mood(3, 1000), Mood(15, 20), Mood(8, 1), Mood(6, 100), Mood(4, 10**18), Mood(25, 60),
)  # fmt: skip

WIDE = tuple(Mood(4, 10**power) for power in (1, 2, 2, 3, 4, 6, 9, 18))
"""For numbers alone: of every magnitude."""

ITEMS = 20_000
"""Items of a large input: to compare all pairs takes minutes, what is fast an instant."""
LARGE = (
    Mood(ITEMS, 10**18, most=ITEMS), Mood(ITEMS, 0, most=ITEMS),
    Mood(ITEMS, 10**18, "high", ITEMS), Mood(ITEMS, 2, most=ITEMS),
    Mood(ITEMS, ITEMS, most=ITEMS), Mood(4, 10**18, "high"),
)  # fmt: skip
