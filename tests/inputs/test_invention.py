"""Sessions invented from signatures fit them, run in the sandbox, and come to an end."""

import ast
import random

import pytest

from consilience.inputs import steps as stepping
from consilience.inputs.documented import by_name, documented
from consilience.inputs.expressions import expression
from consilience.inputs.invention import propose_sessions
from consilience.sandbox import Target
from consilience.sandbox.pool import ForkServer
from consilience.task import Session

MODULE = '''
import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Optional


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass
class Parcel:
    weight: float
    sent: dt.date
    colour: Colour = Colour.RED
    tags: list[str] = field(default_factory=list)


class Node:
    def __init__(self, value: int, rest: "Optional[Node]" = None):
        self.value = value
        self.rest = rest


Parcels = list[Parcel]


async def fetch(n: int) -> int:
    return n + 1


async def trickle(n: int):
    for each in range(n):
        yield each


def heaviest(parcels: Parcels, *, limit: Decimal) -> Parcel | None:
    return max((p for p in parcels if p.weight < limit), key=lambda p: p.weight, default=None)


def turn(a: list[int], k: int) -> None:
    a.reverse()


def pieces(xs: list[int], n: int) -> Iterator[list[int]]:
    yield xs[:n]


def count_up(top):
    """Yield the numbers up to top.

    :param top: int, the last
    """
    yield from range(top)


def twice(f: Callable[[int], int]) -> Callable[[int], int]:
    return lambda x: f(f(x))


def total(node: Node) -> int:
    return node.value + (total(node.rest) if node.rest else 0)


class Till:
    """A till."""

    def __init__(self, cash: int = 0):
        self.cash = cash
        self._log = []

    def take(self, amount, note=""):
        """:param amount: int
        :param note: str
        """
        self.cash += amount

    def pour(self, other: "Till"):
        self.cash, other.cash = self.cash + other.cash, 0

    def _hidden(self): ...

    def __len__(self):
        return len(self._log)


class Solution:
    def area(self, sides: list[int], scale: float) -> float:
        return sum(sides) * scale
'''
TARGETS = [
    ("fetch", "function"), ("trickle", "function"), ("heaviest", "function"),
    ("turn", "function"), ("pieces", "function"), ("count_up", "function"),
    ("twice", "function"), ("total", "function"), ("Till", "class"),
    ("Solution.area", "method"),
]  # fmt: skip


@pytest.fixture(scope="module")
def box():
    with ForkServer(workers=1) as server:
        yield server


def invent(name, shape, count=12, seed=0, source=MODULE, **more):
    return propose_sessions(source, name, shape, count=count, seed=seed, **more)


@pytest.mark.parametrize(("name", "shape"), TARGETS)
def test_what_is_invented_runs(box, name, shape):
    sessions = invent(name, shape)
    assert len(sessions) >= 10
    outcomes = box.run([MODULE], Target(name), sessions)[0]
    failed = [(s.steps, o.message) for s, o in zip(sessions, outcomes, strict=True) if not o.ok]
    assert not failed
    assert len({o.value.payload for o in outcomes}) > 1


@pytest.mark.parametrize(("name", "shape"), TARGETS)
def test_names_are_made_before_they_are_used_and_the_seed_decides(name, shape):
    for session in invent(name, shape):
        assert not stepping.undefined(session.steps, stepping.variables([session.steps]))
    assert invent(name, shape) == invent(name, shape)
    assert invent(name, shape) != invent(name, shape, seed=1)


def test_what_is_given_for_change_is_looked_at():
    assert all(
        s.steps[0].startswith("a = ") and s.steps[-1] == "a" for s in invent("turn", "function")
    )


def test_classes_are_driven_by_public_calls_and_looked_at_in_the_end():
    sessions = invent("Till", "class", count=30)
    text = "\n".join(step for s in sessions for step in s.steps)
    assert {"till.take(", "till.pour(other", "till.cash", "len(till)"} <= {
        part
        for part in ("till.take(", "till.pour(other", "till.cash", "len(till)")
        if part in text
    }
    assert "_hidden" not in text
    assert "_log" not in text
    assert any(s.steps[-1].endswith(".cash") for s in sessions)


def test_values_of_examples_are_used_by_the_name_of_their_parameter():
    known = [Session(("t = Till()", "t.take(4242, note='gift')"))]
    made = invent("Till", "class", known=known, count=30)
    text = "\n".join(step for session in made for step in session.steps)
    assert "take(4242" in text
    assert "'gift')" in text
    assert invent("Till", "class", known=known)[0] not in known


def test_a_starter_without_a_body_will_do():
    starter = "class Solution:\n    def area(self, sides: List[int]) -> int:\n        "
    made = invent("Solution.area", "method", source=starter)
    assert all(s.steps[0].startswith("Solution().area([") for s in made)


def test_a_skeleton_with_a_broken_docstring_will_do():
    put = 'class Bin:\n    def put(self, n):\n        """\n        :param n: int\n\n'
    broken = put + '    def get(self):\n        """x"""\n'
    made = invent("Bin", "class", source=broken)
    assert any("bin_.put(" in step or "bin.put(" in step for s in made for step in s.steps)


def test_imports_stand_in_front_where_the_module_lacks_them():
    source = "def late(d: date) -> bool: ...\n"
    assert all(
        s.steps[0] == "from datetime import date"
        for s in invent("late", "function", source=source)
    )


def test_dates_are_spelled_as_the_module_imports_them():
    source = 'import datetime\ndef late(d):\n    """:param d: the datetime to look at"""\n'
    made = invent("late", "function", source=source)
    assert made
    assert all(s.steps[0].startswith("late(datetime.datetime(") for s in made)


def test_scripts_and_unknown_names_give_nothing():
    assert invent("", "script") == []
    assert invent("missing", "function") == []
    assert invent("f", "function", source="") == []


@pytest.mark.parametrize(
    ("annotation", "kinds"),
    [
        ("int", ast.Constant | ast.UnaryOp),
        ("dict[str, list[int]]", ast.Dict),
        ("tuple[int, str]", ast.Tuple),
        ("set[int]", ast.Set | ast.Call),
        ("Optional[str]", ast.Constant),
        ("int | None", ast.Constant | ast.UnaryOp),
        ("Literal['a', 'b']", ast.Constant),
        ("Colour", ast.Attribute),
        ("Parcel", ast.Call),
        ("Parcels", ast.List),
        ("np.ndarray", ast.Call),
        ("Decimal", ast.Call),
        ("Callable[[int, int], bool]", ast.Lambda),
        ("Iterable[str]", ast.List),
        ("'list[int]'", ast.List),
    ],
)
def test_expressions_are_what_the_annotation_says(annotation, kinds):
    rng = random.Random(0)
    for _ in range(30):
        text = expression(annotation, MODULE, rng)
        assert isinstance(ast.parse(text, mode="eval").body, kinds)


def test_what_says_nothing_gives_likely_values():
    rng = random.Random(0)
    texts = {expression(None, "", rng) for _ in range(40)} | {expression("Odd[", "", rng)}
    assert len(texts) > 10
    assert all(ast.literal_eval(text) is not None for text in texts)


def test_recursive_classes_come_to_an_end():
    rng = random.Random(0)
    texts = [expression("Node", MODULE, rng) for _ in range(60)]
    assert max(map(len, texts)) < 400
    assert any(text.count("Node(") > 1 for text in texts)


@pytest.mark.parametrize(
    ("docstring", "types"),
    [
        (":param a: int, how many\n:param b:str, a name", {"a": "int", "b": "str"}),
        (":param a: The number of things, int.", {"a": "int"}),
        (":param a: what\n:type a: list of strings", {"a": "list[str]"}),
        (":param dict a: it", {"a": "dict"}),
        (":param a: a till, Till", {"a": "Till"}),
        (
            "Args:\n    a (float): it\n    b (list of int, optional): it",
            {"a": "float", "b": "list[int]"},
        ),
        (
            "Parameters\n----------\na : np.ndarray\nb : bool, optional",
            {"a": "np.ndarray", "b": "bool"},
        ),
        (":param a: something", {}),
    ],
)
def test_docstrings_tell_types(docstring, types):
    assert documented(docstring, {"Till"}) == types


def test_names_tell_types_where_nothing_else_does():
    assert by_name("words") == "list[str]"
    assert by_name("k") == "int"
    assert by_name("frobnicate") is None
