"""What a task says in passing of exceptions, printing and rough answers is heard."""

from __future__ import annotations

import pytest

from consilience.code.remarks import (
    any_case,
    roughly,
    speaks_of_exceptions,
    speaks_of_printing,
)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        (
            ">>> f(1)\nTraceback (most recent call last):\n    ...\nValueError: no",
            ("ValueError",),
        ),
        ("Traceback (most recent call last):\n  a.b.FullError: no", ("FullError",)),
        ("Raises a TypeError or KeyError if x is odd.", ("KeyError", "TypeError")),
        (":raises IndexError: where there is none", ("IndexError",)),
        ("It throws an `EmptyBoxError` then.", ("EmptyBoxError",)),
        ("    Raises:\n        OSError: if so.\n    Returns:\n        Thing", ("OSError",)),
        ("Raises\n------\nValueError\n    If so.\n", ("ValueError",)),
        ("The hand raises the Cup.", ()),
        ("Avoid ValueError.", ()),
    ],
)
def test_classes_of_exceptions_are_listed(text: str, classes: tuple[str, ...]) -> None:
    assert speaks_of_exceptions(text) == classes


def test_printing_is_asked_for_in_some_words_and_forbidden_in_others() -> None:
    assert speaks_of_printing("Print the triangle.")
    assert speaks_of_printing("Writes a line to standard output.")
    assert not speaks_of_printing("Return the text; do not print it.")
    assert not speaks_of_printing("Tell whether all is printable.")


@pytest.mark.parametrize(
    ("text", "is_rough"),
    [
        ("An absolute or relative error of at most 1e-6 is fine.", True),
        ("Answers within 10^{-6} are accepted.", True),
        ("Answers within 10^-5 of the actual answer are accepted.", True),
        (r"accepted if the error does not exceed $10^{-4}$", True),
        ("Walk within 10 steps, or it is an error.", False),
    ],
)
def test_rough_answers_are_allowed_in_words(text: str, is_rough: bool) -> None:
    assert roughly(text) is is_rough


def test_any_case_is_of_the_answer_not_of_the_task() -> None:
    assert any_case("You can print YES or NO in any case.")
    assert any_case("The answer is case-insensitive.")
    assert not any_case("Compare the words, case-insensitively.")
    assert not any_case("Print the number of boxes. In any case a box is red.")
