"""Shares are of the others, failures agree with nothing, and order does not matter."""

from __future__ import annotations

import random

import pytest

from consilience.ranking import PassMatrix
from consilience.sandbox import Outcome
from consilience.task import Candidate, TestCase, TestInput
from consilience.trust.evidence import (
    classes_of,
    combined,
    compare_texts,
    lead,
    of_behaviour,
    of_tests,
    of_texts,
)
from consilience.uncertainty.hashed import HashedEncoder
from consilience.values import Value

ONE = "def f(a):\n    return a + 1\n"
SAME = "def f(b):\n    return b + 1\n"
OTHER = "def f(a):\n    for i in range(3):\n        a += i\n    return [a]\n"


def test_texts_agree_by_text_by_syntax_and_by_embedding():
    rows = of_texts(compare_texts([ONE, ONE, SAME, OTHER], HashedEncoder()))
    assert [row["same text"] for row in rows] == pytest.approx([1 / 3, 1 / 3, 0, 0])
    assert [row["same syntax"] for row in rows] == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0])
    assert rows[0]["closeness"] > rows[3]["closeness"]
    assert rows[0]["samples"] == 2.0
    assert {row["syntax entropy"] for row in rows} == {rows[0]["syntax entropy"]}


def test_one_sample_alone_is_supported_by_nothing_and_refuted_by_nothing():
    [row] = of_texts(compare_texts([ONE], HashedEncoder()))
    assert row["same text"] is None
    assert row["syntax entropy"] is None
    [did] = of_behaviour([[0, 0]], [0], [None])
    assert did["agreement"] is None
    assert did["same behaviour"] is None
    assert did["lead"] is None


def test_no_python_is_evidence_too():
    rows = of_texts(compare_texts([ONE, "no program"], HashedEncoder()))
    assert [row["parses"] for row in rows] == [1.0, 0.0]


def test_failures_agree_with_nobody():
    rows = of_behaviour([[0, 0], [0, None], [None, None]], [0, 1, 2], [1.0, 0.5, 0.0])
    assert rows[0]["agreement"] == pytest.approx(1 / 4)
    assert rows[2]["agreement"] == 0.0
    assert [row["returns"] for row in rows] == [1.0, 0.5, 0.0]
    assert rows[0]["confidence"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert [row["examples passed"] for row in rows] == [1.0, 0.5, 0.0]


def test_agreement_of_programs_written_differently_is_told_apart():
    copies = of_behaviour([[0], [0], [0]], [7, 7, 7], [None] * 3)
    apart = of_behaviour([[0], [0], [0]], [7, 8, 9], [None] * 3)
    assert copies[0]["forms"] == 0.0
    assert apart[0]["forms"] == pytest.approx(1.585, abs=1e-3)


def test_without_inputs_only_the_examples_speak():
    assert of_behaviour([[], []], [0, 1], [1.0, None]) == [
        {"examples passed": 1.0},
        {"examples passed": None},
    ]


def test_the_lead_is_over_the_best_of_another_class():
    assert lead([0.9, 0.9, 0.5], ["a", "a", "b"]) == pytest.approx([0.4, 0.4, -0.4])
    assert lead([0.9, 0.8], ["a", "a"]) == [None, None]
    assert lead([None, 0.8, 0.2], ["a", "b", "c"]) == [
        None,
        pytest.approx(0.6),
        pytest.approx(-0.6),
    ]


def test_behaviour_does_not_depend_on_the_order_of_the_samples():
    table = [[0, 1, None], [0, 1, 2], [0, 0, 2], [3, 1, 2]]
    rows = of_behaviour(table, [0, 1, 2, 3], [None] * 4)
    order = list(range(4))
    random.Random(0).shuffle(order)
    again = of_behaviour([table[i] for i in order], order, [None] * 4)
    assert [rows[i] for i in order] == again


def test_outputs_become_numbers_of_classes_and_failures_none():
    column = [Outcome("ok", Value.of(1)), Outcome("ok", Value.of(1.0)), Outcome("raised")]
    [first, second, third] = classes_of([column], 3)
    assert first == second != third
    assert third == [None]
    assert classes_of([], 2) == [[], []]


def test_given_tests_are_no_part_of_the_tests_evidence():
    given = TestCase(TestInput((1,)), Value.of(1), "given", 1.0)
    made = [
        TestCase(TestInput((n,)), Value.of(n), "inductive", c, votes=4, total=5)
        for n, c in ((2, 0.8), (3, 0.4))
    ]
    matrix = PassMatrix(
        tuple(Candidate("t", "", place) for place in range(2)),
        ((False, True, True), (True, True, False)),
        tests=(given, *made),
    )
    rows = of_tests(matrix)
    assert rows[0]["tests passed"] == 1.0
    assert rows[1]["tests passed"] == pytest.approx(0.8 / 1.2)
    assert rows[0]["test confidence"] == pytest.approx(0.6)
    assert of_tests(PassMatrix(matrix.candidates, ((True,), (False,)), tests=(given,))) == [
        {},
        {},
    ]


def test_stages_are_put_together_by_candidate():
    assert combined([{"a": 1.0}, {"a": 2.0}], [{"b": 3.0}, {"b": None}]) == [
        {"a": 1.0, "b": 3.0},
        {"a": 2.0, "b": None},
    ]
