"""What a page is made of: a verdict's record, with a type for every part of it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from consilience.uncertainty import Entropy


class Label(Struct, frozen=True):
    """The winner: its place among the candidates, and its name."""

    index: int
    label: str


class Row(Struct, frozen=True):
    """A candidate's place in the ranking."""

    index: int
    label: str
    passed: int
    tests: int
    rank: float | None = None
    score: float | None = None
    trust: float | None = None
    """The probability that it is right, where trust was asked for."""


class Rival(Struct, frozen=True):
    """The tests that tell the winner from one other candidate."""

    rival: str
    index: int
    tests: tuple[int, ...]


class Other(Struct, frozen=True):
    """An outcome that lost the vote."""

    value: str
    votes: int


class Test(Struct, frozen=True):
    """A call, what is expected of it, on what evidence, and what each candidate did."""

    __test__ = False

    call: str
    expected: str
    route: str
    confidence: float
    votes: int
    total: int
    reliable: bool
    passed: tuple[bool | None, ...]
    got: tuple[str, ...]
    status: tuple[str, ...] = ()
    origin: str = ""
    inductive_confidence: float | None = None
    alternatives: tuple[Other, ...] = ()


class Dropped(Struct, frozen=True):
    """An input that became no test."""

    call: str
    reason: str
    got: tuple[str, ...] = ()
    """What each candidate did there, where it was run on it."""


class Spent(Struct, frozen=True):
    """The tokens of a stage."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False


class Cost(Struct, frozen=True):
    """The tokens of all stages, and their price."""

    prompt_tokens: int
    completion_tokens: int
    dollars: float
    dollars_per_million: float


class Program(Struct, frozen=True):
    """A candidate's name and text."""

    label: str
    code: str


class Trusted(Struct, frozen=True):
    """How likely each candidate is right, and what that figure rests on."""

    value: float | None
    stage: str
    probabilities: tuple[float, ...]
    calibration: str = ""
    notes: tuple[str, ...] = ()


class Step(Struct, frozen=True):
    """A stage of the cascade: what it cost, and the trust it led to."""

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    trust: float | None = None


class Course(Struct, frozen=True):
    """The stages that were run, and the one that was not."""

    stopped: str
    settled: bool
    steps: tuple[Step, ...]
    level: float | None = None
    ahead: Step | None = None


class Moved(Struct, frozen=True):
    """A figure that raised or lowered trust, in words."""

    name: str
    logit: float
    told: str


class Duel(Struct, frozen=True):
    """What tells the leader from one rival."""

    index: int
    test: int | None = None


class Disputed(Struct, frozen=True):
    """The input on which the candidates are most divided, and who gave the same there."""

    groups: tuple[tuple[int, ...], ...]
    test: int | None = None
    dropped: int | None = None


class Bridge(Struct, frozen=True):
    """Two programs to read side by side."""

    one: int
    other: int
    diff: tuple[str, ...] = ()


class Reasons(Struct, frozen=True):
    """Why trust is as high or as low as it is."""

    against: tuple[Duel, ...] = ()
    moved: tuple[Moved, ...] = ()
    disputed: Disputed | None = None
    bridge: Bridge | None = None


class Shown(Struct, frozen=True):
    """A verdict as a page shows it."""

    schema: str
    task: str
    entry_point: str
    reason: str
    ranking: tuple[Row, ...]
    tests: tuple[Test, ...]
    usage: dict[str, Spent]
    cost: Cost
    isolation: str
    preset: str = ""
    method: str = ""
    model: str | None = None
    tau: float | None = None
    prompt: str = ""
    winner: Label | None = None
    ranked_by: Literal["tests", "trust", "behaviour"] = "tests"
    deciding: tuple[Rival, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    candidates: tuple[Program, ...] = ()
    entropy: Entropy | None = None
    partial: str | None = None
    trust: Trusted | None = None
    course: Course | None = None
    judged: bool = True
    title: str = ""
    reasons: Reasons | None = None

    @property
    def labels(self) -> dict[int, str]:
        """The candidates' names by their place, best first."""
        return {row.index: row.label for row in self.ranking}
