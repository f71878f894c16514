"""Group samples that mean the same, and say how uncertain that leaves us.

A `Measure` turns the samples of one task into a `Partition`; `entropy.summarise` turns a
partition into an `Entropy`. A `Score` is a measure of confidence that has no classes behind it.
Implementations are in the modules beside this one (`registry` knows them by name); none is
imported here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the spanning tree over the samples, first < second."""

    first: int
    second: int
    weight: float


@dataclass(frozen=True, slots=True)
class Partition:
    """Which samples are equivalent."""

    measure: str
    labels: tuple[int, ...]
    """The class of each sample, in sample order, numbered by first appearance."""
    unparsable: tuple[int, ...] = ()
    """Samples that are no valid Python: with their equal texts, in classes of their own."""
    radius: float | None = None
    edges: tuple[Edge, ...] = ()
    """The spanning tree, lightest edge first; empty for measures without a distance."""
    centrality: tuple[float, ...] = ()
    """Mean distance of each sample to the members of its class; empty without a distance."""
    calls: int = 0
    """Calls of a model that it took."""
    notes: tuple[str, ...] = ()
    """What a reader should know: samples cut by the encoder's context, unclear verdicts, n =
    1."""


@dataclass(frozen=True, slots=True)
class SemanticClass:
    """Samples that were found equivalent."""

    members: tuple[int, ...]
    representative: int
    """The member nearest to all others; the first one where no distance is known."""
    share: float


@dataclass(frozen=True, slots=True)
class Bridge:
    """The two samples where the largest disagreement is narrowest, and how they differ."""

    first: int
    second: int
    distance: float | None
    diff: str


@dataclass(frozen=True, slots=True)
class Entropy:
    """How uncertain the samples of one task are, with the evidence for it."""

    measure: str
    bits: float
    """-sum p log2 p over the classes (FASE, Eq. 1), bias-corrected where that was asked for."""
    normalised: float
    """The uncorrected entropy over log2 n, in [0, 1]; 0 for one sample and for one class."""
    labels: tuple[int, ...]
    classes: tuple[SemanticClass, ...]
    """The classes by label."""
    shares: tuple[float, ...]
    """For each sample, the share of its class: larger is better supported, so it can rank."""
    radius: float | None
    edges: tuple[Edge, ...]
    bridge: Bridge | None
    """None where there is one class."""
    unparsable: tuple[int, ...]
    calls: int
    """Calls of a model that it took."""
    notes: tuple[str, ...]


class Measure(Protocol):
    """Anything that groups the samples of one task."""

    @property
    def name(self) -> str:
        """What the measure is called in results."""
        ...

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group *samples* (at least one)."""
        ...


@dataclass(frozen=True, slots=True)
class Confidence:
    """A confidence in the samples of one task that no classes stand behind."""

    measure: str
    value: float | None
    """In [0, 1], larger is surer; None where it is undefined, with the reason in `notes`."""
    samples: tuple[float | None, ...] = ()
    """The same for each sample, where the measure knows it."""
    calls: int = 0
    """Calls of a model that it took."""
    notes: tuple[str, ...] = ()


class Score(Protocol):
    """Anything that says how sure one may be of the samples of one task."""

    @property
    def name(self) -> str:
        """What the score is called in results."""
        ...

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples* (at least one)."""
        ...


class Encoder(Protocol):
    """Anything that turns texts into vectors; `name` and `windows` are used where present."""

    def encode(self, sentences: list[str], /) -> object:
        """Return one row for each text, as something that numpy can read."""
        ...
