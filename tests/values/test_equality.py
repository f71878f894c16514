"""Equality agrees with a careful person, and with CPython wherever the two must agree."""

from __future__ import annotations

import datetime
import enum
import math
import random
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.sandbox.inside import encoder
from consilience.values import EXACT, Tolerance, Value, classes, equal

PAIRS = 120_000

Point = namedtuple("Point", "x y")


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


def value(thing: Any) -> Value:
    """Encode as the sandbox does, then take it over as the judge does."""
    return Value.from_wire(encoder.encode(thing))


def is_small_whole(thing: Any) -> bool:
    return abs(thing) < 2**50 and thing == int(thing)


class Maker:
    """Makes random values, and twins of them that are written with other types."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def number(self) -> Any:
        n = self.chance.choice([0, 1, 2, 3, -1, 7, 10**20, 10**20 + 1, 2**53, 2**53 + 1])
        return self.as_other_type(n)

    def as_other_type(self, n: Any) -> Any:
        makers = [int, float, Fraction, Decimal, lambda x: complex(x, 0), lambda x: x / 2]
        makers += [
            lambda x: bool(x) if x in {0, 1} else x,
            lambda x: Colour(x) if x in {1, 2} else x,
        ]
        return self.chance.choice(makers)(n)

    def leaf(self) -> Any:
        day, start, step = (self.chance.choice(some) for some in ((1, 2), (0, 1, 3), (1, 2, 5)))
        return self.chance.choice([
            self.number(), self.number(), None, "", "a", "1", "None", b"", b"a", math.inf, -0.0,
            1j, datetime.date(2024, 1, day), range(start, 3, step),
        ])  # fmt: skip

    def hashable(self, depth: int) -> Any:
        if depth <= 0 or self.chance.random() < 0.6:
            return self.leaf()
        items = [self.hashable(depth - 1) for _ in range(self.chance.randrange(3))]
        return self.chance.choice([tuple, frozenset])(items)

    def value(self, depth: int = 3) -> Any:
        if depth <= 0 or self.chance.random() < 0.3:
            return self.leaf()
        size = self.chance.randrange(4)
        items = [self.value(depth - 1) for _ in range(size)]
        keys = [self.hashable(depth - 1) for _ in range(size)]
        return self.chance.choice([
            lambda: items, lambda: tuple(items), lambda: deque(items), lambda: set(keys),
            lambda: frozenset(keys), lambda: dict(zip(keys, items, strict=True)),
            lambda: Point(*items[:2]) if size >= 2 else Point(1, 2), lambda: bytearray(b"a"),
            lambda: Counter({"a": 1, "b": self.chance.randint(1, 2)}),
            lambda: defaultdict(int, zip(keys, items, strict=True)),
        ])()  # fmt: skip

    def twin(self, thing: Any) -> Any:
        """Copy *thing*, here and there with another type, another order, another value."""
        if self.chance.random() < 0.04:
            return self.leaf()
        kind = type(thing)
        if kind in {int, float, bool, Fraction}:
            return self.as_other_type(int(thing)) if is_small_whole(thing) else thing
        if kind is dict or kind is defaultdict:
            return {
                k: self.twin(v) for k, v in self.chance.sample(list(thing.items()), len(thing))
            }
        if kind is Point:
            return self.chance.choice([tuple, list])(map(self.twin, thing))
        if kind is set or kind is frozenset:
            members = self.chance.sample(list(thing), len(thing))
            return self.chance.choice([set, frozenset])(map(self.member, members))
        if kind in {list, tuple, deque}:
            other = self.chance.choice([kind, kind, kind, list, tuple])
            return other(map(self.twin, thing))
        return thing

    def member(self, thing: Any) -> Any:
        return self.as_other_type(thing) if type(thing) is int and thing < 2**50 else thing


def test_level_py_agrees_with_cpython_on_random_pairs() -> None:
    maker = Maker(seed=20)
    found = Counter()
    for _ in range(PAIRS // 4):
        a = maker.value()
        encoded = value(a)
        for b in (maker.twin(a), maker.twin(a), maker.twin(a), maker.value()):
            cpython = bool(a == b)
            assert equal(encoded, value(b), tolerance=EXACT) is cpython, (a, b)
            found[cpython] += 1
    assert sum(found.values()) >= 100_000
    assert found[True] >= 20_000
    assert found[False] >= 20_000


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (math.nan, math.nan, True),
        ([math.nan, 1], [math.nan, True], True),
        (complex(math.nan, 1), complex(math.nan, 1), True),
        (Decimal("NaN"), math.nan, True),
        (Decimal("sNaN"), math.nan, True),
        (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1), True),
        (0.1 + 0.2, 0.3, True),
        ({"x": [1e9 + 0.5]}, {"x": [1e9 + 0.50001]}, True),
        (1.0, 1 + 2e-6, False),
        (1e-7, 0.0, True),
        (10**20, 10**20 + 1, False),
        (10**20, float(10**20 + 10**12), True),
        (10**400, 1e300, False),
        (10**400, math.inf, False),
        (math.inf, -math.inf, False),
        (math.inf, 1e308, False),
        ({0.1 + 0.2}, {0.3}, False),
        ({0.1 + 0.2: 1}, {0.3: 1}, False),
        (Fraction(1, 3), 1 / 3, True),
        (Fraction(1, 3), Fraction(333333333, 10**9), False),
        (Decimal("1E+999999"), Decimal("1E+999999"), True),
        (Decimal("1E+999999"), 1.0, False),
        (2.0 + 1e-9j, 2, True),
    ],
)
def test_where_a_careful_person_and_cpython_differ(a: Any, b: Any, same: bool) -> None:
    assert equal(value(a), value(b)) is same
    assert equal(value(b), value(a)) is same
    assert (len(set(classes([value(a), value(b)]))) == 1) is same


@pytest.mark.parametrize(
    ("a", "b", "strict", "py", "lenient"),
    [
        (True, 1, False, True, True),
        (1, 1.0, False, True, True),
        (0.0, -0.0, False, True, True),
        (math.nan, math.nan, True, True, True),
        (Fraction(1, 2), 0.5, False, True, True),
        ([1], (1,), False, False, True),
        ([1], deque([1]), False, False, True),
        (iter([1]), [1], False, False, True),
        ({1}, frozenset({1}), False, True, True),
        (Point(1, 2), (1, 2), False, True, True),
        (Colour.RED, 1, False, True, True),
        (Counter("a"), {"a": 1}, False, True, True),
        ({1: 2, 3: 4}, {3: 4, 1: 2}, True, True, True),
        (b"a", bytearray(b"a"), False, True, True),
        ("a", b"a", False, False, False),
        ("1", 1, False, False, False),
        (None, 0, False, False, False),
        (None, "None", False, False, False),
        ([], None, False, False, False),
        ([1], {1}, False, False, False),
        (range(0, 3, 2), range(0, 4, 2), False, True, True),
    ],
)
def test_levels_are_alike_in_degrees(
    a: Any, b: Any, strict: bool, py: bool, lenient: bool
) -> None:
    left, right = value(a), value(b)
    assert [equal(left, right, level) for level in ("strict", "py", "lenient")] == [
        strict,
        py,
        lenient,
    ]


def test_numpy_compares_by_shape_and_values() -> None:
    numpy = pytest.importorskip("numpy")
    same = value(numpy.array([1, 2]))
    assert equal(same, value(numpy.array([1.0, 2.0])))
    assert equal(same, value(numpy.array([1, 2])))
    assert not equal(same, value(numpy.array([1, 3])))
    assert not equal(same, value(numpy.array([1, 2, 3])))
    assert not equal(same, value(numpy.array([[1, 2]])))
    assert not equal(same, value([1, 2]))
    assert equal(same, value([1, 2]), "lenient")
    assert equal(value(numpy.float64(0.1) + numpy.float64(0.2)), value(0.3))
    assert equal(value(numpy.int64(3)), value(3))
    assert equal(value(numpy.bool_(True)), value(True))


def test_functions_equal_nothing_and_objects_their_like() -> None:
    class Own:
        def __init__(self, x: int) -> None:
            self.x = x

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    function = value(len)
    assert function.opaque
    assert not equal(function, function)
    assert classes([function, value(1), function]) == [1, 0, 2]
    assert value(Own(1)).opaque
    assert equal(value(Own(1)), value(Own(1)))
    assert not equal(value(Own(1)), value(Own(2)))
    assert not equal(value(Own(1)), value(1))


def test_a_subclass_with_its_own_equality_is_opaque_and_equals_no_plain_value() -> None:
    class Cheat(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    cheat = value(Cheat(3))
    assert cheat.opaque
    assert not equal(cheat, value(3))


def test_tolerance_is_that_of_the_call_and_of_no_other() -> None:
    a, b = value(1_000_000_001), value(1_000_000_000)
    assert equal(value(1.0), value(1.0 + 1e-9))
    assert not equal(a, b)
    assert equal(value(1.0), value(1.05), tolerance=Tolerance(0.1, 0.0))
    assert not equal(value(1.0), value(1.05))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=6,
)


@given(plain, plain)
def test_equality_is_symmetric_and_reflexive(a: Any, b: Any) -> None:
    left, right = Value.of(a), Value.of(b)
    assert equal(left, right) is equal(right, left)
    assert equal(left, left)


@given(
    st.lists(st.sampled_from([0.0, 6e-7, 1.2e-6, 1.8e-6, 2.4e-6, 1, True, "a"])), st.randoms()
)
def test_classes_do_not_depend_on_the_order(things: list[Any], chance: random.Random) -> None:
    before = classes([Value.of(thing) for thing in things])
    order = chance.sample(range(len(things)), len(things))
    after = classes([Value.of(things[i]) for i in order])
    assert after == [before[i] for i in order]


def test_leaders_have_most_votes_when_closeness_is_a_chain() -> None:
    chain = [0.0, 8e-7, 8e-7, 1.6e-6, 2.4e-6]
    assert classes([Value.of(x) for x in chain]) == [0, 0, 0, 0, 1]
