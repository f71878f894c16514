"""How far a cascade went: what each stage cost and found, and what the next would have cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from consilience.models import Usage
from consilience.trust import Stage


@dataclass(frozen=True, slots=True)
class Step:
    """One stage that ran."""

    stage: Stage
    trust: float | None
    """In the leading candidate, from all evidence up to this stage."""
    calls: int = 0
    """Calls of candidates in the sandbox."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of the model."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a stage that did not run would have cost: a reckoning, not a measurement."""

    stage: Stage
    calls: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Course:
    """The way of one verdict through the cascade."""

    steps: tuple[Step, ...]
    level: float | None = None
    """The trust that was asked for; None where all evidence was wanted."""
    ahead: Estimate | None = None
    """The next stage; None after the last."""

    @property
    def stopped(self) -> Stage:
        """The last stage that ran."""
        return self.steps[-1].stage

    @property
    def settled(self) -> bool:
        """Tell whether the trust that was asked for was reached; true where none was."""
        found = self.steps[-1].trust
        return self.level is None or (found is not None and found >= self.level)
