"""The figures of `bench shapes` are those that can be counted by hand."""

from __future__ import annotations

import pytest

from consilience.bench.shapes import Found, ShapeRow
from consilience.bench.shapes.summary import bottom, part, passing_majority, summary, top
from consilience.bench.shapes.tables import reasons, tables

NO = Found(False, "load_raised NameError", scores=(0.9, 0.1))


def row(task_id, right, passed, found, *, majority=None, difficulty="easy", shape="script"):
    sizes = majority or (0.0,) * len(right)
    return ShapeRow(task_id, shape, difficulty, right, 1, passed, sizes, {"behaviour": found})


def said(*scores, trust=None):
    return Found(True, "", scores, trust or scores, probes=10, usable=4, seconds=2.0)


ROWS = [
    row("a", (True, False), (1.0, 1.0), said(0.8, 0.3), majority=(0.5, 0.5)),
    row("b", (False, True), (1.0, 1.0), said(0.7, 0.2), difficulty="hard"),
    row("c", (True, True), (1.0, 0.5), said(0.9, 0.9)),
    row("d", (True, False), (0.0, 1.0), NO, difficulty="hard"),
]


def test_among_equals_credit_is_the_share_that_is_right():
    assert top((1.0, 1.0, 0.0), (True, False, True)) == 0.5
    assert top((None, 1.0, 0.0), (True, False, True)) == 0.0
    assert top((None, None), (True, False)) == 0.5
    assert bottom((1.0, 0.0, None), (True, True, False)) == 1.0
    assert top((), (True, False, False)) == pytest.approx(1 / 3)


def test_only_mixed_tasks_are_compared_and_a_refused_verdict_is_a_lot():
    found = part(ROWS)
    assert (found["tasks"], found["mixed"], found["all right"]) == (4, 3, 1)
    rules = found["rules"]
    assert rules["random"]["top1"]["mean"] == pytest.approx(0.5)
    assert rules["examples"]["top1"]["mean"] == pytest.approx((0.5 + 0.5 + 0.0) / 3)
    assert rules["behaviour"]["top1"]["mean"] == pytest.approx((1.0 + 0.0 + 0.5) / 3)
    gap = rules["behaviour"]["minus examples"]
    assert (gap["wins"], gap["losses"]) == (2, 1)
    assert gap["interval"]["mean"] == pytest.approx((0.5 - 0.5 + 0.5) / 3)


def test_those_who_pass_the_examples_come_before_the_majority():
    found = row("m", (True, False, False), (1.0, 0.0, 0.0), NO, majority=(0.3, 0.6, 0.6))
    assert top(passing_majority(found), found.right) == 1.0


def test_examples_that_throw_right_candidates_away_are_counted():
    assert part(ROWS)["keep a right one"]["mean"] == pytest.approx(2 / 3)


def test_trust_is_of_the_choice_and_of_every_candidate_that_was_judged():
    (found,) = summary(ROWS)["all"]["verdicts"].values()
    assert found["judged"]["mean"] == 0.75
    assert found["reasons"] == {"load_raised NameError": 1}
    assert (found["choice"]["cases"], found["candidates"]["cases"]) == (3, 6)
    assert found["choice"]["said"] == pytest.approx(0.8)
    assert found["choice"]["right"] == pytest.approx(2 / 3, abs=1e-3)
    assert found["choice"]["ece"]["value"] == pytest.approx((0.2 + 0.7 + 0.1) / 3, abs=1e-4)
    assert found["candidates"]["auc"]["value"] == pytest.approx(6 / 8)


def test_a_partly_right_tie_is_no_clear_case():
    tied = row("t", (True, False), (1.0, 1.0), said(0.6, 0.6))
    (found,) = summary([tied])["all"]["verdicts"].values()
    assert found["choice"]["right"] == 0.5
    assert found["choice"]["auc"]["value"] is None


def test_parts_are_those_of_shape_and_difficulty():
    found = summary([*ROWS, row("e", (True, False), (1.0, 0.0), said(1, 0), shape="class")])
    assert set(found["by shape"]) == {"script", "class"}
    assert found["by difficulty"]["hard"]["tasks"] == 2


def test_tables_hold_the_figures_and_do_not_depend_on_the_order_of_rows():
    made = tables(summary(ROWS))
    assert made == tables(summary(ROWS[::-1]))
    assert "| `judge --until behaviour` | 50 [" in made["rules"]
    assert made["parts"].splitlines()[3].startswith("| easy | 1 |")
    assert reasons(summary(ROWS)["all"]) == "1 load_raised NameError"


def test_without_mixed_tasks_there_is_nothing_to_compare_and_nothing_breaks():
    made = tables(summary([ROWS[2]]))
    assert "undefined" in made["rules"]
