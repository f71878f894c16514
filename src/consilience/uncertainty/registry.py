"""Every measure that needs no model, by name; those that need one are objects to pass in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from consilience.errors import UsageError
from consilience.store import Store
from consilience.uncertainty import Encoder, Measure, Partition, Score
from consilience.uncertainty.clusters import join, meet
from consilience.uncertainty.encoders import default_encoder
from consilience.uncertainty.fase import DEFAULT_ALPHA, Fase
from consilience.uncertainty.hdbscan import FixedSize
from consilience.uncertainty.radius import RULES, Rule
from consilience.uncertainty.spread import Closeness, Graded, TextualCloseness
from consilience.uncertainty.structure import Structural
from consilience.uncertainty.text import Textual


@dataclass(frozen=True, slots=True)
class Setting:
    """What the measures of the registry are built with."""

    encoder: Encoder | None = None
    """None: MiniLM where its weights are at hand, else hashed n-grams."""
    rule: Rule = RULES["consilience"]
    alpha: float = DEFAULT_ALPHA
    store: Store | None = None

    def chosen(self) -> Encoder:
        """Return the encoder; the default one is looked for only where a measure needs it."""
        return self.encoder or default_encoder()


def _fase(setting: Setting) -> Fase:
    return Fase(setting.chosen(), setting.rule, setting.alpha, setting.store)


MEASURES: dict[str, Callable[[Setting], Measure]] = {
    "fase": _fase,
    "structural": lambda _: Structural(),
    "structural-authors": lambda _: Structural("authors", "structural-authors"),
    "textual": lambda _: Textual(),
    "fase+structural": lambda setting: Union(_fase(setting), Structural(), "fase+structural"),
    "hdbscan": lambda setting: FixedSize(setting.chosen(), store=setting.store),
}
"""Name -> how to build it."""

SCORES: dict[str, Callable[[Setting], Score]] = {
    "closeness": lambda setting: Closeness(setting.chosen(), setting.store),
    "closeness-syntax": lambda _: Closeness(name="closeness-syntax"),
    "closeness-text": lambda _: TextualCloseness("closeness-text"),
    "graded": lambda _: Graded(),
}
"""Confidences without classes, by name."""


def measure(name: str, setting: Setting) -> Measure:
    """Build the measure called *name*.

    Raises:
        UsageError: There is no such measure.
    """
    if name not in MEASURES:
        message = f"No measure {name!r}."
        raise UsageError(message, hint=f"Choose from: {', '.join(MEASURES)}.")
    return MEASURES[name](setting)


def score(name: str, setting: Setting) -> Score:
    """Build the score called *name*.

    Raises:
        UsageError: There is no such score.
    """
    if name not in SCORES:
        message = f"No score {name!r}."
        raise UsageError(message, hint=f"Choose from: {', '.join(SCORES)}.")
    return SCORES[name](setting)


@dataclass(frozen=True, slots=True)
class Union:
    """Samples are equivalent when either measure says so (aligned by sample)."""

    left: Measure
    right: Measure
    name: str

    def partition(self, samples: Sequence[str]) -> Partition:
        """Join the two partitions."""
        return replace(
            join(self.left.partition(samples), self.right.partition(samples)), measure=self.name
        )


@dataclass(frozen=True, slots=True)
class Intersection:
    """Samples are equivalent when both measures say so (aligned by sample)."""

    left: Measure
    right: Measure
    name: str

    def partition(self, samples: Sequence[str]) -> Partition:
        """Meet the two partitions."""
        return replace(
            meet(self.left.partition(samples), self.right.partition(samples)), measure=self.name
        )
