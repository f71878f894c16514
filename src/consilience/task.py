"""The nouns that flow through Consilience: frozen, without behaviour.

A probe is a doctest without its answer: what drives a program. What comes back is an
observation, a `values.Value`. Arguments and reference values are plain data (None, bool, int,
float, complex, str, bytes, list, tuple, set, frozenset, dict).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from consilience.values import Value

Origin = Literal["example", "seed", "mutation", "given"]
Route = Literal["given", "inductive", "transductive", "pooled", "predicted", "reference"]
Shape = Literal["function", "method", "class", "script"]
"""What a program is. Only `interfaces` asks."""


@dataclass(frozen=True, slots=True)
class Session:
    """Lines of Python as a doctest has them, run one after the other beside the program."""

    steps: tuple[str, ...]
    """Statements and expressions; what an expression gives is seen, as a prompt echoes it."""


@dataclass(frozen=True, slots=True)
class Stdin:
    """A text for the standard input of a script."""

    text: str


Probe = tuple[Any, ...] | Session | Stdin
"""The arguments of one call, as plain data; or lines of Python; or a text to be read."""


@dataclass(frozen=True, slots=True)
class Wants:
    """What a task states of a session in a doctest's words: one text a step, maybe empty.

    A text may be a value, what is printed, or a traceback: `stated` finds out which.
    """

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A probe and what comes of it, as the task itself states."""

    probe: Probe
    expected: Any
    """Plain data, a `Value`, or `Wants` where the text has yet to be understood."""

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments, where the probe is a call; none where it is not."""
        return self.probe if isinstance(self.probe, tuple) else ()


@dataclass(frozen=True, slots=True)
class Reference:
    """Ground truth that came with a benchmark: for scoring only, never for judging."""

    solution: str
    """A whole program, ready to run."""
    inputs: tuple[tuple[Any, ...], ...] = ()
    base_count: int = 0
    """How many of `inputs`, from the front, are the benchmark's base inputs."""
    tolerance: float = 0.0
    checker: str = "equal"
    """How outputs are compared: a name that `formats` knows for the dataset's special cases."""


@dataclass(frozen=True, slots=True)
class Project:
    """What of this machine a program may import, besides the standard library: read-only."""

    roots: tuple[str, ...] = ()
    """Folders with the user's own packages."""
    python: str = ""
    """The interpreter of the user's environment; this one where empty."""


@dataclass(frozen=True, slots=True)
class Target:
    """What of a program is driven, what stands around it, and what is seen of it."""

    entry_point: str
    """`f`, `Solution.f`, `Stack`; of no meaning to a script."""
    context: str = ""
    """Source that runs before the program, in the same module; its classes can be compared."""
    raises: tuple[str, ...] = ()
    """Classes of exceptions that are an answer: raising one is an observation."""
    prints: bool = False
    """What is printed counts even where a value is returned."""
    roughly: bool = False
    """Numbers in printed text agree within the tolerance of values."""
    any_case: bool = False
    """Printed text agrees in upper and lower case."""
    scratch_mb: int = 0
    """Size of a writable folder, empty at the start, where this machine grants one."""
    project: Project | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A program to write."""

    id: str
    prompt: str
    """What the model was asked: code with a docstring, or plain text."""
    entry_point: str
    """What is driven: `f`, `Solution.f`, `Stack`; empty for a script."""
    examples: tuple[Example, ...] = ()
    reference: Reference | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    shape: Shape = "function"
    context: str = ""
    """Source around the target in the user's own file, run before every candidate."""
    project: Project | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that claims to solve a task."""

    task_id: str
    code: str
    index: int = 0
    """Its place among the candidates of its task."""
    label: str = ""
    """How a person knows it: a file name, a model, a sample number."""


@dataclass(frozen=True, slots=True)
class TestInput:
    """What drives a program once."""

    __test__ = False  # pytest: this is a noun, not a test class

    probe: Probe
    origin: Origin = "given"

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments, where the probe is a call; none where it is not."""
        return self.probe if isinstance(self.probe, tuple) else ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """An outcome that lost a vote, and how many programs gave it."""

    value: Value
    count: int


@dataclass(frozen=True, slots=True)
class TestCase:
    """An input with the output expected of it, and how far that expectation can be trusted."""

    __test__ = False

    input: TestInput
    expected: Value
    route: Route
    confidence: float
    """Share of the route's programs that gave `expected`; 1.0 for a given test."""
    votes: int = 0
    total: int = 0
    alternatives: tuple[Alternative, ...] = ()
    reliable: bool = True
    """False where neither route reached a decision and the plurality had to serve."""
    inductive_confidence: float | None = None
    """c(x) of CoTT, Eq. 2: the figure that the gate read; null where no gate was asked."""


@dataclass(frozen=True, slots=True)
class TestSuite:
    """The synthesised tests of one task."""

    __test__ = False

    task: Task
    tests: tuple[TestCase, ...]
    dropped: tuple[tuple[TestInput, str], ...] = ()
    """Inputs that became no test, each with the reason."""
    partial: str = ""
    """Why less was asked for than it takes, such as a spent budget; empty for a whole suite."""
