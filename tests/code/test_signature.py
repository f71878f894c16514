"""Signatures come from code, prompts and broken headers alike."""

from __future__ import annotations

import pytest

from consilience.code import Parameter, signature


@pytest.mark.parametrize(
    ("source", "names", "arity"),
    [
        ("def f(): pass", [], (0, 0)),
        ("def f(a, b): pass", ["a", "b"], (2, 2)),
        ("def f(a, b=1): pass", ["a", "b"], (1, 2)),
        ("def f(a, /, b, *, c=1): pass", ["a", "b", "c"], (2, 2)),
        ("def f(a, *rest, **named): pass", ["a", "rest", "named"], (1, None)),
        ("async def f(a): pass", ["a"], (1, 1)),
        ("f = lambda a, b=2: a", ["a", "b"], (1, 2)),
        ("class f:\n    def __init__(self, a): pass", ["a"], (1, 1)),
        ("class f: pass", [], (0, 0)),
        ("class Solution:\n    def f(self, a): pass", ["a"], (1, 1)),
        ("class Solution:\n    @staticmethod\n    def f(a): pass", ["a"], (1, 1)),
        ("class Solution:\n    @classmethod\n    def f(cls, a): pass", ["a"], (1, 1)),
        ("def g(x): pass\ndef f(a): pass\ndef h(y, z): pass", ["a"], (1, 1)),
        ("def f(a):\n    '''Doc with def f(x, y): in it.'''\n", ["a"], (1, 1)),
        ("def f(a):\n", ["a"], (1, 1)),
        (
            "def f(a: 'list[int]', b: dict[str, int] = {}) -> int:\n    '''open",
            ["a", "b"],
            (1, 2),
        ),
        ("some prose\n\ndef f(a,\n      b):\n    return (\n", ["a", "b"], (2, 2)),
    ],
)
def test_parameters_and_arity(
    source: str, names: list[str], arity: tuple[int, int | None]
) -> None:
    found = signature(source, "f")
    assert found is not None
    assert [parameter.name for parameter in found.parameters] == names
    assert found.arity == arity


def test_annotations_defaults_and_kinds_are_kept() -> None:
    found = signature("def f(a: List[int], b: 'str' = '', *, c) -> 'bool': ...", "f")
    assert found is not None
    assert found.returns == "bool"
    assert found.parameters == (
        Parameter("a", "List[int]"),
        Parameter("b", "str", has_default=True),
        Parameter("c", kind="keyword"),
    )
    assert not found.accepts(2)
    plain = signature("def f(a, b=1): ...", "f")
    assert plain is not None
    assert [plain.accepts(n) for n in range(4)] == [False, True, True, False]


@pytest.mark.parametrize(
    "source", ["", "def g(a): pass", "f(1, 2)", "# def f(a): pass", "\x00"]
)
def test_no_function_no_signature(source: str) -> None:
    assert signature(source, "f") is None
