"""Inputs are read out of any reply, and one bad line never voids the batch."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.code import signature
from consilience.inputs.seeds import parse


def read(text, header="def f(a, b):", entry_point="f", known=()):
    found = signature(f"{header}\n    pass\n", entry_point) if header else None
    return parse(text, found, entry_point, known=known)


@pytest.mark.parametrize(
    "text",
    [
        "f(1, [2])\nf(3, [])",
        "assert f(1, [2]) == 5\nassert f(3, []) == f(9, [9])",
        'assert f(1, [2]) == 5, "f(7, 7) would be wrong"\nassert not f(3, [])  # f(8, 8)',
        "assert f(1, [2]) is True\nassert 4 == f(3, [])",
        "assert abs(f(1, [2]) - 1.5) < 1e-6\nassert f(3, []) in (f(0, 0), 2)",
        "(1, [2])\n(3, [])",
        "1, [2]\n3, []",
        "[1, [2]]\n[3, []]",
        "[[1, [2]], [3, []]]",
        "[\n  (1, [2]),\n  (3, []),\n]",
        '```json\n[{"a": 1, "b": [2]}, {"b": [], "a": 3}]\n```',
        '{"args": [1, [2]]}\n{"input": [3, []]}',
        '{"inputs": [[1, [2]], [3, []]]}',
        "Sure (here they are):\n```python\nf(1, [2])\nf(3, [])\n```\nf(5, [6]) is not one.",
        "```\nf(1, [2])\nf(3, [])",
        "1. f(1, [2])\n2. f(3, [])",
        "1) `f(1, [2])`\n2) `f(3, [])`",
        "- f(1, [2])\n* f(3, [])\n",
        "- (1, [2])\n- (3, [])\n",
        "Test 1: f(1, [2]) -> 9\nTest 2: f(3, []) => [1]",
        "**Input 1:** a = 1, b = [2]\n**Input 2:** a = 3, b = []",
        ">>> f(1, [2])\n5\n>>> f(3, [])\n7",
        "print(f(1, [2]))\nprint(f(3, []))",
        "f(b=[2], a=1)\nf(3, b=[])",
        "f(*[1, [2]])\nf(**{'a': 3, 'b': []})",
        "x = 1\ny = [2]\nf(x, y)\nf(3, [])",
        "inputs = [(1, [2]), (3, [])]\nfor a, b in inputs:\n    f(a, b)",
        "def test_f():\n    assert f(1, [2])\nclass T:\n    def test(self):\n        f(3, [])",
        "def f(a, b):\n    return f(a, 4)\n\nf(1, [2])\nf(3, [])",
        "assert candidate(1, [2]) == 3\nassert Solution().f(3, []) == 4",
        "f(1, [\n  2,\n])\n1. f(3, [])",
        "f(1, [2]) should return 5\nf(3, []) returns it's own length",
    ],
)
def test_every_spelling_of_two_calls_gives_the_two_inputs(text):
    assert read(text).kept[:2] == ((1, [2]), (3, []))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("f(1, x)", "x is not constant"),
        ("f(1,", "not readable"),
        ("f(1)", "1 arguments in place of 2"),
        ("f(1, 2, 3)", "3 arguments in place of 2"),
        ("f(1, c=2)", "no place for the keyword c"),
        ("f('1', 2)", "a: str in place of int"),
        ("f(True, 2)", "a: bool in place of int"),
        ("f(1, 1 / 0)", "ZeroDivisionError"),
        ("f(1, [...])", "left out"),
        ("f(1, 9**9**9)", "too large"),
        ("f(1, open('x'))", "open() is not constant"),
        ("f(0, 0)", "repeated"),
    ],
)
def test_a_bad_line_costs_only_itself_and_says_why(bad, reason):
    parsed = read(f"f(0, 0)\n{bad}\nf(9, 9)", "def f(a: int, b):")
    assert parsed.kept == ((0, 0), (9, 9))
    assert [reason in why for _, why in parsed.dropped] == [True]


def test_an_item_of_a_list_that_does_not_fit_costs_only_itself():
    parsed = read('[[1, 2], [3, "x"], [5, 6], [7]]', "def f(a: int, b: int):")
    assert parsed.kept == ((1, 2), (5, 6))
    assert len(parsed.dropped) == 2


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-1", -1),
        ("10**5", 100_000),
        ("[0] * 3 + [1]", [0, 0, 0, 1]),
        ("'ab' * 2", "abab"),
        ("float('-inf')", -math.inf),
        ("math.inf", math.inf),
        ("set()", set()),
        ("frozenset({1})", frozenset({1})),
        ("list(range(3))", [0, 1, 2]),
        ("range(3)", [0, 1, 2]),
        ("[i for i in range(3)]", [0, 1, 2]),
        ("[[j * i for j in range(2)] for i in range(2)]", [[0, 0], [0, 1]]),
        ("tuple([1])", (1,)),
        ("None", None),
        ("true", True),
        ("null", None),
        ("2 - 3j", 2 - 3j),
        ("b'x'", b"x"),
        ("'\\d'", "\\d"),
    ],
)
def test_constant_expressions_are_folded(expression, value):
    assert read(f"f({expression})", "def f(x):").kept == ((value,),)


@pytest.mark.parametrize(
    "bomb",
    [
        "'a' * 10**9",
        "[0] * 10**9",
        "[[0] * 9000] * 9000",
        "['a' * 90000] * 9000",
        "list(range(10**12))",
        "sum(range(10**12))",
        "1 << 10**9",
        "(2**9999)**9999",
        "'%999999999d' % 1",
        "[0 for _ in range(9000) for _ in range(9000)]",
        "[1] * [0]",
        "+".join(["1"] * 20_000),
        "(" * 150 + "1" + ")" * 150 + "**9" * 150,
    ],
)
def test_an_expression_that_would_fill_memory_is_dropped_at_once(bomb):
    started = time.process_time()
    assert read(f"f({bomb})\nf(1)", "def f(x):").kept == ((1,),)
    assert time.process_time() - started < 2.0


def test_bool_int_and_float_are_different_inputs():
    assert read("f(1)\nf(True)\nf(1.0)\nf(1)", "def f(x):").kept == ((1,), (True,), (1.0,))


def test_annotations_tell_an_argument_from_a_list_of_arguments():
    assert read("[1, 2]\n[3]", "def f(x: list[int]):").kept == (([1, 2],), ([3],))
    assert read("[1, 2]", "def f(x: int):").kept == ((1,), (2,))
    assert read("(1, 2)", "def f(x: tuple[int, int]):").kept == (((1, 2),),)


def test_a_json_list_becomes_the_tuple_or_set_asked_for():
    assert read("[[1, 2], [3]]", "def f(x: Tuple[int, int], y: Set[int]):").kept == (
        ((1, 2), {3}),
    )


def test_known_inputs_tell_tuples_from_lists_where_nothing_is_annotated():
    known = [((3, 4), (5,)), ((1,), (2, 3))]
    assert read("f([1, 2], [3])", known=known).kept == (((1, 2), (3,)),)
    assert read("f('a', 3)", known=known).kept == (("a", 3),)


def test_without_a_signature_everything_readable_is_kept():
    assert read("f(1)\nf(1, k=2)\n('x',)", header=None).kept == ((1,), (1, 2), ("x",))


def test_a_default_may_be_left_out_but_not_skipped():
    parsed = read("f(1)\nf(1, 2)\nf(1, c=3)", "def f(a, b=0, c=0):")
    assert parsed.kept == ((1,), (1, 2))
    assert len(parsed.dropped) == 1


def test_a_docstring_among_calls_is_no_input():
    parsed = read('"""Tests of f."""\nf("a")\n"""More."""\nf("b")', "def f(s: str):")
    assert parsed.kept == (("a",), ("b",))


def test_prose_outside_a_fence_is_no_dropped_input():
    parsed = read("Here are some (tricky) inputs:\nf(1, 2)\n\nHope that helps!")
    assert parsed.kept == ((1, 2),)
    assert parsed.dropped == ()


@given(st.text(max_size=200) | st.text(alphabet="f(1,[2]){}:'\"\\\n=- #`*.", max_size=80))
def test_no_text_raises(text):
    read(text)


@given(
    st.lists(
        st.tuples(st.integers(), st.lists(st.text() | st.booleans() | st.none())),
        min_size=2,
        max_size=6,
    )
)
def test_what_repr_writes_is_read_back(calls):
    unique = list({repr(call): call for call in calls}.values())
    text = "\n".join(f"f{call!r}" for call in calls)
    assert list(read(text).kept) == unique
