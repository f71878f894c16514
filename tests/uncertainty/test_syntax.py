import ast
from pathlib import Path

import pytest

from consilience.uncertainty import syntax
from consilience.uncertainty.syntax import canonical, subtrees

EQUAL = {
    "names": (
        "def f(x, y):\n    z = x + y\n    return z",
        "def g(a, b):\n    c = a + b\n    return c",
    ),
    "docstring": ("def f(x):\n    'Say.'\n    return x", "def f(x):\n    return x"),
    "annotations": (
        "def f(x: int) -> int:\n    y: int = x\n    return y",
        "def f(x):\n    y = x\n    return y",
    ),
    "import alias": (
        "import numpy as np\ndef f(x): return np.sum(x)",
        "import numpy\ndef f(x): return numpy.sum(x)",
    ),
    "from import": (
        "from math import sqrt\nf = sqrt",
        "from math import sqrt as root\nf = root",
    ),
    "unused import": ("from typing import List\ndef f(x): return x", "def f(x): return x"),
    "comprehension": (
        "f = lambda s: [i * 2 for i in s if i]",
        "f = lambda t: [k * 2 for k in t if k]",
    ),
    "helper": (
        "def h(x): return x\ndef f(x): return h(x)",
        "def k(y): return y\ndef g(z): return k(z)",
    ),
    "except": (
        "try:\n    f()\nexcept E as e:\n    print(e)",
        "try:\n    f()\nexcept E as err:\n    print(err)",
    ),
    "nonlocal": (
        "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    return g",
        "def f():\n    m = 0\n    def h():\n        nonlocal m\n        m += 1\n    return h",
    ),
    "match": (
        "match p:\n    case [a, *b]: f(a, b)\n    case {'k': c}: f(c)\n    case e: f(e)",
        "match p:\n    case [v, *w]: f(v, w)\n    case {'k': x}: f(x)\n    case z: f(z)",
    ),
    "walrus": (
        "def f(s): return [y for x in s if (y := x)]",
        "def f(s): return [b for a in s if (b := a)]",
    ),
    "pass": ("def f():\n    x = 1\n    pass", "def f():\n    x = 1"),
    "formatting": ("x=1;y=2", "x = 1  # one\ny = 2\n"),
}
DIFFERENT = {
    "constants": ("f = lambda x: x + 1", "f = lambda x: x + 2"),
    "constant types": ("f = lambda x: x + 1", "f = lambda x: x + 1.0"),
    "true is not one": ("x = 1", "x = True"),
    "callee": ("f = lambda x: max(x)", "f = lambda x: min(x)"),
    "method": ("f = lambda x: x.append(1)", "f = lambda x: x.remove(1)"),
    "argument order": ("f = lambda a, b: a - b", "f = lambda a, b: b - a"),
    "branches": (
        "def f(x):\n    if x: return 1\n    else: return 2",
        "def f(x):\n    if x: return 2\n    else: return 1",
    ),
    "which variable": ("def f(x, y): return x + x", "def f(x, y): return x + y"),
    "attribute of a class": ("class A:\n    n = 1", "class A:\n    m = 1"),
    "keyword": ("f(a=1)", "f(b=1)"),
    "import": ("from math import floor as g\nf = g", "from math import ceil as g\nf = g"),
    "star": ("def f(*a): return a", "def f(a): return a"),
    "default": ("def f(a=1): return a", "def f(a=2): return a"),
    "async": ("async def f(): return 1", "def f(): return 1"),
    "global is not local": (
        "x = 0\ndef f():\n    global x\n    x = 1",
        "x = 0\ndef f():\n    x = 1",
    ),
}


@pytest.mark.parametrize("pair", EQUAL.values(), ids=EQUAL)
def test_decoration_does_not_count(pair):
    assert canonical(pair[0]) == canonical(pair[1]) is not None


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT)
def test_meaning_counts(pair):
    assert canonical(pair[0]) != canonical(pair[1])


@pytest.mark.parametrize(
    "text", ["def f(:", "return x +", "\0", "(" * 300, "a" + ".b" * 20_000, "1" * 5000]
)
def test_what_cannot_be_parsed_has_no_form(text):
    assert canonical(text) is None
    assert subtrees(text) is None


def test_an_invalid_escape_in_a_sample_warns_nobody():
    assert canonical("x = '\\d'") is not None


def test_unparsing_keeps_the_form():
    source = Path(syntax.__file__).read_text("utf-8")
    assert canonical(ast.unparse(ast.parse(source))) == canonical(source) is not None


@pytest.mark.parametrize("text", ["", "# nothing", "'doc'"])
def test_an_empty_program_has_a_form(text):
    assert canonical(text) == "[]"
