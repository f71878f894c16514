"""Who passed what: candidates by tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consilience import values
from consilience.errors import UsageError
from consilience.sandbox import Outcome
from consilience.task import Candidate, TestCase, TestSuite
from consilience.values import Value

Checker = Callable[[TestCase, Value], bool]
"""Tells whether an output passes a test."""


def as_expected(test: TestCase, output: Value) -> bool:
    """Tell whether *output* equals what *test* expects, as values do."""
    return values.equal(output, test.expected)


@dataclass(frozen=True, slots=True)
class PassMatrix:
    """One row a candidate, one column a test."""

    candidates: tuple[Candidate, ...]
    passes: tuple[tuple[bool | None, ...], ...]
    """None where a fault of the sandbox left the call unjudged: neither passed nor failed."""
    classes: tuple[tuple[int | None, ...], ...] = ()
    """Within a column equal numbers mean equal outputs; None where none came back."""
    tests: tuple[TestCase, ...] = ()

    @classmethod
    def build(
        cls,
        candidates: Sequence[Candidate],
        outcomes: Sequence[Sequence[Outcome]],
        suite: TestSuite,
        passes: Checker = as_expected,
    ) -> PassMatrix:
        """Compare *outcomes* (as `Sandbox.run` returns them) with what *suite* expects."""
        _check_shape(outcomes, len(candidates), len(suite.tests))
        cells = [
            tuple(_passed(o, t, passes) for o, t in zip(row, suite.tests, strict=True))
            for row in outcomes
        ]
        columns = [_classes(column) for column in zip(*outcomes, strict=True)]
        classes = tuple(zip(*columns, strict=True)) or tuple(() for _ in candidates)
        return cls(tuple(candidates), tuple(cells), classes, suite.tests)

    @classmethod
    def of(cls, rows: Sequence[Sequence[bool | int | None]]) -> PassMatrix:
        """Hold bare passes, where neither programs nor outputs are at hand.

        Rerankers that compare outputs then see two classes a test, passed and not passed.
        """
        _check_shape(rows, len(rows), len(rows[0]) if rows else 0)
        passes = tuple(tuple(None if cell is None else bool(cell) for cell in r) for r in rows)
        classes = tuple(
            tuple(None if cell is None else int(cell) for cell in r) for r in passes
        )
        candidates = tuple(Candidate("", "", index=index) for index in range(len(rows)))
        return cls(candidates, passes, classes)

    @property
    def test_count(self) -> int:
        """The number of columns."""
        return len(self.passes[0]) if self.passes else 0

    def passed(self, candidate: int) -> int:
        """Count the tests that *candidate* passes."""
        return sum(cell is True for cell in self.passes[candidate])

    def judged(self, candidate: int) -> int:
        """Count the tests on which *candidate* was judged at all."""
        return sum(cell is not None for cell in self.passes[candidate])

    def separating(self, one: int, other: int) -> tuple[int, ...]:
        """Return the tests that exactly one of two candidates passes."""
        pairs = zip(self.passes[one], self.passes[other], strict=True)
        return tuple(t for t, (a, b) in enumerate(pairs) if {a, b} == {True, False})

    def discriminating(self) -> tuple[int, ...]:
        """Return the tests that some candidates pass and some fail: others order nothing."""
        columns = zip(*self.passes, strict=True)
        return tuple(t for t, column in enumerate(columns) if {True, False} <= set(column))

    def groups(self) -> list[list[int]]:
        """Group the candidates that pass exactly the same tests, in order of appearance."""
        found: dict[tuple[bool, ...], list[int]] = {}
        for candidate, row in enumerate(self.passes):
            found.setdefault(tuple(cell is True for cell in row), []).append(candidate)
        return list(found.values())

    def alike(self) -> list[list[int]]:
        """Group the candidates whose outputs are the same on every test."""
        found: dict[tuple[int | None, ...], list[int]] = {}
        for candidate, row in enumerate(self.classes):
            found.setdefault(row, []).append(candidate)
        return list(found.values())


def _check_shape(rows: Sequence[Sequence[object]], height: int, width: int) -> None:
    if len(rows) != height or any(len(row) != width for row in rows):
        found = f"{len(rows)} rows of {sorted({len(row) for row in rows})} cells"
        message = f"Expected {height} candidates by {width} tests, but got {found}."
        raise UsageError(message)


def _passed(outcome: Outcome, test: TestCase, passes: Checker) -> bool | None:
    if outcome.status == "infrastructure":
        return None
    if outcome.status == "raised" and outcome.error is not None:
        # Raising is right only where the test expects just that.
        return passes(test, Value.raised(outcome.error))
    return outcome.value is not None and outcome.ok and passes(test, outcome.value)


def _classes(column: Sequence[Outcome]) -> list[int | None]:
    found = [o.value for o in column if o.ok and o.value is not None]
    names = iter(values.classes(found))
    return [next(names) if o.ok and o.value is not None else None for o in column]
