"""What the decoder builds is what was encoded, and arguments settle in place."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, deque
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.sandbox.inside.conversation import settle
from consilience.sandbox.inside.decoder import decode, exception
from consilience.sandbox.inside.encoder import encode

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner)
        | st.sets(st.integers())
        | st.frozensets(st.text())
    ),
    max_leaves=12,
)
STANDARD = [
    Decimal("-1.10E+3"), Fraction(-1, 3), date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5, 6),
    time(1, 2, 3), timedelta(days=-1, hours=2, microseconds=5), timedelta(3), UUID(int=7),
    deque([1, [2]]), Counter("aab"), OrderedDict(b=1, a=2), range(1, 9, 3), bytearray(b"x"),
    1 + 2j, 2**90, {1: 2}.keys(), {1: 2}.items(),
]  # fmt: skip


@settings(max_examples=40)
@given(PLAIN)
def test_plain_data_comes_back_equal_and_of_the_same_types(thing: object):
    assert encode(decode(encode(thing))) == encode(thing)


@pytest.mark.parametrize("thing", STANDARD, ids=repr)
def test_values_of_the_standard_library_come_back(thing: object):
    back = decode(encode(thing))
    assert back == thing
    assert type(back) is type(thing)


def test_iterators_come_back_as_iterators():
    assert list(decode(encode(iter([1, 2])))) == [1, 2]
    assert list(decode(encode({1: 2}.values()))) == [2]


@settings(max_examples=40)
@given(PLAIN, PLAIN)
def test_what_can_settle_becomes_equal_and_stays_the_same_object(old: object, new: object):
    holder = [old]
    inner = holder[0]
    assert settle(holder, [copy.deepcopy(new)])
    assert encode(holder) == encode([new])
    if type(old) is list and type(new) is list:
        assert holder[0] is inner


def test_an_exception_is_of_its_builtin_class_and_never_an_exit_that_says_all_is_well():
    assert type(exception("KeyError", "k")) is KeyError
    assert exception("SystemExit", "").code == ""  # type: ignore[attr-defined]
    assert type(exception("UnicodeDecodeError", "x")) is Exception
    assert type(exception("print", "x")) is Exception
