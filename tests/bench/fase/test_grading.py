"""Grades come from the reference's own outputs; what cannot run here is skipped, not failed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from consilience.bench.fase.grading import grade, grade_rows
from consilience.bench.fase.library_tests import agreement, check, compare
from consilience.errors import InputError
from consilience.sandbox.pool import ForkServer
from consilience.task import Reference, Task

DOUBLE = Task(
    "own/1",
    'def double(n):\n    """Return twice n."""\n',
    "double",
    reference=Reference("def double(n):\n    return 2 * n\n", ((1,), (2,), (-3,), (7,)), 2),
)
RIGHT = "def double(n):\n    return n + n\n"
BASE_ONLY = "def double(n):\n    return abs(n) + abs(n)\n"
WRONG = "def double(n):\n    return n ** 2\n"
BROKEN = "def double(n)\n"
TESTS = """import unittest

class TestCases(unittest.TestCase):
    def test_small(self):
        self.assertEqual(double(1), 2)

    def test_file(self):
        with open("kept.txt", "w") as file:
            file.write(str(double(4)))
        with open("kept.txt") as file:
            self.assertEqual(file.read(), "8")
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def library_task(tests: str, solution: str = RIGHT) -> Task:
    return Task(
        "own/2",
        DOUBLE.prompt,
        "double",
        reference=Reference(solution),
        metadata={"test": tests},
    )


def test_a_letter_a_sample_says_how_far_it_is_right(sandbox: ForkServer):
    found = grade(DOUBLE, [RIGHT, BASE_ONLY, WRONG, BROKEN, RIGHT], sandbox)
    assert found.grades == "pbffp"
    assert (found.base_inputs, found.inputs) == (2, 4)


def test_the_first_rows_of_each_model_are_graded(sandbox: ForkServer):
    rows = [{"solution": text, "model": "m"} for text in (WRONG, RIGHT, RIGHT)]
    found = grade_rows(DOUBLE, rows, sandbox, most=2)
    assert found == {"grades": "fp?", "base_inputs": 2, "inputs": 4}


def test_a_task_without_a_reference_cannot_be_graded(sandbox: ForkServer):
    with pytest.raises(InputError, match="has no reference"):
        grade(Task("own/1", "", "double"), [RIGHT], sandbox)


def test_unittest_classes_run_with_a_folder_of_their_own(sandbox: ForkServer):
    found = check(library_task(TESTS), [RIGHT, BASE_ONLY, WRONG, BROKEN], sandbox)
    assert found.skipped == ""
    assert found.passed == (True, True, False, False)


def test_what_the_sandbox_refuses_is_no_verdict(sandbox: ForkServer):
    chmods = "import os\n\ndef double(n):\n    os.chmod('/tmp', 0o700)\n    return 2 * n\n"
    assert check(library_task(TESTS), [chmods, RIGHT], sandbox).passed == (None, True)


def test_a_library_that_is_not_there_makes_a_task_skipped(sandbox: ForkServer):
    task = library_task("import no_such_library\n" + TESTS)
    rows = [{"solution": RIGHT, "status": "pass"}]
    found = compare(task, rows, sandbox)
    assert found["skipped"] == "not installed: no_such_library"
    assert found["passed"] == []
    assert agreement([found]) == {
        "tasks": 1,
        "measured": 0,
        "skipped": {"not installed: no_such_library": 1},
        "samples": {},
    }


def test_a_reference_that_fails_here_makes_a_task_skipped(sandbox: ForkServer):
    found = check(library_task(TESTS, WRONG), [RIGHT], sandbox)
    assert found.skipped == "the reference fails here: a test that fails"


def test_verdicts_are_counted_beside_the_recorded_ones():
    rows = [
        {"skipped": "", "passed": [True, False, None], "recorded": ["pass", "pass", "fail"]}
    ]
    assert agreement(rows)["samples"] == {
        "recorded fail, here unknown": 1,
        "recorded pass, here fail": 1,
        "recorded pass, here pass": 1,
    }
