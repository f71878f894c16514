"""Awkward but honest programs come out as Python would have it."""

from __future__ import annotations

import pytest

from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import ForkServer

LIMITS = Limits(cpu_seconds=1.0, wall_seconds=10.0, memory_mb=512, total_seconds=30.0)
DEEP = "(" * 100_000 + ")" * 100_000
# name: program (its f is called on 3), status, and the payload or the exception's name.
CASES: dict[str, tuple[str, str, str]] = {
    "generator": ("def f(x):\n    yield from range(x)", "ok", '["g","generator",0,1,2]'),
    "map": ("def f(x): return map(str, range(x))", "ok", '["g","map","0","1","2"]'),
    "endless generator": ("def f(x):\n    while True: yield x", "too_large", ""),
    "slow __next__": (
        "class I:\n def __iter__(s): return s\n def __next__(s):\n  while 1: pass\n"
        "def f(x): return I()",
        "timeout",
        "",
    ),
    "metaclass that exits": (
        "import os\nclass M(type):\n def __getattribute__(c, n): os._exit(3)\n"
        " def __eq__(c, o): os._exit(3)\n __hash__ = type.__hash__\n"
        "class C(metaclass=M): pass\ndef f(x): return C()",
        "ok",
        '["o","candidate","C"]',
    ),
    "lying __class__": (
        "class C:\n __class__ = int\n def __getattribute__(s, n): raise SystemExit\n"
        "def f(x): return C()",
        "ok",
        '["o","candidate","C"]',
    ),
    "cyclic list": ("def f(x):\n a = [x]; a.append(a); return a", "ok", '["l",3,["@",1]]'),
    "huge integer": ("def f(x): return 10 ** 5000", "ok", f'["I","{hex(10**5000)}"]'),
    "digits of a huge integer": ("def f(x): return str(10 ** 5000)", "raised", "ValueError"),
    "lone surrogate": ("def f(x): return '\\ud800'", "ok", '"\\ud800"'),
    "nan": ("def f(x): return float('nan')", "ok", '["f","nan"]'),
    "infinity": ("def f(x): return -float('inf')", "ok", '["f","-inf"]'),
    "minus zero": ("def f(x): return -0.0", "ok", '["f","-0.0"]'),
    "complex": ("def f(x): return 1j * x", "ok", '["c","0.0","3.0"]'),
    "bytes": ("def f(x): return b'ab'", "ok", '["b","6162"]'),
    "bytearray": ("def f(x): return bytearray(b'ab')", "ok", '["B","6162"]'),
    "nested sets": (
        "def f(x): return {frozenset({1, 2}), frozenset()}",
        "ok",
        '["s",["z",1,2],["z"]]',
    ),
    "dict with True for 1": ("def f(x): return {True: x, 0: 1}", "ok", '["d",[true,3],[0,1]]'),
    "decimal": (
        "from decimal import Decimal\ndef f(x): return Decimal('1.10')",
        "ok",
        '["v","decimal.Decimal","1.10"]',
    ),
    "fraction": (
        "from fractions import Fraction\ndef f(x): return Fraction(x, 6)",
        "ok",
        '["v","fractions.Fraction","1/2"]',
    ),
    "date": (
        "import datetime\ndef f(x): return datetime.date(2024, 2, 29)",
        "ok",
        '["v","datetime.date","2024-02-29"]',
    ),
    "timedelta": (
        "from datetime import timedelta\ndef f(x): return timedelta(days=x)",
        "ok",
        '["v","datetime.timedelta","3 days, 0:00:00"]',
    ),
    "namedtuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'a b')\n"
        "def f(x): return P(x, 1)",
        "ok",
        '["S","candidate","P",0,["t",3,1]]',
    ),
    "int enum": (
        "import enum\nclass E(enum.IntEnum):\n A = 3\ndef f(x): return E.A",
        "ok",
        '["S","candidate","E",0,3]',
    ),
    "counter": (
        "from collections import Counter\ndef f(x): return Counter('aab')",
        "ok",
        '["S","collections","Counter",0,["d",["a",2],["b",1]]]',
    ),
    "ordered dict": (
        "from collections import OrderedDict\ndef f(x): return OrderedDict(a=x)",
        "ok",
        '["S","collections","OrderedDict",0,["d",["a",3]]]',
    ),
    "default dict": (
        "from collections import defaultdict\n"
        "def f(x):\n d = defaultdict(int); d[x] += 1; return d",
        "ok",
        '["S","collections","defaultdict",0,["d",[3,1]]]',
    ),
    "deque": ("from collections import deque\ndef f(x): return deque([x])", "ok", '["q",3]'),
    "own class": (
        "class P:\n def __init__(s, x): s.b = x; s.a = [x]\ndef f(x): return P(x)",
        "ok",
        '["o","candidate","P",["a",["l",3]],["b",3]]',
    ),
    "slots": (
        "class P:\n __slots__ = ('a', 'b')\n def __init__(s): s.a = 1\ndef f(x): return P()",
        "ok",
        '["o","candidate","P",["a",1]]',
    ),
    "lambda": ("def f(x): return lambda: x", "ok", '["F","function"]'),
    "class": ("def f(x): return int", "ok", '["F","int"]'),
    "module": ("import math\ndef f(x): return math", "ok", '["F","module"]'),
    "exception returned": ("def f(x): return ValueError('a')", "ok", '["x","ValueError"]'),
    "exception raised": ("def f(x): raise ValueError('a')", "raised", "ValueError"),
    "own exception": (
        "class E(KeyError): pass\ndef f(x): raise E('a')",
        "raised",
        "KeyError",
    ),
    "assert": ("def f(x): assert x == 0", "raised", "AssertionError"),
    "interrupt": ("def f(x): raise KeyboardInterrupt", "raised", "KeyboardInterrupt"),
    "input": ("def f(x): return input()", "raised", "EOFError"),
    "exit builtin": ("def f(x): exit()", "exit", "SystemExit"),
    "input at import": ("k = input()\ndef f(x): return k", "load_raised", "EOFError"),
    "loop at import": ("while True: pass\ndef f(x): return x", "load_timeout", ""),
    "syntax error": ("def f(x) return x", "load_raised", "SyntaxError"),
    "tab error": ("def f(x):\n\tif x:\n        return x", "load_raised", "TabError"),
    "null byte": ("def f(x): return x\n\0", "load_raised", "SyntaxError|ValueError"),
    "byte order mark": ("\ufeffdef f(x): return x", "ok|load_raised", ""),
    "ten megabytes": ("# " + "x" * 10_000_000 + "\ndef f(x): return x", "ok", "3"),
    "deep parentheses": (f"def f(x): return {DEEP}", "load_raised|load_memory|load_crash", ""),
    "no entry point": ("def g(x): return x", "no_entry_point", ""),
    "wrong arity": ("def f(): return 1", "raised", "TypeError"),
    "entry point is a class": (
        "class f:\n def __init__(s, x): s.x = x",
        "ok",
        '["o","candidate","f",["x",3]]',
    ),
    "asyncio": (
        "import asyncio\nasync def g(x):\n await asyncio.sleep(0); return x\n"
        "def f(x): return asyncio.run(g(x))",
        "ok",
        "3",
    ),
    "threads": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def f(x):\n with ThreadPoolExecutor(4) as p: return list(p.map(abs, [-x, x]))",
        "ok",
        '["l",3,3]',
    ),
    "processes": (
        "import multiprocessing\n"
        "def f(x):\n with multiprocessing.Pool(2) as p: return p.map(abs, [x])",
        "raised",
        "OSError|PermissionError|FileNotFoundError|ImportError",
    ),
    "temporary file": (
        "import tempfile\ndef f(x): return tempfile.mkstemp()",
        "raised",
        "FileNotFoundError|PermissionError|OSError",
    ),
    "change of folder": ("import os\ndef f(x): os.chdir('/tmp')", "raised", "PermissionError"),
    "late import": ("def f(x):\n import statistics; return statistics.mean([x])", "ok", "3"),
    "print and stderr": (
        "import sys\ndef f(x): print(x, file=sys.stderr); return x",
        "ok",
        "3",
    ),
    "raw stdout": (
        "import sys\ndef f(x): sys.stdout.buffer.write(b'a'); sys.stdout.flush(); return x",
        "ok",
        "3",
    ),
    "closed streams": (
        "import sys\ndef f(x):\n sys.stdout.close(); sys.stdin.close(); return x",
        "ok",
        "3",
    ),
    "low recursion limit": (
        "import sys\nsys.setrecursionlimit(60)\ndef f(x): return [[x]]",
        "ok",
        '["l",["l",3]]',
    ),
    "own alarm": (
        "import signal\ndef f(x):\n signal.alarm(1)\n"
        " signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        " while True: pass",
        "timeout",
        "",
    ),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n a: int\n"
        "def f(x): return P(x)",
        "ok",
        '["o","candidate","P",["a",3]]',
    ),
    "digest": (
        "def f(x): return [x] * 300_000",
        "ok",
        '["H","',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program_comes_out_as_it_should(name: str, server: ForkServer) -> None:
    program, statuses, wanted = CASES[name]
    outcome = server.run([program], "f", [(3,)], LIMITS)[0][0]
    assert outcome.status in statuses.split("|"), outcome
    if outcome.ok and wanted:
        assert outcome.value is not None
        assert outcome.value.payload.startswith(wanted)
    elif wanted:
        assert outcome.error in wanted.split("|")


def test_a_call_that_changes_its_argument_is_flagged(server: ForkServer) -> None:
    program = "def f(a):\n    a.append(1)\n    return len(a)\n"
    outcomes = server.run([program], "f", [([],), ([],)])[0]
    assert [(o.mutated, payload(o)) for o in outcomes] == [(True, "1"), (True, "1")]


def test_none_with_a_changed_argument_is_judged_by_the_arguments(server: ForkServer) -> None:
    program = "def f(a, b):\n    a.sort()\n"
    outcome = server.run([program], "f", [([2, 1], 5)])[0][0]
    assert payload(outcome) == '["t",["l",1,2],5]'


def test_nan_among_the_arguments_is_no_change(server: ForkServer) -> None:
    outcome = server.run(["def f(a): return 1"], "f", [([float("nan")],)])[0][0]
    assert not outcome.mutated


def test_random_programs_repeat_themselves(server: ForkServer) -> None:
    program = "import random\ndef f(x): return random.random()\n"
    outcomes = server.run([program], "f", [(1,), (1,)])[0]
    assert payload(outcomes[0]) == payload(outcomes[1])


def test_numpy_programs_get_numpy(server: ForkServer) -> None:
    pytest.importorskip("numpy")
    program = "import numpy as np\ndef f(x): return np.arange(x), np.float32(x)\n"
    outcome = server.run([program], "f", [(2,)])[0][0]
    assert payload(outcome) == '["t",["n","i",[2],[0,1]],["N","f",["f","2.0"]]]'


def test_printed_characters_are_counted(server: ForkServer) -> None:
    execution = server.execute(["def f(x): print('ab' * x)"], "f", [(3,)])[0]
    assert execution.printed == 7
    assert execution.peak_memory > 1 << 20
    assert execution.cpu_seconds > 0


def payload(outcome: Outcome) -> str:
    assert outcome.value is not None, outcome
    return outcome.value.payload
