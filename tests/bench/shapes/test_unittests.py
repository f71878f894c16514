"""The tests of a task say which programs are right."""

from __future__ import annotations

from dataclasses import replace

import pytest
from shape_files import CLASS, FORGETS

from consilience.bench.shapes.unittests import Truth, has_tests, measure
from consilience.formats.classeval import read_task
from consilience.formats.jsonl import Row
from consilience.sandbox.pool import ForkServer


@pytest.fixture(scope="module")
def server():
    with ForkServer(workers=1) as found:
        yield found


@pytest.fixture
def till(tmp_path):
    return read_task(Row(CLASS, tmp_path / "tasks.jsonl", 1))


def with_test(task, body, name="Own"):
    test = f"import os, stat, unittest\nclass {name}(unittest.TestCase):\n"
    test += f"    def test_it(self):\n{body}"
    return replace(task, metadata={"test": test, "test_classes": name})


def test_a_right_a_wrong_and_a_broken_program_are_told_apart(till, server):
    programs = [CLASS["reference"], FORGETS, "class Till:\n    def", "x = 1"]
    right, wrong, broken, absent = measure(till, programs, server)
    assert right == Truth(True, "")
    assert wrong == Truth(False, "failed 2 of 2")
    assert (broken.right, broken.broken, broken.why) == (False, True, "load_raised SyntaxError")
    assert (absent.right, absent.broken) == (False, True)


def test_only_the_named_classes_count(till, server):
    named = replace(till, metadata={**till.metadata, "test_classes": "TillKeeps"})
    all_of_them = replace(till, metadata={"test": till.metadata["test"]})
    keeps = (
        'class Till:\n    def __init__(s, n):\n        open(n, "w")\n    def add(s, c): pass\n'
    )
    assert [measure(each, [keeps], server)[0].why for each in (named, all_of_them)] == [
        "",
        "failed 1 of 2",
    ]


def test_what_the_tests_import_does_not_change_what_the_program_sees(till, server):
    program = "import datetime\nclass Till:\n"
    program += "    def now(self): return datetime.datetime(1, 1, 1)\n"
    body = "        self.assertEqual(Till().now(), datetime(1, 1, 1))\n"
    task = with_test(till, body)
    metadata = {
        **task.metadata,
        "test": "from datetime import datetime\n" + task.metadata["test"],
    }
    assert measure(replace(task, metadata=metadata), [program], server)[0].right


def test_a_program_that_never_ends_is_wrong(till, server):
    program = "class Till:\n    def add(self):\n        while True: pass\n"
    (found,) = measure(with_test(till, "        Till().add()\n"), [program], server)
    assert not found.right


def test_databases_in_files_and_files_that_may_not_be_written_are_as_outside(till, server):
    program = (
        "import sqlite3\nclass Till:\n    def count(self):\n"
        "        base = sqlite3.connect('till.db')\n"
        "        base.execute('create table coins (n integer)')\n"
        "        base.execute('insert into coins values (3)')\n"
        "        base.commit()\n"
        "        return base.execute('select n from coins').fetchall()\n"
    )
    body = (
        "        self.assertEqual(Till().count(), [(3,)])\n"
        "        open('kept', 'w').close()\n"
        "        os.chmod('kept', stat.S_IRUSR)\n"
        "        self.assertRaises(PermissionError, open, 'kept', 'w')\n"
        "        os.chmod('kept', 0o600)\n"
        "        open('kept', 'a').close()\n"
    )
    assert measure(with_test(till, body), [program], server)[0] == Truth(True, "")


def test_a_check_function_is_no_module_of_tests(till):
    assert has_tests(till)
    assert not has_tests(replace(till, metadata={"test": "def check(candidate): pass"}))


def test_a_package_that_only_the_context_imports_is_there(server, till):
    task = replace(till, context="import numpy as np\n")
    program = "class Till:\n    def one(self):\n        return int(np.ones(1)[0])\n"
    assert measure(
        with_test(task, "        self.assertEqual(Till().one(), 1)\n"), [program], server
    )[0].right
