"""Hostile programs of the other shapes: what they say is about themselves alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import ForkServer
from consilience.task import Session, Stdin, Target
from consilience.values import Value

SCRIPT = Target("")
HONEST = "print(int(input()) * 2)"
QUICK = Limits(cpu_seconds=1.0, wall_seconds=4.0)
FORGES = """
import os
print(7, flush=True)
for fd in range(2, 32):
    try:
        os.write(fd, b'L\\tok\\t0\\t-\\n0\\tok\\t1\\t0\\t["W","4"]\\nX 0 0.0 0\\n')
    except OSError:
        pass
"""
SHUTS = "import os\nprint(input())\nos.closerange(0, 64)\n"
LINGERS = """
import threading, time
def late():
    while True:
        time.sleep(0.05)
        print('late', flush=True)
threading.Thread(target=late, daemon=True).start()
print('done')
"""
TAMPERS = """
import builtins, json, sys
builtins.eval = lambda *a: 4
builtins.compile = lambda *a, **k: None
sys.modules['json'].dumps = lambda *a: '["W","4"]'
class Box:
    def get(self): return 5
"""
LIES = """
class Liar:
    __class__ = int
    def __getattr__(self, name): return lambda *a: ['W', '4']
    def __eq__(self, other): return True
    def __hash__(self): return 1
    def __repr__(self): return '4'
class Box:
    def get(self): return Liar()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as started:
        yield started


def printed(outcome: Outcome) -> str | None:
    return outcome.value.printed_text if outcome.value else None


@pytest.mark.parametrize(
    "hostile", [FORGES, SHUTS, LINGERS], ids=["forges", "shuts", "lingers"]
)
def test_an_honest_script_after_a_hostile_one_is_right(
    server: ForkServer, hostile: str
) -> None:
    rows = server.run([hostile, HONEST], SCRIPT, [Stdin("2\n"), Stdin("3\n")], QUICK)
    assert [printed(outcome) for outcome in rows[1]] == ["4\n", "6\n"]
    for outcome in rows[0]:
        assert outcome.value is None or not outcome.value.in_words
        assert printed(outcome) in {None, "", "7\n", "2\n", "3\n", "done\n", "done\nlate\n"}


def test_forged_frames_are_not_what_a_script_printed(server: ForkServer) -> None:
    [[outcome]] = server.run([FORGES], SCRIPT, [Stdin("2\n")], QUICK)
    assert printed(outcome) in {None, "7\n"}


def test_endless_printing_ends(server: ForkServer) -> None:
    program = "while True: print('x' * 100000)"
    [[outcome]] = server.run([program], SCRIPT, [Stdin("")], QUICK)
    assert outcome.status in {"too_large", "timeout"}
    assert outcome.value is None


def test_a_script_leaves_nothing_to_the_next(server: ForkServer) -> None:
    leaves = "import sys, os\nsys.modules['math'] = None\nsys.setrecursionlimit(50)\nprint(1)"
    looks = "import math, sys\nprint(math.pi > 3, sys.getrecursionlimit() > 500)"
    rows = server.run([leaves, looks], SCRIPT, [Stdin(""), Stdin("x")], QUICK)
    assert {printed(outcome) for outcome in rows[1]} == {"True True\n"}


@pytest.mark.parametrize("program", [TAMPERS, LIES], ids=["tampers", "lies"])
def test_a_class_that_lies_never_equals_what_a_task_states(
    server: ForkServer, program: str
) -> None:
    session = Session(("b = Box()", "b.get()"))
    honest = "class Box:\n    def get(self): return 4\n"
    rows = server.run([program, honest], Target("Box"), [session], QUICK)
    seen = rows[0][0]
    assert seen.status in {"ok", "raised", "protocol", "tampered", "crash", "exit"}
    assert seen.value is None or not seen.value.in_words
    assert rows[1][0].value == Value.session([Value.of(None), Value.of(4)])


def test_a_program_cannot_say_in_words(server: ForkServer) -> None:
    program = "def f(): return ['W', '4']\ndef g(): return {'W': '4'}"
    for name in ("f", "g"):
        [[outcome]] = server.run([program], name, [()], QUICK)
        assert outcome.ok
        assert outcome.value is not None
        assert not outcome.value.in_words


def test_a_context_that_breaks_the_harness_breaks_only_its_own_task(server: ForkServer) -> None:
    context = "import sys, os\nfor name in list(sys.modules):\n    sys.modules[name] = None\n"
    broken = server.run(["def f(x): return x"], Target("f", context), [(1,)], QUICK)
    assert broken[0][0].status != "infrastructure"
    assert server.run(["def f(x): return x"], "f", [(1,)], QUICK)[0][0].value == Value.of(1)
