"""When enough programs have voted: the chance that the rest would decide otherwise.

With one vote for each outcome beforehand (a uniform Dirichlet prior over the leader, one rival
and all else), the outcomes of the r programs not drawn yet follow a Dirichlet-multinomial:

    P(a, b, c) = r! / (a! b! c!) * (n1 + 1)_a (n2 + 1)_b (n3 + 1)_c / (n1 + n2 + n3 + 3)_r

with (x)_k the rising factorial. A rival overtakes, or ties, where n2 + b >= n1 + a. Summed over
the rivals, and one that nobody has named yet, that bounds the chance of a change. It is 0
exactly where the leader cannot be overtaken. Fractions, so that no rounding decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import factorial, prod

from consilience.votes import Votes


def stages(total: int, first: int, batch: int) -> Iterator[int]:
    """Yield how many programs are drawn in all after each request, *total* in the end."""
    drawn = min(first, total) or total
    while drawn < total:
        yield drawn
        drawn = min(total, drawn + (batch or total))
    yield total


def is_settled(votes: Votes, remaining: int, doubt: float = 0.0) -> bool:
    """Tell whether *remaining* votes change the winner with a chance of at most *doubt*."""
    if votes.winner is None:
        return False
    # Through text: 0.05 means five hundredths.
    return change(votes, remaining) <= Fraction(str(doubt))


def change(votes: Votes, remaining: int) -> Fraction:
    """Bound the chance that *remaining* further votes overtake or tie with the leader."""
    if votes.winner is None:
        return Fraction(1)
    rivals = [alternative.count for alternative in votes.alternatives]
    cast = votes.count + sum(rivals) + votes.failures
    chances = (
        overtaken(votes.count, rival, cast - votes.count - rival, remaining)
        for rival in (*rivals, 0)
    )
    return min(Fraction(1), sum(chances, Fraction(0)))


@lru_cache(maxsize=4096)
def overtaken(leader: int, rival: int, others: int, remaining: int) -> Fraction:
    """Return the chance that *rival* reaches *leader* with *remaining* votes still to come."""
    ways = 0
    for gained in range(remaining + 1):
        for lost in range(remaining - gained + 1):
            if rival + gained >= leader + lost:
                rest = remaining - gained - lost
                ways += _ways((leader, lost), (rival, gained), (others, rest))
    return Fraction(ways, _rising(leader + rival + others + 3, remaining))


def _ways(*shares: tuple[int, int]) -> int:
    """Weigh one outcome of the draws: (votes so far, votes to come) of each class."""
    drawn = sum(more for _, more in shares)
    orders = factorial(drawn) // prod(factorial(more) for _, more in shares)
    return orders * prod(_rising(votes + 1, more) for votes, more in shares)


def _rising(start: int, length: int) -> int:
    return prod(range(start, start + length))
