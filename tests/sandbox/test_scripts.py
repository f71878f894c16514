"""Scripts meet the real standard streams: what honest programs do outside they do here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.task import Stdin, Target
from consilience.values import equal

SCRIPT = Target("")
QUICK = Limits(cpu_seconds=1.0)
DOUBLES = {
    "input": "print(int(input()) * 2)",
    "stdin.buffer": "import sys\nprint(int(sys.stdin.buffer.read()) * 2)",
    "readline": "import sys\nprint(int(sys.stdin.readline()) * 2)",
    "stdin.__stdin__": "import sys\nprint(int(sys.__stdin__.read()) * 2)",
    "open(0)": "print(int(open(0).read()) * 2)",
    "os.read": "import os\nprint(int(os.read(0, 100)) * 2)",
    "fileinput": "import fileinput\nfor line in fileinput.input():\n    print(int(line) * 2)",
    "iteration": "import sys\nfor line in sys.stdin:\n    print(int(line) * 2)",
    "readlines": "import sys\nprint(int(sys.stdin.readlines()[0]) * 2)",
    "stdout.buffer": "import sys\nsys.stdout.buffer.write(b'%d' % (int(input()) * 2))",
    "os.write": "import os\nos.write(1, b'%d' % (int(os.read(0, 9)) * 2))\nos._exit(0)",
    "flush": "print(int(input()) * 2, flush=True)",
    "no line end": "print(int(input()) * 2, end='')",
    "main guard": "def main():\n    print(int(input()) * 2)\nif __name__ == '__main__': main()",
    "sys.exit": "import sys\nprint(int(input()) * 2)\nsys.exit()",
    "exit(0)": "print(int(input()) * 2)\nexit(0)",
    "atexit": "import atexit\nn = int(input())\natexit.register(lambda: print(n * 2))",
    "thread": (
        "import sys, threading\nsys.setrecursionlimit(10**6)\nthreading.stack_size(2**27)\n"
        "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n"
        "def main():\n    n = int(input())\n    depth(30000)\n    print(n * 2)\n"
        "threading.Thread(target=main).start()"
    ),
    "until EOFError": (
        "total = 0\nwhile True:\n    try:\n        total += int(input())\n"
        "    except EOFError:\n        break\nprint(total * 2)"
    ),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass N:\n    n: int\n"
        "print(N(int(input())).n * 2)"
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as started:
        yield started


@pytest.mark.parametrize("program", DOUBLES.values(), ids=DOUBLES.keys())
def test_every_way_of_reading_and_printing_is_the_real_one(
    server: ForkServer, program: str
) -> None:
    [row] = server.run([program], SCRIPT, [Stdin("21\n"), Stdin("4")], QUICK)
    assert [outcome.status for outcome in row] == ["ok", "ok"]
    texts = [outcome.value.printed_text for outcome in row if outcome.value]
    assert [text.strip() for text in texts if text] == ["42", "8"]


def test_readers_share_one_position(server: ForkServer) -> None:
    program = "import sys\nfirst = sys.stdin.readline()\nprint(repr(sys.stdin.read()), first)"
    [[outcome]] = server.run([program], SCRIPT, [Stdin("a\nb\nc\n")], QUICK)
    assert outcome.value is not None
    assert outcome.value.printed_text == "'b\\nc\\n' a\n\n"


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("print(1)\nexit(1)", "exit"),
        ("print(1)\nimport os\nos._exit(3)", "exit"),
        ("print(1)\n1 / 0", "raised"),
        ("while True: pass", "timeout"),
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()",
            "timeout",
        ),
        ("print('x' * 100_000_000)", "too_large"),
        ("this is no program", "raised"),
    ],
)
def test_a_script_that_does_not_end_well_gives_nothing(
    server: ForkServer, program: str, status: str
) -> None:
    limits = Limits(cpu_seconds=1.0, wall_seconds=2.0)
    [[outcome]] = server.run([program], SCRIPT, [Stdin("")], limits)
    assert outcome.status == status
    assert outcome.value is None


def test_a_million_lines_are_read(server: ForkServer) -> None:
    text = "1\n" * 1_000_000
    program = "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))"
    [[outcome]] = server.run([program], SCRIPT, [Stdin(text)], Limits(cpu_seconds=5.0))
    assert outcome.value is not None
    assert outcome.value.printed_text == "1000000\n"


def test_numbers_agree_roughly_and_letters_in_any_case_where_the_task_says_so(
    server: ForkServer,
) -> None:
    rough = Target("", roughly=True, any_case=True)
    one, other = server.run(
        ["print(1 / 3, 'YES')", "print('0.33333334 yes')"], rough, [Stdin("")]
    )
    assert equal(one[0].value, other[0].value)
    one, other = server.run(["print(1 / 3)", "print('0.33333334')"], SCRIPT, [Stdin("")])
    assert not equal(one[0].value, other[0].value)
