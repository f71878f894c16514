"""A check script finds out what it would in one process, and neither side can cheat."""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path

import pytest

from consilience.sandbox import Limits
from consilience.sandbox.check import CheckOutcome, check
from consilience.sandbox.check_script import read_script
from consilience.sandbox.pool import ForkServer

NEXT = "def f(x):\n    return x + 1\n"
TIGHT = Limits(cpu_seconds=0.2, wall_seconds=1.0, memory_mb=256)
SHORT = Limits(cpu_seconds=0.5, wall_seconds=30.0, memory_mb=256, total_seconds=30.0)


def run(server: ForkServer, program: str, script: str, entry_point: str = "f") -> CheckOutcome:
    return check(server, program, script, entry_point, limits=TIGHT, script_limits=SHORT)


PASSING = {
    "plain assertions": "assert f(1) == 2\nassert f(-1) == 0",
    "loops and helpers": (
        "def near(a, b):\n    return abs(a - b) < 1e-9\n"
        "for i in range(20):\n    assert near(f(i / 10), i / 10 + 1), i"
    ),
    "check(candidate)": "def check(candidate):\n    assert candidate(1) == 2",
    "check, called by itself": "def check(g):\n    assert g(1) == 2\ncheck(f)",
    "test functions": (
        "def test_one():\n    assert f(1) == 2\ndef test_two():\n    assert f(2) == 3"
    ),
    "an imported candidate": "from solution import f as g\ndef test():\n    assert g(1) == 2",
    "keywords": "assert f(x=1) == 2",
    "an exception by name": (
        "try:\n    f('a')\nexcept TypeError as error:\n    assert '(not \"int' in str(error)"
    ),
    "unittest": (
        "import unittest\nclass T(unittest.TestCase):\n"
        "    def setUp(self):\n        self.two = f(1)\n"
        "    def test_two(self):\n        self.assertEqual(self.two, 2)\n"
        "    def test_text(self):\n        with self.assertRaises(TypeError): f('a')\n"
    ),
    "unittest.main()": (
        "import unittest\nclass T(unittest.TestCase):\n"
        "    def test_two(self):\n        self.assertEqual(f(1), 2)\nunittest.main()"
    ),
}


@pytest.mark.parametrize("script", PASSING.values(), ids=PASSING.keys())
def test_a_right_program_passes_and_a_wrong_one_fails(server: ForkServer, script: str):
    assert run(server, NEXT, script).status == "passed"
    wrong = run(server, "def f(x):\n    return x + 1.5\n", script)
    assert wrong.passed is False
    assert wrong.calls


def test_the_line_that_failed_is_quoted(server: ForkServer):
    found = run(server, NEXT, "assert f(1) == 2\n\nassert f(2) == 5  # no")
    assert found.reason == "AssertionError (line 3: assert f(2) == 5  # no)"


VALUES = (
    "[1, 2.5, 'a', None, True, b'x', 1j, 2**80, -0.0, float('inf')]",
    "({1, 2}, frozenset({3}), {'k': [1, (2,)]}, range(3), bytearray(b'y'))",
    "[Decimal('1.10'), Fraction(1, 3), date(2020, 1, 2), timedelta(days=-1, seconds=1.5)]",
    "[datetime(2020, 1, 2, 3, 4, 5, 6), deque([1]), Counter('aab'), OrderedDict(a=1)]",
)
IMPORTS = (
    "from collections import Counter, OrderedDict, deque\nfrom datetime import *\n"
    "from decimal import Decimal\nfrom fractions import Fraction\n"
)


@pytest.mark.parametrize("value", VALUES)
def test_values_of_the_standard_library_cross_both_ways(server: ForkServer, value: str):
    program = "def f(x):\n    return x\n"
    script = f"{IMPORTS}x = {value}\ngot = f(x)\nassert got == x and type(got) is type(x)\n"
    script += "assert [type(a) for a in got] == [type(a) for a in x], got\nassert f(x) is x"
    assert run(server, program, script) == CheckOutcome("passed", calls=2)
    made = f"{IMPORTS}def f(x):\n    return {value}\n"
    assert run(server, made, f"{IMPORTS}assert f(0) == {value}").status == "passed"


def test_generators_and_views_arrive_as_iterators(server: ForkServer):
    program = "def f(x):\n    yield from x\n"
    assert run(server, program, "assert list(f([1, 2])) == [1, 2]").status == "passed"
    program = "def f(x):\n    return x.keys()\n"
    assert run(server, program, "assert f({1: 2}) == {1}").status == "passed"


def test_functions_that_change_their_arguments_change_those_of_the_script(server: ForkServer):
    program = (
        "def f(grid, seen, memo):\n"
        "    grid[0].append(9)\n    grid.pop()\n    seen.add(1)\n    memo['a'] = [grid]\n"
    )
    script = (
        "row = [1]\ngrid, seen, memo = [row, [2]], set(), {'b': 1}\n"
        "assert f(grid, seen, memo=memo) is None\n"
        "assert grid == [[1, 9]] and grid[0] is row\n"
        "assert seen == {1} and memo['a'] == [[[1, 9]]]"
    )
    assert run(server, program, script).reason == ""


REFUSED = {
    "a function returned": ("def f(x):\n    return f\n", "f(1)", "the function cannot cross"),
    "an own object": (
        "class A: pass\ndef f(x):\n    return A()\n", "f(1)", "an object of class A",
    ),
    "a class with its own equality": (
        "class A(list):\n    def __eq__(self, other):\n        return True\n"
        "def f(x):\n    return A()\n",
        "assert f(1) == 7",
        "an object of class A",
    ),
    "a function passed": (NEXT, "f(lambda: 1)", "in its arguments, the function"),
    "a structure that contains itself": (NEXT, "a = []\na.append(a)\nf(a)", "contains itself"),
    "a very long result": ("def f(x):\n    return 'ab' * 900_000\n", "f(1)", "1,800,002 char"),
    "no call at all": (NEXT, "assert True", "never calls f"),
    "an endless generator": (
        "import itertools\ndef f(x):\n    return itertools.count()\n", "f(1)", "more than can",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("program", "script", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_judged_is_refused_with_a_reason(server, program, script, why):
    found = run(server, program, script)
    assert found.status == "refused"
    assert found.passed is None
    assert why in found.reason


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("assert f(", "does not parse"),
        ("import nosuch\nassert f(1) == 2", "ModuleNotFoundError"),
        ("while True: pass", "timeout"),
    ],
)
def test_a_script_that_does_not_work_says_nothing_about_the_candidate(server, script, why):
    found = run(server, NEXT, script)
    assert found.status == "broken"
    assert why in found.reason


def test_a_script_that_relies_on_files_or_patches_is_refused_where_it_fails(server: ForkServer):
    script = "import os\nassert f(1) == (3 if os.sep == '/' else 2)"
    found = run(server, NEXT, script)
    assert found.status == "refused"
    assert found.reason.startswith(
        "the script uses os, which the candidate does not share: Asse"
    )
    assert run(server, NEXT, script.replace("3 if", "2 if")).status == "passed"


def test_a_task_may_give_its_helpers_and_a_head_without_a_body(server: ForkServer):
    head = "import math\ndef twice(x):\n    return 2 * x\ndef f(x):\n"
    found = check(server, NEXT, "assert twice(f(1)) == math.floor(4.5)", "f", preamble=head)
    assert found.status == "passed"


SWALLOWS = "try:\n    f(1)\nexcept BaseException:\n    pass\n"
DEADLY = {
    "loops": ("def f(x):\n    while True: pass\n", "ran out of time"),
    "loops and swallows": (
        "def f(x):\n    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass\n",
        "ran out of time",
    ),
    "sleeps": ("import time\ndef f(x):\n    time.sleep(99)\n", "ran out of time"),
    "exits": ("import os\ndef f(x):\n    os._exit(0)\n", "ended its process"),
    "crashes": ("import ctypes\ndef f(x):\n    ctypes.string_at(0)\n", "crashed"),
    "takes memory": ("def f(x):\n    return len(bytearray(1 << 40))\n", "out of memory"),
    "does not load": ("1 / 0", "while loading (ZeroDivisionError"),
    "is another function": ("def g(x): pass", "does not define the function"),
}


@pytest.mark.parametrize(("program", "why"), DEADLY.values(), ids=DEADLY.keys())
def test_a_candidate_that_dies_fails_even_a_script_that_swallows_all(server, program, why):
    found = run(server, program, SWALLOWS)
    assert found.status == "failed"
    assert why in found.reason
    assert run(server, NEXT, "assert f(1) == 2").passed, "an honest check afterwards"


FORGERS = {
    "exits as if all were well": "import sys\ndef f(x):\n    sys.exit(0)\n",
    "raises SystemExit() bare": "def f(x):\n    raise SystemExit\n",
    "interrupts": "def f(x):\n    raise KeyboardInterrupt\n",
    "equals everything": (
        "class A(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n"
        "def f(x):\n    return A(7)\n"
    ),
    "writes the script's ending to every descriptor": (
        "import os\ndef f(x):\n    for fd in range(32):\n        try:\n"
        "            os.write(fd, b'E\\tok\\t0\\t0\\t-\\n')\n        except OSError: pass\n"
    ),
    "answers before it is asked, and twice": (
        "import os\nfor fd in range(32):\n    try:\n"
        "        os.write(fd, b'0\\tok\\t0\\t0\\t[\"t\",2,-1,null]\\n' * 3)\n"
        "    except OSError: pass\ndef f(x):\n    return 0\n"
    ),
    "patches what a script would use": (
        "import builtins, unittest\n"
        "unittest.TestCase.assertEqual = lambda *a: None\n"
        "builtins.AssertionError = type('E', (Exception,), {})\n"
        "def f(x):\n    return 0\n"
    ),
    "looks for the script": (
        "import gc, sys\ndef f(x):\n    frame = sys._getframe()\n    seen = []\n"
        "    while frame:\n"
        "        seen.append(str(frame.f_locals))\n        frame = frame.f_back\n"
        "    seen += [str(o) for o in gc.get_objects() if type(o) in (str, bytes, dict)]\n"
        "    return 2 if any('TELL' + 'TALE' in s for s in seen) else 0\n"
    ),
}
GUARDED = (
    "import unittest\nTELLTALE = 2\nclass T(unittest.TestCase):\n"
    "    def test(self):\n        self.assertEqual(f(1), TELLTALE)\n"
)


@pytest.mark.parametrize("program", FORGERS.values(), ids=FORGERS.keys())
@pytest.mark.parametrize("script", ["assert f(1) == 2", GUARDED, GUARDED + "unittest.main()"])
def test_a_hostile_candidate_neither_sees_nor_forges(server, program, script):
    assert run(server, program, script).passed is not True


def test_a_hostile_script_learns_nothing_of_the_candidate(server: ForkServer):
    program = "SECRET = 'x' * 3 + 'yz'\ndef f(x):\n    return 1\n"
    script = (
        "import gc, sys\nf(1)\nseen = [str(o) for o in gc.get_objects()]\n"
        "seen += [str(m.__dict__) for m in list(sys.modules.values())]\n"
        "assert not any('SECRET' in s for s in seen if 'seen +=' not in s)\n"
        "assert not hasattr(f, '__wrapped__') and 'candidate' not in sys.modules"
    )
    assert run(server, program, script).reason == ""


WRITES = (
    "import os\nfor fd in range(3, 32):\n    try:\n        os.write(fd, b'{}')\n"
    "    except OSError: pass"
)
SCRIPTS = {
    "floods calls without reading answers": (
        "import os\nfor i in range(200_000):\n    for fd in range(3, 32):\n        try:\n"
        '            os.write(fd, b\'C\\t0\\t["t",["t",1],["d"]]\\n\')\n'
        "        except OSError: pass\n"
    ),
    "ends out of form": WRITES.format("E\\tok\\n"),
    "calls out of form": WRITES.format('C\\t0\\t["l"]\\n'),
    "calls out of turn": WRITES.format('C\\t7\\t["t",["t"],["d"]]\\n'),
    "says that it passed without a call": WRITES.format("E\\tok\\t0\\t0\\t-\\n"),
    "ends its process": "f(1)\nimport os\nos._exit(0)",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_script_that_breaks_the_form_ends_soon_and_passes_nothing(server, script):
    begun = time.monotonic()
    assert run(server, NEXT, script).passed is not True
    assert time.monotonic() - begun < SHORT.total_seconds + 5
    assert run(server, NEXT, "assert f(1) == 2").passed


def test_nothing_outlives_the_checks(server: ForkServer):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for program in (NEXT, "import os\ndef f(x): os._exit(1)"):
        run(server, program, "assert f(1) == 2")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2


def test_a_script_is_read_without_running_it():
    mocked = "from unittest.mock import patch\nimport tempfile, re\nopen('x')\nopen('y')"
    assert read_script(mocked, "f").world == "open, tempfile, unittest.mock"
    plan = read_script("def check(candidate): ...\ndef test_a(x): ...\nimport f", "f")
    assert plan.calls == (("check", True),)
    assert plan.world == ""
    assert read_script("check(f)\ndef check(c): ...", "f").calls == ()
    assert read_script("from math import f", "f").modules == ()
    assert read_script("x", "f", "not python at all").preamble == ""


def humaneval() -> list[dict[str, str]]:
    beside = Path(__file__).parents[2].parent / "shared" / "data"
    folder = Path(os.environ.get("CONSILIENCE_DATA", beside))
    found = [
        f for f in (folder, Path("/work/shared/data")) if (f / "HumanEval.jsonl.gz").exists()
    ]
    if not found:
        pytest.skip("HumanEval is not on this machine")
    with gzip.open(found[0] / "HumanEval.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def test_every_check_of_humaneval_passes_its_own_solution_and_fails_a_mutant(server):
    wrong = {}
    for place, row in enumerate(humaneval()):
        name, program = row["entry_point"], row["prompt"] + row["canonical_solution"]
        mutant = f"{program}\n_right = {name}\ndef {name}(*args):\n    return [_right(*args)]\n"
        programs = [program, mutant] if place % 4 == 0 else [program]
        verdicts = [
            check(server, each, row["test"], name, preamble=row["prompt"]) for each in programs
        ]
        if [found.passed for found in verdicts] != [True, False][: len(programs)]:
            wrong[row["task_id"]] = verdicts
    assert wrong == {}
