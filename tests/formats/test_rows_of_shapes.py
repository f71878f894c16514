"""Scripts, methods and classes are read from every file that people have them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from consilience.errors import InputError
from consilience.formats import load_candidates, load_tasks
from consilience.formats.samples import read_truths
from consilience.formats.suite_jsonl import read_suites, suite_rows, write_suites
from consilience.task import (
    Example,
    Session,
    Stdin,
    Task,
    TestCase,
    TestInput,
    TestSuite,
    Wants,
)
from consilience.values import Value

STATEMENT = "Double it.\n\nSample Input 1\n\n4\n\nSample Output 1\n\n8\n"
STARTER = "class Solution:\n    def twice(self, n: int) -> int:\n        "
SKELETON = (
    'import math\n\nclass Box:\n    """A box."""\n\n    def put(self, x):\n        """Put.\n'
)
SKELETON += "        >>> box = Box()\n        >>> box.put(1)\n        True\n        " + '"""\n'
SCRIPT = Example(Stdin("4\n"), Value.printed("8\n"))


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def only(path: Path, **options: Any) -> Task:
    (task,) = load_tasks(path, **options)
    return task


# --- rows


def test_a_row_without_starter_code_is_a_script(tmp_path: Path) -> None:
    row = {"task_id": "t/1", "prompt": STATEMENT, "starter_code": "", "platform": "own"}
    task = only(write(tmp_path / "t.jsonl", row))
    assert (task.shape, task.entry_point, task.examples) == ("script", "", (SCRIPT,))
    assert task.metadata["platform"] == "own"
    assert task.metadata["format"] == "livecodebench"


def test_a_row_with_starter_code_is_a_method_with_the_names_of_its_site(tmp_path: Path) -> None:
    prompt = "Double it.\n\nInput: n = 4\nOutput: 8\n"
    row = {"task_id": "t/1", "prompt": prompt, "starter_code": STARTER}
    task = only(write(tmp_path / "t.jsonl", row))
    assert (task.shape, task.entry_point) == ("method", "Solution.twice")
    assert task.examples == (Example((4,), 8),)
    assert STARTER.strip() in task.prompt
    assert "class ListNode" in task.context


@pytest.mark.parametrize("own", [True, False])
def test_a_row_with_a_skeleton_is_a_class(tmp_path: Path, own: bool) -> None:
    row: dict[str, Any] = {"task_id": "t/1", "class_name": "Box", "test": "import unittest"}
    row |= {"test_classes": ["A", "B"]}
    row |= {"skeleton": SKELETON} if own else {"prompt": SKELETON}
    row |= {"solution_code": "class Box: ..."} if own else {"reference": "class Box: ..."}
    task = only(write(tmp_path / "t.jsonl", row | {"import_statement": ["import math"]}))
    assert (task.shape, task.entry_point) == ("class", "Box")
    assert task.context == "import math\n"
    assert task.metadata["test_classes"] == "A,B"
    assert task.reference is not None
    assert task.reference.solution == "import math\nclass Box: ..."
    steps = ("box = Box()", "box.put(1)")
    assert task.examples == (Example(Session(steps), Wants(("", "True"))),)


def test_public_tests_of_livecodebench_are_examples_and_private_ones_stay_shut(
    tmp_path: Path,
) -> None:
    case = {"input": "4\n", "output": "8\n", "testtype": "stdin"}
    row = {
        "question_id": "7_A",
        "question_title": "Double",
        "question_content": "Double it.",
        "starter_code": "",
        "public_test_cases": json.dumps([case]),
        "private_test_cases": "gASVBAAAAAAAAABLAS4=",
        "metadata": "{}",
    }
    script = only(write(tmp_path / "s.jsonl", row))
    assert (script.id, script.shape, script.examples) == ("7_A", "script", (SCRIPT,))
    functional = [{"input": "4\n", "output": "8", "testtype": "functional"}]
    row |= {"starter_code": STARTER, "public_test_cases": json.dumps(functional)}
    method = only(write(tmp_path / "m.jsonl", row))
    assert (method.shape, method.examples) == ("method", (Example((4,), 8),))


def test_rows_of_ones_own_may_be_of_any_shape(tmp_path: Path) -> None:
    rows = [
        {"task_id": "a", "prompt": STATEMENT},
        {"task_id": "b", "prompt": STARTER, "entry_point": "Solution.twice"},
        {"task_id": "c", "prompt": SKELETON, "entry_point": "Box"},
        {"task_id": "d", "prompt": "Double it.", "shape": "stdin"},
        {"task_id": "e", "prompt": "def f():\n    '''Do.'''\n", "entry_point": "f"},
    ]
    tasks = load_tasks(write(tmp_path / "t.jsonl", *rows))
    assert [t.shape for t in tasks] == ["script", "method", "class", "script", "function"]
    assert [t.entry_point for t in tasks] == ["", "Solution.twice", "Box", "", "f"]
    assert tasks[3].examples == ()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"starter_code": "def f(x):", "prompt": ""}, '"starter_code" names no method'),
        ({"class_name": "Box", "prompt": "A box."}, '"prompt": No class Box can be read'),
        ({"class_name": "Box", "prompt": "class Box:\n    pass\n"}, "Class Box has no methods"),
        ({"class_name": "a b", "prompt": SKELETON}, '"class_name" is not the name of a class'),
        ({"prompt": "Do.", "shape": "spiral"}, '"shape" is no shape'),
        ({"prompt": "Do."}, '"entry_point" is missing'),
        (
            {"prompt": "Do.", "starter_code": "", "public_test_cases": "[{"},
            '"public_test_cases" is not JSON',
        ),
        (
            {"prompt": "Do.", "starter_code": "", "public_test_cases": [{}]},
            '"public_test_cases" has a case without',
        ),
    ],
)
def test_a_fault_is_one_sentence_with_file_line_and_field(
    tmp_path: Path, row: dict[str, Any], says: str
) -> None:
    path = write(tmp_path / "t.jsonl", {"task_id": "x", **row})
    with pytest.raises(InputError) as error:
        load_tasks(path)
    assert str(error.value).startswith("t.jsonl:1: ")
    assert says in str(error.value)
    assert error.value.hint


# --- text


@pytest.mark.parametrize(
    ("text", "options", "shape", "name"),
    [
        (STATEMENT, {}, "script", ""),
        ("Read numbers, print their sum.", {"shape": "stdin"}, "script", ""),
        (f"Double it.\n\n{STARTER}", {}, "method", "Solution.twice"),
        (f"A box.\n\n```python\n{SKELETON}```\n", {"shape": "class"}, "class", "Box"),
        (SKELETON, {"entry_point": "Box"}, "class", "Box"),
        ("Write `twice(n)`.", {}, "function", "twice"),
    ],
)
def test_text_is_a_task_of_the_shape_that_it_shows(
    tmp_path: Path, text: str, options: dict[str, str], shape: str, name: str
) -> None:
    path = tmp_path / "t.md"
    path.write_text(text, "utf-8")
    task = only(path, **options)
    assert (task.shape, task.entry_point) == (shape, name)


def test_text_that_names_nothing_says_how_to_name_it(tmp_path: Path) -> None:
    path = tmp_path / "t.md"
    path.write_text("Do something.", "utf-8")
    with pytest.raises(InputError) as error:
        load_tasks(path)
    assert "--shape stdin" in error.value.hint
    with pytest.raises(InputError, match='No shape is called "spiral"'):
        load_tasks(path, shape="spiral")


# --- candidates


def test_samples_are_read_with_their_models_and_their_truth_apart(tmp_path: Path) -> None:
    tasks = [Task("t/1", "Double it.", "", shape="script")]
    rows = [
        {"task_id": "t/1", "solution": "print(2)", "model": "m", "right": True},
        {"task_id": "t/1", "solution": "print(3)", "model": "m", "sample": 4, "right": False},
        {"task_id": "t/1", "reply": "So:\n```python\nprint(4)\n```\nDone."},
    ]
    path = write(tmp_path / "s.jsonl", *rows)
    found = load_candidates(path, tasks)["t/1"]
    assert [c.label for c in found] == ["m", "m 4", "sample 2"]
    assert [c.code.strip() for c in found] == ["print(2)", "print(3)", "print(4)"]
    assert read_truths(path, tasks) == {"t/1": (True, False)}


def test_a_class_is_taken_out_of_a_reply(tmp_path: Path) -> None:
    tasks = [Task("t/1", SKELETON, "Box", shape="class")]
    reply = "Here:\n```python\nclass Box:\n    def put(self, x):\n        return True\n```\n"
    path = write(tmp_path / "s.jsonl", {"task_id": "t/1", "reply": reply})
    (found,) = load_candidates(path, tasks)["t/1"]
    assert found.code.startswith("class Box:")
    assert "Here" not in found.code


# --- suites


def test_suites_carry_every_kind_of_probe_and_answer(tmp_path: Path) -> None:
    session = Session(("box = Box()", "box.put(1)"))
    seen = Value.session([Value.of(None), Value.of(True)])
    examples = (
        Example(session, Wants(("", "True"))),
        Example(Stdin("4\n"), Value.printed("8\n")),
        Example((1,), [2]),
    )
    task = Task("t/1", SKELETON, "Box", examples, shape="class", context="import math\n")
    tests = (
        TestCase(TestInput(session, "mutation"), seen, "inductive", 0.75),
        TestCase(TestInput(Stdin("5\n")), Value.printed("10\n"), "pooled", 1.0),
        TestCase(TestInput((3,)), Value.raised("ValueError"), "pooled", 1.0),
    )
    suite = TestSuite(task, tests, ((TestInput(Stdin("x")), "no number"),))
    path = tmp_path / "suite.jsonl"
    write_suites(path, [suite])
    assert read_suites(path) == [suite]
    rows = list(suite_rows(suite))
    assert rows[0]["schema"] == "consilience/suite/2"
    assert [row.get("call") for row in rows[1:3]] == ["box = Box()\nbox.put(1)", "5\n"]


def test_a_suite_of_plain_calls_is_written_as_ever(tmp_path: Path) -> None:
    suite = TestSuite(Task("t/1", "Do.", "f", (Example((1,), 2),)), ())
    (row,) = suite_rows(suite)
    assert row["schema"] == "consilience/suite/1"
    assert "shape" not in row
    path = tmp_path / "suite.jsonl"
    write_suites(path, [suite])
    assert read_suites(path) == [suite]


def test_wants_that_fit_no_steps_are_a_fault(tmp_path: Path) -> None:
    example = {"steps": ["f(1)"], "wants": ["1", "2"]}
    row = {"kind": "task", "schema": "consilience/suite/2", "task_id": "t", "prompt": "Do."}
    path = write(tmp_path / "s.jsonl", row | {"entry_point": "f", "examples": [example]})
    with pytest.raises(InputError, match=r's\.jsonl:1: "wants" is not one text a step'):
        read_suites(path)
