"""Turn inputs and an oracle into tests, each with its provenance (CoTT, stage S10)."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.oracles import Oracle, Prediction
from consilience.stated import expected
from consilience.task import Task, TestCase, TestInput, TestSuite
from consilience.values import Value, identity


def synthesize(
    task: Task, inputs: Sequence[TestInput], oracle: Oracle, *, examples: bool = True
) -> TestSuite:
    """Make a test of every input that *oracle* has an answer for.

    With *examples* the calls that the task itself states come first, as given tests, and are
    not asked of the oracle.
    """
    given = given_tests(task) if examples else []
    known = {identity.key(test.input.probe) for test in given}
    asked = [item for item in inputs if identity.key(item.probe) not in known]
    predictions = oracle.predict(asked)
    tests, dropped = [], []
    for item, prediction in zip(asked, predictions, strict=True):
        value = prediction.value
        if value is None:
            dropped.append((item, prediction.reason))
        elif value.opaque:
            dropped.append((item, f"the expected output cannot be written: {value.preview()}"))
        else:
            tests.append(_test_case(item, value, prediction))
    return TestSuite(task, (*given, *tests), tuple(dropped))


def given_tests(task: Task) -> list[TestCase]:
    """Make tests of the task's own examples."""
    return [
        TestCase(
            TestInput(example.probe, "example"),
            expected(example),
            "given",
            confidence=1.0,
        )
        for example in task.examples
    ]


def _test_case(item: TestInput, value: Value, prediction: Prediction) -> TestCase:
    """Put an input, the value expected of it, and the votes for that value together."""
    votes, inductive = prediction.votes, prediction.inductive
    return TestCase(
        item,
        value,
        prediction.route,
        confidence=votes.confidence,
        votes=votes.count,
        total=votes.total,
        alternatives=votes.alternatives,
        reliable=prediction.reliable,
        inductive_confidence=None if inductive is None else inductive.confidence,
    )
