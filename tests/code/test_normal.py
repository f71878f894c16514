"""The normal form keeps behaviour and drops the rest."""

from __future__ import annotations

import pytest

from consilience.code import normalise


@pytest.mark.parametrize(
    "variant",
    [
        "def f(x):\n    return x + 1\n",
        "def f(x):\n  return x+1",
        "def f(x):\n    # comment\n    return (x + 1)  # more\n\n\n",
        'def f(x):\n    """Doc."""\n    return x + 1\n',
        '"""Module."""\n\ndef f(x): return x + 1',
        "def f(x):\r\n\treturn x + 1\r\n",
    ],
)
def test_equal_programs_have_one_normal_form(variant: str) -> None:
    assert normalise(variant) == "def f(x):\n    return x + 1\n"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("def f(x): return x", "def f(y): return y"),
        ("def f(x): return 1", "def f(x): return 1.0"),
        ("def f(x): return 'a'", "def f(x): return 'b'"),
        ("def f():\n    'a'\n    return f.__doc__", "def f():\n    'b'\n    return f.__doc__"),
    ],
)
def test_different_programs_stay_different(a: str, b: str) -> None:
    assert normalise(a) != normalise(b)


def test_a_function_with_only_a_docstring_stays_a_function() -> None:
    assert normalise("def f():\n    '''Doc.'''\n") == "def f():\n    pass\n"


@pytest.mark.parametrize("text", ["def f(:", "", "x = " + "1" * 5000, "(" * 300, "\x00"])
def test_text_that_cannot_be_normalised_stays(text: str) -> None:
    assert normalise(text) in {text, text + "\n", "\n"}


def test_the_normal_form_is_its_own() -> None:
    source = "import a\nclass B(C):\n    @d\n    def e(self, *f: g) -> h:\n"
    source += "        yield f'{i!r:>{j}}'\n"
    assert normalise(normalise(source)) == normalise(source)
