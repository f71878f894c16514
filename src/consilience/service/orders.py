"""What a client may ask for: the body of a request, checked field by field.

These classes are the schemas of the OpenAPI document and of the MCP tools too, so their
docstrings and descriptions are written for whoever calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from consilience.code import assertions
from consilience.code.given_examples import examples_of
from consilience.code.parsing import parse
from consilience.errors import InputError
from consilience.formats.jsonl import Row
from consilience.formats.module import read_python
from consilience.formats.samples import program_of
from consilience.formats.shaped import names_target, shape_of, task_of
from consilience.formats.source import read_text
from consilience.formats.suite_jsonl import suites_of
from consilience.service import Bounds, Kind
from consilience.service.choices import Choices
from consilience.service.refusals import TooLargeError
from consilience.stated import expected
from consilience.task import Candidate, Shape, Task, TestCase, TestInput, TestSuite
from consilience.uncertainty.fase import DEFAULT_ALPHA

_Text = Annotated[str, Meta(min_length=1)]


class TaskText(Struct, frozen=True, forbid_unknown_fields=True):
    """The function, method, class or script to write."""

    prompt: Annotated[
        str,
        Meta(
            min_length=1,
            description="What the model was asked: a Python function or class with docstrings"
            " and no bodies, the statement of a program that reads standard input, or plain"
            " text. Examples in it are used as evidence.",
        ),
    ]
    entry_point: Annotated[
        str | None,
        Meta(
            description="What is to be written: `f`, `Solution.f`, `Stack`; may be left out"
            " where the prompt shows it, and for a script."
        ),
    ] = None
    shape: Annotated[
        Shape | None,
        Meta(description="What it is; may be left out where the prompt shows it."),
    ] = None
    context: Annotated[
        str | None,
        Meta(
            description="Source around it in its own file (imports, helpers, types), run before"
            " every candidate."
        ),
    ] = None
    id: Annotated[str | None, Meta(description="Your own name for the task.")] = None

    def task(self) -> Task:
        """Return the task, with the examples that its prompt states.

        Raises:
            InputError: it is not clear which function is to be written.
        """
        name = self.entry_point
        if name is not None and not names_target(name):
            message = f"`task.entry_point` is not the name of a function: {name[:60]!r}."
            raise InputError(message, hint='Such as "find_median" or "Solution.find".')
        task = self._read() if name is None else self._named(name)
        task = replace(task, id=self.id or task.entry_point or "script")
        return task if self.context is None else replace(task, context=self.context)

    def _named(self, name: str) -> Task:
        return task_of(name, self.prompt, name, self.shape or shape_of(self.prompt, name))

    def _read(self) -> Task:
        read = read_text if parse(self.prompt) is None else read_python
        try:
            return read(Path("task"), self.prompt, None, self.shape)
        except InputError as error:
            hint = 'Name the function in "entry_point".'
            raise InputError("It is not clear which function to write.", hint=hint) from error


class CandidateText(Struct, frozen=True, forbid_unknown_fields=True):
    """A program that claims to solve the task."""

    code: Annotated[
        str,
        Meta(description="A whole program, or a model's reply that holds one in a code fence."),
    ]
    label: Annotated[
        str | None, Meta(description="How you know it: a file, a model, a number.")
    ] = None


_Programs = Annotated[
    list[str | CandidateText],
    Meta(min_length=1, description="The programs to compare, each as text or with a label."),
]
_CHOICES = Choices()


class JudgeOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Say which candidate to trust, how far, and why. A model writes the tests."""

    task: TaskText
    candidates: _Programs
    choices: Choices = _CHOICES


class TestsOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Write tests for a task, each with the votes for its expected output."""

    __test__ = False  # pytest: this is a noun

    task: TaskText
    choices: Choices = _CHOICES


class RankOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Rank candidates by tests that are there already: no model is asked.

    Give either `suite`, as the result of a tests job has it, or `task` and `tests`.
    """

    candidates: _Programs
    suite: Annotated[
        list[dict[str, Any]] | None, Meta(description="The `suite` of a tests job, unchanged.")
    ] = None
    task: TaskText | None = None
    tests: Annotated[
        list[str] | None,
        Meta(
            description="Python assertions with literal arguments, or doctests with answers.",
            examples=[["find(10, -2) == -5", "assert find(9, 2) == 4"]],
        ),
    ] = None

    def suited(self) -> TestSuite:
        """Return the tests to rank by.

        Raises:
            InputError: there are none, or one cannot be read.
        """
        if self.suite is not None and self.task is None and self.tests is None:
            return _suite_of(self.suite)
        if self.suite is None and self.task is not None and self.tests:
            task = self.task.task()
            return TestSuite(task, tuple(_test(text, task) for text in self.tests))
        message = "To rank, give `suite`, or both `task` and `tests`."
        raise InputError(message, hint='Such as "tests": ["find(10, -2) == -5"].')


class EntropyOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Say how uncertain the samples of one task are: 0 all agree, 1 all differ."""

    samples: Annotated[list[str], Meta(min_length=1, description="Programs, one a sample.")]
    measures: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            max_length=6,
            description="Of fase, structural, structural-authors, textual, fase+structural,"
            " hdbscan.",
        ),
    ] = ("fase", "structural")
    rule: Annotated[
        Literal["consilience", "paper", "authors"],
        Meta(description="How FASE finds its radius."),
    ] = "consilience"
    alpha: Annotated[float, Meta(ge=0, description="Multiplies the radius.")] = DEFAULT_ALPHA


Order = JudgeOrder | TestsOrder | RankOrder | EntropyOrder
ORDERS: dict[Kind, type[Order]] = {
    "judge": JudgeOrder,
    "tests": TestsOrder,
    "rank": RankOrder,
    "entropy": EntropyOrder,
}


def read(kind: Kind, body: bytes, bounds: Bounds) -> Order:
    """Read the body of a request.

    Raises:
        InputError: it is not JSON, or a field is missing, unknown or of the wrong type.
        TooLargeError: it has more candidates, samples or tests than *bounds* allow.
    """
    try:
        order: Order = msgspec.json.decode(body, type=ORDERS[kind])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(error) from None
    return within(order, bounds)


def convert(kind: Kind, fields: dict[str, Any], bounds: Bounds) -> Order:
    """Do as `read` with JSON that is decoded already."""
    try:
        order: Order = msgspec.convert(fields, ORDERS[kind])
    except (msgspec.ValidationError, RecursionError) as error:
        raise _unreadable(error) from None
    return within(order, bounds)


def within(order: Order, bounds: Bounds) -> Order:
    """Return *order* if it keeps to *bounds*."""
    lists: list[tuple[str, Sequence[Any], int]] = [
        ("candidates", getattr(order, "candidates", ()), bounds.candidates),
        ("samples", getattr(order, "samples", ()), bounds.samples),
        ("tests", getattr(order, "tests", None) or (), bounds.tests),
        ("rows of `suite`", getattr(order, "suite", None) or (), bounds.tests),
    ]
    for name, items, most in lists:
        if len(items) > most:
            message = f"{len(items)} {name} are more than this server takes at once ({most})."
            raise TooLargeError(message, hint="Send fewer, or raise the limit of the server.")
    return order


def programs(given: Sequence[str | CandidateText], task: Task) -> list[Candidate]:
    """Make candidates of texts; the program is taken out of a model's reply."""
    texts = [CandidateText(each) if isinstance(each, str) else each for each in given]
    return [
        Candidate(
            task.id, program_of(text.code, task), place, text.label or f"candidate {place}"
        )
        for place, text in enumerate(texts)
    ]


def _unreadable(error: Exception) -> InputError:
    told = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    message = f"The order cannot be read: {told.rstrip('.')}."
    return InputError(
        message, hint="Its schema says what it may hold (GET /openapi.json, or tools/list)."
    )


def _suite_of(rows: Sequence[dict[str, Any]]) -> TestSuite:
    numbered = (Row(row, Path("suite"), place) for place, row in enumerate(rows, 1))
    suites = suites_of(numbered, "suite")
    if len(suites) != 1:
        message = f"`suite` holds the tests of {len(suites)} tasks."
        raise InputError(message, hint="Rank the candidates of one task at a time.")
    return suites[0]


def _test(text: str, task: Task) -> TestCase:
    found = assertions(text, task.entry_point.rpartition(".")[2])
    found = found or examples_of(text, task.entry_point, task.shape)
    if len(found) != 1:
        message = f"Not a test of {task.entry_point}: {text[:80]!r}."
        hint = f"Write an assertion with literals: {task.entry_point}(1, [2]) == 3."
        raise InputError(message, hint=hint)
    return TestCase(TestInput(found[0].probe, "given"), expected(found[0]), "given", 1.0)
