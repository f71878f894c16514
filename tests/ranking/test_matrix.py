"""A pass matrix is built from outcomes and keeps faults apart from failures."""

import pytest

from consilience import values
from consilience.errors import UsageError
from consilience.ranking import PassMatrix
from consilience.sandbox import Outcome
from consilience.task import Candidate, Task, TestCase, TestInput, TestSuite
from consilience.values import Value

TASK = Task("t", "", "f")


def suite(*expected):
    tests = [TestCase(TestInput((n,)), v, "inductive", 1.0) for n, v in enumerate(expected)]
    return TestSuite(TASK, tuple(tests))


def ok(value):
    return Outcome("ok", Value.of(value))


def candidates(count):
    return [Candidate("t", f"code {n}", n) for n in range(count)]


def test_outcomes_are_compared_with_what_the_suite_expects():
    rows = [[ok(1.0), ok([2])], [ok(1), ok((2,))], [Outcome("timeout"), ok([2.0])]]
    matrix = PassMatrix.build(candidates(3), rows, suite(Value.of(1), Value.of([2])))
    assert matrix.passes == ((True, True), (True, False), (False, True))
    assert matrix.classes[0] == matrix.classes[0]
    assert matrix.classes[0][1] != matrix.classes[1][1]
    assert matrix.classes[2][0] is None


def test_a_fault_of_the_sandbox_is_neither_passed_nor_failed():
    rows = [[Outcome("infrastructure"), ok(2)]]
    matrix = PassMatrix.build(candidates(1), rows, suite(Value.of(1), Value.of(2)))
    assert matrix.passes == ((None, True),)
    assert (matrix.passed(0), matrix.judged(0)) == (1, 1)


def test_raising_is_right_only_where_the_test_expects_just_that():
    raised = Outcome("raised", error="ValueError")
    other = Outcome("raised", error="TypeError")
    tests = suite(Value.raised("ValueError"), Value.of(1))
    rows = [[raised, raised], [other, ok(1)], [ok(1), ok(1)]]
    matrix = PassMatrix.build(candidates(3), rows, tests)
    assert matrix.passes == ((True, False), (False, True), (False, True))


def test_a_datasets_own_checker_decides():
    def as_sets(test, output):
        return set(output.python()) == set(test.expected.python())

    rows = [[ok([2, 1])], [ok([1])]]
    matrix = PassMatrix.build(candidates(2), rows, suite(Value.of([1, 2])), as_sets)
    assert matrix.passes == ((True,), (False,))
    assert values.equal(Value.of([1, 2]), Value.of([2, 1])) is False


def test_separating_tests_are_those_that_exactly_one_passes():
    matrix = PassMatrix.of([[1, 0, 1, None], [1, 1, 0, 1], [1, 0, 1, 0]])
    assert matrix.separating(0, 1) == matrix.separating(1, 0) == (1, 2)
    assert matrix.separating(0, 2) == ()
    assert matrix.discriminating() == (1, 2, 3)


def test_rows_of_the_wrong_length_are_refused():
    with pytest.raises(UsageError):
        PassMatrix.of([[1], [1, 0]])
    with pytest.raises(UsageError):
        PassMatrix.build(candidates(2), [[ok(1)]], suite(Value.of(1)))


def test_no_tests_and_no_candidates_are_a_matrix_too():
    assert PassMatrix.build(candidates(2), [[], []], suite()).classes == ((), ())
    assert PassMatrix.build([], [], suite(Value.of(1))).test_count == 0
