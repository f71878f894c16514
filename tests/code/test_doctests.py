"""Doctests of every form become sessions, whole and mended."""

from __future__ import annotations

import pytest

from consilience.code.doctests import doctests
from consilience.code.given_examples import examples_of
from consilience.task import Session, Wants

BOX = '''class Box:
    """A box."""

    def __init__(self):
        """Begin empty."""

    def put(self, thing):
        """Put it in.

{doctest}
        """
'''


def read(doctest: str, name: str = "f") -> list[list[tuple[str, str]]]:
    lines = "\n".join("    " + line for line in doctest.split("\n"))
    text = f'def {name}(*args):\n    """Do it.\n\n{lines}\n    """\n'
    return pairs(doctests(text, {name}))


def pairs(found: object) -> list[list[tuple[str, str]]]:
    assert isinstance(found, tuple)
    sessions = []
    for example in found:
        assert isinstance(example.probe, Session)
        assert isinstance(example.expected, Wants)
        sessions.append(list(zip(example.probe.steps, example.expected.texts, strict=True)))
    return sessions


@pytest.mark.parametrize(
    ("doctest", "session"),
    [
        (">>> list(f(1))\n[1,\n 2]", [("list(f(1))", "[1,\n 2]")]),
        (">>> f(Box(1), key=2)\n3", [("f(Box(1), key=2)", "3")]),
        (">>> f(1)(2)\n3\n\nSome prose.", [("f(1)(2)", "3")]),
        (">>> a = [2]\n>>> f(a)\n>>> a\n[3]", [("a = [2]", ""), ("f(a)", ""), ("a", "[3]")]),
        (
            ">>> for x in f(1):\n...     print(x)\n1\n<BLANKLINE>\n2",
            [("for x in f(1):\n    print(x)", "1\n\n2")],
        ),
        (
            ">>> f()\nTraceback (most recent call last):\n    ...\nValueError: no",
            [("f()", "Traceback (most recent call last):\n    ...\nValueError: no")],
        ),
        (
            ">>> import math as m\n>>> f(m.pi)\n3.0",
            [("import math as m", ""), ("f(m.pi)", "3.0")],
        ),
    ],
)
def test_a_doctest_is_read_as_it_stands(doctest: str, session: list[tuple[str, str]]) -> None:
    assert read(doctest) == [session]


@pytest.mark.parametrize(
    ("doctest", "session"),
    [
        (">>> x = f(1)\n2", [("x = f(1)", ""), ("x", "2")]),
        (">>> x = f(1)\nWell done!", [("x = f(1)", "Well done!")]),
        (">>>f(1)\n2", [("f(1)", "2")]),
        (">>> f(1) -> 2", [("f(1)", "2")]),
        (">>> f(1)  # 2", [("f(1)  # 2", "2")]),
        (">>> f(1) == 2", [("f(1) == 2", "True")]),
        (">>> f([1,\n>>> 2])\n3", [("f([1,\n2])", "3")]),
        (">>> f({1: 2,\n   3: 4})\n5", [("f({1: 2,\n       3: 4})", "5")]),
        (">>> f(1)\n>>> {'a': 1}", [("f(1)", "{'a': 1}")]),
        (">>> x = f(1)\nlen(x) = 2", [("x = f(1)", ""), ("len(x)", "2")]),
    ],
)
def test_a_sloppy_doctest_is_mended(doctest: str, session: list[tuple[str, str]]) -> None:
    assert read(doctest) == [session]


@pytest.mark.parametrize(
    "doctest",
    [
        ">>> f(1",
        ">>> g(1)\n2",
        ">>> f(1)",
        ">>> f(1)\n<object at 0x7f00>",
        ">>> f(1)\n[1, ..., 3]",
        ">>> f(1)  # doctest: +SKIP\n2",
        ">>> f(nowhere)\n2",
    ],
)
def test_what_states_nothing_of_the_target_is_no_session(doctest: str) -> None:
    assert read(doctest) == []


def test_steps_that_share_variables_are_one_session_and_others_apart() -> None:
    found = read(
        ">>> a = f(1)\n>>> b = f(2)\n>>> a + b\n3\n>>> f(4)\n5\n>>> a = f(6)\n>>> a\n7"
    )
    assert found == [
        [("a = f(1)", ""), ("b = f(2)", ""), ("a + b", "3")],
        [("f(4)", "5")],
        [("a = f(6)", ""), ("a", "7")],
    ]


def test_the_import_of_the_target_is_left_out() -> None:
    assert read(">>> from mine import f\n>>> f(1)\n2") == [[("f(1)", "2")]]


@pytest.mark.parametrize(
    ("doctest", "session"),
    [
        (
            ">>> box.put(1)\n>>> box.things\n[1]",
            [("box = Box()", ""), ("box.put(1)", ""), ("box.things", "[1]")],
        ),
        (
            ">>> box = Box()\n>>> box.put(1)\nself.size = 1\nself.things = [1]",
            [("box = Box()", ""), ("box.put(1)", ""), ("box.size", "1"), ("box.things", "[1]")],
        ),
        (
            ">>> box = Box()\nbox.things = [1]\n>>> box.put(2)\nTrue",
            [("box = Box()", ""), ("box.things = [1]", ""), ("box.put(2)", "True")],
        ),
    ],
)
def test_the_object_of_a_class_is_made_and_looked_at(
    doctest: str, session: list[tuple[str, str]]
) -> None:
    text = BOX.format(doctest="\n".join("        " + line for line in doctest.split("\n")))
    assert pairs(doctests(text, {"Box"})) == [session]


def test_an_object_of_another_docstring_is_lent_without_what_was_done_to_it() -> None:
    one = "        >>> b = Box()\n        >>> b.put(1)\n        True"
    two = '        """\n\n    def get(self):\n        """Get.\n\n        >>> b.get()\n        2'
    found = pairs(doctests(BOX.format(doctest=one + "\n" + two), {"Box"}))
    assert found[1] == [("b = Box()", ""), ("b.get()", "2")]


def test_plain_calls_stay_tuples_and_come_once() -> None:
    text = (
        'def f(x):\n    """Do.\n\n    >>> f(1)\n    2\n    >>> list(f(3))\n    [4]\n    """\n'
    )
    first, second = examples_of(text, "f", "function")
    assert (first.probe, first.expected) == ((1,), 2)
    assert second.probe == Session(("list(f(3))",))
