"""Examples and assertions are read as (input, expected), literals only."""

from __future__ import annotations

import math
from typing import Any

import pytest

from consilience.code import assertions, examples, read_literal
from consilience.values import Value


@pytest.mark.parametrize(
    ("line", "args", "expected"),
    [
        (">>> f(1, 2)\n    3", (1, 2), 3),
        (">>> f([1, 2])\n    [2,\n     1]", ([1, 2],), [2, 1]),
        (">>> f('a')\n    'b'", ("a",), "b"),
        ("f(1) == 2", (1,), 2),
        ("f(1) = 2", (1,), 2),
        ("f(1) => 2", (1,), 2),
        ("f(1) ==> 2", (1,), 2),
        ("f(1) -> 2", (1,), 2),
        ("f(1) ➞ 2", (1,), 2),
        ("f(1) → 2", (1,), 2),
        ("f(1)  # => 2", (1,), 2),
        ("f('hi') returns 'lm'", ("hi",), "lm"),
        ("f([1, 2]) should return True.", ([1, 2],), True),
        ("For example, f(1) returns 2, because it adds.", (1,), 2),
        ("`f(1)` returns `2`", (1,), 2),
        ("f('a)b') == '(c'", ("a)b",), "(c"),
        ('f((1, 2), (3, 4)) ==> "NO"', ((1, 2), (3, 4)), "NO"),
        ("f(-1.5e3) == [{'a': None}]", (-1500.0,), [{"a": None}]),
        ("assert f(3) == {1, 2}", (3,), {1, 2}),
        ("f(1) == true", (1,), True),
        ("f() == []", (), []),
    ],
)
def test_an_example_in_a_prompt_is_read(line: str, args: Any, expected: Any) -> None:
    prompt = f'def f(*args):\n    """Do it.\n\n    {line}\n    """\n'
    (found,) = examples(prompt, "f")
    assert Value.of(found.args) == Value.of(args)
    assert Value.of(found.expected) == Value.of(expected)


@pytest.mark.parametrize(
    "text",
    [
        "f(x) == 3",
        "f(1) is nice",
        "g.f(1) == 2",
        "of(1) == 2",
        "f(1) == g(2)",
        "f(__import__('os')) == 1",
        "f(1) == open('x')",
        "f(1",
        "f(1) == [1, 2",
        "f(1) == 2\nf(1) == 3",
    ],
)
def test_what_is_no_example_is_left_alone(text: str) -> None:
    assert examples(text, "f") == ()


def test_repeated_examples_come_once() -> None:
    assert len(examples("f(1) == 2\n>>> f(1)\n2\nassert f(1) == 2\nf(2) == 2", "f")) == 2


@pytest.mark.parametrize(
    ("test", "args", "expected"),
    [
        ("assert f(1) == 2", (1,), 2),
        ("assert 2 == f(1)", (1,), 2),
        ("assert f(1) is True", (1,), True),
        ("assert f(1) == 2, 'message'", (1,), 2),
        ("def check(candidate):\n    assert candidate([1]) == (2,)", ([1],), (2,)),
        ("import math\nassert math.isclose(f(1), 2.5)", (1,), 2.5),
        ("import pytest\ndef test():\n    assert f(1) == pytest.approx(2.5)", (1,), 2.5),
        ("assert f(10**20, float('inf')) == -3", (10**20, math.inf), -3),
        ("assert Solution().f(1) == 2", (1,), 2),
        ("some prose\nassert f(1) == 2\nassert f(", (1,), 2),
    ],
)
def test_an_assertion_becomes_input_and_expected(test: str, args: Any, expected: Any) -> None:
    (found,) = assertions(test, "f")
    assert Value.of(found.args) == Value.of(args)
    assert Value.of(found.expected) == Value.of(expected)


@pytest.mark.parametrize(
    "test",
    [
        "assert f(1)",
        "assert not f(1)",
        "assert f(1) > 2",
        "assert f(1) == f(2)",
        "assert f(x) == 1",
        "assert f(a=1) == 1",
        "assert f(*[1]) == 1",
        "assert abs(f(1) - 2) < 0.1",
        "assert f(open('/etc/passwd').read()) == 1",
        "assert len(f(1)) == 1",
        "assert g(1) == 1",
        "assert math.isclose(f(1), 2.5, rel_tol=0.1)",
        "f(1) == 2",
        "import pickle\nassert pickle.loads(b'...') == f(1)",
    ],
)
def test_other_tests_are_left_alone(test: str) -> None:
    assert assertions(test, "f") == ()


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("1", 1), ("-1", -1), ("+1", 1),
        ("not 1", False), ("10**9 + 7", 10**9 + 7), ("1/4", 0.25),
        ("'a' * 3", "aaa"), ("[0] * 3", [0, 0, 0]), ("{1, 2}", {1, 2}), ("set()", set()),
        ("frozenset({1})", frozenset({1})), ("float('inf')", math.inf), ("inf", math.inf),
        ("1 + 2j", 1 + 2j), ("{'a': (1,)}", {"a": (1,)}), ("b'x'", b"x"), ("None", None),
        ("dict()", {}), ("list((1, 2))", [1, 2]), ("math.pi", math.pi),
        ("True", True), ("'a' 'b'", "ab"), ("nan", math.nan),
    ],
)  # fmt: skip
def test_literals_are_read(text: str, thing: Any) -> None:
    assert Value.of(read_literal(text)) == Value.of(thing)


def test_integers_of_any_size_are_read() -> None:
    assert read_literal("7**6000") == 7**6000


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "f(1)", "__import__('os')", "[x for x in y]", "lambda: 1", "1; 2", "a.b",
        "...",
        "10**10**10", "9**9**9", "'a' * 10**9", "[0] * 10**12", "(1).real", "{**{}}", "f'{1}'",
        "1 / 0", "{[1]}", "int('1' * 5000)", "bytes(10**9)", "-'a'", "1 if 1 else 2", "x := 1",
        "(" * 5000, "[*[1]]", "open('x')", "str(b'x', 'rot13')", "1 << 10**9", "\x00",
        "[[0] * 1000] * 1000 * 1000 * 1000", "complex('x')", "math.inf.real",
    ],
)  # fmt: skip
def test_what_is_no_small_literal_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any refusal will do
        read_literal(text)
