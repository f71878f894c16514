"""The wire form is read strictly, and gives back what was put in."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.code import read_literal
from consilience.values import InvalidWireError, Value, equal, source, wire

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers()
    | st.text() | st.binary()
)  # fmt: skip
hashables = st.recursive(
    scalars, lambda inner: st.tuples(inner, inner) | st.frozensets(inner), max_leaves=5
)
plain = st.recursive(
    scalars | st.sets(hashables, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(hashables, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(plain)
def test_plain_data_comes_back_as_it_was(thing: Any) -> None:
    value = Value.of(thing)
    again = Value.of(value.python())
    assert again == value
    assert Value.from_wire(value.payload) == value
    assert not value.opaque
    assert equal(value, again)


@given(plain)
def test_a_literal_reads_back_as_the_same_value(thing: Any) -> None:
    value = Value.of(thing)
    literal = value.literal()
    assert literal is not None
    assert Value.of(read_literal(literal)) == value


@given(plain)
def test_the_payload_is_strict_json(thing: Any) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    json.loads(Value.of(thing).payload, parse_constant=refuse, parse_float=refuse)


@pytest.mark.parametrize(
    "payload",
    [
        "", " ", "[]", "[[]]", "{}", '{"a":1}', "1.0", "1e5", "NaN", "Infinity", "nul", "'a'",
        '["?"]', '["l",["?"]]', '["l",{}]', '["l",1.5]', '["f",1]', '["f","1_0"]',
        '["f"," 1.0"]', '["f","nan","nan"]', '["f","\u0661.\u0660"]', '["c","1.0"]', '["I",1]',
        '["I","0x"]', '["I","12"]', '["I","0x1_0"]', "9007199254740993", '["b","0"]',
        '["b","zz"]', '["d",[1]]', '["d",1]', '["d",[1,2,3]]', '["r",0,1,0]', '["r",0,"1",1]',
        '["r",0,1]', '["v","os.system","x"]', '["v","decimal.Decimal","abc"]',
        '["v","decimal.Decimal","1E+9999999999999999999"]', '["v","fractions.Fraction","1/0"]',
        '["N","i"]', '["N","?",1]', '["n","i",[2],[1]]', '["n","i",[-1],[]]',
        '["n","i",[2,1000000],[]]', '["n","i","x",[]]', '["S","m","C",2,1]',
        '["S","m","C",true,1]', '["S","m","C",0]', '["g"]', '["g",1]', '["o","m"]',
        '["o","m","C",["x"]]', '["o","m","C",[1,2]]', '["x"]', '["x",1]', '["F",1]',
        '["@","1"]', '["@",-1]', '["@",true]', '["H","00","str",1,"a"]', '["!"]', '["!","a b"]',
        '["!",1]', '["l",["!","ValueError"]]', '["!","ValueError",1]', "[" * 100_000,
        '["l",' * 5000 + "1" + "]" * 5000, '"' + "a" * 2_000_000 + '"', "1" * 5000, "\x00",
        '["l",1] 2',
    ],
)  # fmt: skip
def test_hostile_text_is_refused(payload: str) -> None:
    with pytest.raises(InvalidWireError):
        Value.from_wire(payload)


simple = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.sets(st.integers()),
    max_leaves=5,
)


@given(simple, st.integers(0, 60), st.sampled_from(list('[]",0-1 .efln\\\n\u00e9')))
def test_the_short_way_of_reading_is_never_more_lenient(
    thing: Any, at: int, character: str
) -> None:
    payload = Value.of(thing).payload
    for text in (payload, payload[:at] + character + payload[at:], payload[:at]):
        if wire.is_simple(text):
            assert wire.dump(wire.parse(text)) == text


def test_the_short_way_is_taken_for_common_values() -> None:
    for thing in (
        1,
        -5,
        0.1,
        1e-7,
        math.nan,
        "ab c",
        None,
        True,
        [1, 2.5],
        (1, "a"),
        [[1], []],
    ):
        assert wire.is_simple(Value.of(thing).payload)


def test_many_nodes_are_refused() -> None:
    with pytest.raises(InvalidWireError):
        Value.from_wire('["l"' + ",1" * 500_000 + "]")


def test_the_text_becomes_canonical() -> None:
    assert Value.from_wire('[ "l", 1,\n"\\u0061" ]') == Value.of([1, "a"])


def test_what_looks_like_a_tag_inside_a_string_is_only_text() -> None:
    for text in ('["F"', '["F","f"]', '["o",', '["S","m","C",1,', "[", '"['):
        value = Value.of([text, "F", text])
        assert not value.opaque
        assert value.comparable
        assert equal(value, Value.from_wire(value.payload))


@pytest.mark.parametrize(
    "payload",
    [
        '["F","f"]', '["l",["F","f"]]', '["o","m","C"]', '["g","map",1]', '["x","ValueError"]',
        '["d",["a",["o","m","C",["x",1]]]]', '["S","m","C",1,3]', '["S","[\\"","\\\\",1,3]',
    ],
)  # fmt: skip
def test_objects_of_the_program_are_opaque(payload: str) -> None:
    value = Value.from_wire(payload)
    assert value.opaque
    assert value.literal() is None
    assert value.preview()
    with pytest.raises(ValueError, match="not plain data"):
        value.python()


def test_a_hostile_set_of_lists_has_no_plain_data() -> None:
    value = Value.from_wire('["s",["l",1]]')
    assert value.literal() is None
    assert value.preview()


@pytest.mark.parametrize("thing", [object(), len, {1: object()}, (1).__class__, ...])
def test_only_plain_data_is_held(thing: Any) -> None:
    with pytest.raises(ValueError, match="not plain data"):
        Value.of(thing)


def test_deep_data_is_refused_not_recursed_into() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        Value.of(deep)


def test_a_raised_exception_is_an_outcome_of_its_own() -> None:
    raised = Value.raised("ValueError")
    assert raised.raised_class == "ValueError"
    assert Value.from_wire(raised.payload) == raised
    assert not raised.opaque
    assert equal(raised, Value.raised("ValueError"))
    assert not equal(raised, Value.raised("TypeError"))
    assert not equal(raised, Value.from_wire('["x","ValueError"]'))
    assert raised.preview() == "raises ValueError"
    assert raised.literal() is None
    assert Value.of(1).raised_class is None


def test_huge_integers_are_written_and_read() -> None:
    value = Value.of(7**6000)
    assert value.python() == 7**6000
    assert read_literal(value.literal() or "") == 7**6000


def test_source_does_not_depend_on_the_order_of_a_set() -> None:
    assert source({"b", "a", "c"}) == "{'a', 'b', 'c'}"
    assert source(frozenset()) == "frozenset()"
    assert source(set()) == "set()"
    assert source((1,)) == "(1,)"
    assert source({"a": {math.inf}}) == "{'a': {float('inf')}}"


def test_a_preview_is_short_and_on_one_line() -> None:
    text = Value.of(["line\nline"] * 100).preview(40)
    assert len(text) == 40
    assert "\n" not in text
