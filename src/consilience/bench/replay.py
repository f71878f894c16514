"""A model that only repeats what a store holds: a recorded run is judged again, unpaid."""

from __future__ import annotations

from consilience.errors import ModelUnavailableError
from consilience.models import Reply, Sampling


class Replay:
    """Stands behind a `StoredModel` and refuses whatever the store does not hold."""

    def __init__(self, name: str) -> None:
        """Take the *name* under which the replies were stored."""
        self.name = name

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Raise: asking anew is not what a replay is for."""
        message = f"The store holds no such {n} replies of {self.name}."
        raise ModelUnavailableError(
            message, hint="Name the store of the run, and run with its settings."
        )
