"""Replies of doctest lines become checked sessions; what is refused comes with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.inputs.lines import read_lines

STACK = frozenset({"Stack"})


def steps(reply, names=STACK, known=()):
    return [session.steps for session in read_lines(reply, names, known)[0]]


def reasons(reply, names=STACK, known=()):
    return [reason for _, reason in read_lines(reply, names, known)[1]]


def test_prompted_lines_in_fences_with_answers_below():
    first = ">>> s = Stack()\n>>> s.push(3)\n>>> s.min()\n3\n\n"
    second = ">>> s = Stack([1,\n...            2])\n>>> s.pop()\n2\n"
    reply = f"Here:\n```python\n{first}{second}```\nDone."
    assert steps(reply) == [
        ("s = Stack()", "s.push(3)", "s.min()"),
        ("s = Stack([1, 2])", "s.pop()"),
    ]


def test_a_variable_made_anew_starts_the_next_session():
    reply = ">>> s = Stack()\n>>> s.pop()\n>>> s = Stack(2)\n>>> s.pop()\n"
    assert steps(reply) == [("s = Stack()", "s.pop()"), ("s = Stack(2)", "s.pop()")]


@pytest.mark.parametrize(
    "line",
    [
        "area([2, 3])",
        "1. area([2, 3]) -> 6",
        "- `area([2, 3])`  # six",
        "* area([2, 3]) == 6",
        "assert area([2, 3]) == 6, 'six'",
        "print(area([2, 3]))",
        ">>> area([2, 3])",
        "assert 6 == area([2, 3])",
        "self.assertEqual(area([2, 3]), 6)",
    ],
)
def test_calls_in_any_spelling(line):
    assert steps(line, {"area"}) == [("area([2, 3])",)]


def test_lines_that_only_call_are_sessions_of_their_own():
    assert steps(">>> list(up(2))\n[0, 1]\n>>> list(up(0))\n[]\n", {"up"}) == [
        ("list(up(2))",),
        ("list(up(0))",),
    ]


def test_in_place_calls_stay_with_their_variable():
    reply = "a = [1, 2, 3]\nturn(a, 1)\na\n[3, 1, 2]\n\na = []\nturn(a, 0)\nprint(a)\n"
    assert steps(reply, {"turn"}) == [
        ("a = [1, 2, 3]", "turn(a, 1)", "a"),
        ("a = []", "turn(a, 0)", "a"),
    ]


def test_names_of_the_context_and_usual_modules_are_known():
    reply = "from datetime import date\nage(Person('a', date(2020, 1, 2)))\n"
    assert steps(reply, {"age"}, {"Person"})
    assert reasons(reply, {"age"}) == ["Person is not known"]


def test_what_cannot_be_imported_costs_its_own_line_only():
    reply = ">>> from solution import Stack\n>>> s = Stack()\n>>> s.pop()\n"
    assert steps(reply) == [("s = Stack()", "s.pop()")]
    assert reasons(reply) == ["imports solution"]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("f(open('x'))", "uses open"),
        ("f(().__class__)", "uses __class__"),
        ("f(__import__('os'))", "uses __import__"),
        ("f(eval('1'))", "uses eval"),
        ("f(g(1))", "g is not known"),
        ("f(getattr(f, 'x'))", "uses getattr"),
        ("f('" + "x" * 2100 + "')", "more than 2000 characters"),
        ("len([1])", "calls none of the targets"),
        ("while True: f(1)", "While is no step"),
        ("f(lambda __x: 1)", "uses __x"),
    ],
)
def test_refusals_say_why(step, reason):
    found, refused = read_lines(step, {"f"}, ())
    assert not found
    assert [why for _, why in refused] == [reason]


def test_long_sessions_are_refused():
    reply = "\n".join(["s = Stack()", *(f"s.push({i})" for i in range(20))])
    assert reasons(reply) == ["more than 12 steps"]


def test_a_variable_that_was_never_made_is_not_known():
    assert reasons("x = 1\nf(y)", {"f"}) == ["y is not known"]


@given(st.text(max_size=300))
def test_no_reply_breaks_the_reader(reply):
    read_lines(reply, {"f"}, {"g"})


@given(st.text(">. \n()f=1[],`#:a_", max_size=80))
def test_no_reply_of_code_like_text_breaks_the_reader(reply):
    found, _ = read_lines(reply, {"f"}, ())
    for session in found:
        assert any("f" in step for step in session.steps)
