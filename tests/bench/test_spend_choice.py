"""Choices are certified on tasks, and scored on others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from consilience.bench.spend_choice import ORDER, certified, choose, held_out, p_value


def rows(rights: list[int]) -> list[dict[str, Any]]:
    """Ten labels a task, so many of them right."""
    return [
        {
            "labels": {"given": {"tests": 3, "right": 3}, "x": {"tests": 10, "right": right}},
            "tokens": {"stage": [5, 5]},
            "top1": 1.0,
            "rho": None,
        }
        for right in rights
    ]


def test_the_p_value_is_that_of_a_bound_on_the_mean():
    assert p_value([0.2] * 10, 0.1) == 1.0
    assert p_value([0.0] * 10, 0.3) == pytest.approx((1 - 0.3) ** 10)
    assert certified([0.0] * 22) == 0.1  # (1 - 0.1)^22 = 0.098
    assert certified([1.0] * 5) == 1.0


def test_a_certificate_is_wrong_no_more_often_than_it_says():
    # A simulation: the true mean harm is 0.3, so certifying 0.25 is an error.
    rng = np.random.default_rng(0)
    wrong = sum(p_value(list(rng.binomial(1, 0.3, 30)), 0.25) <= 0.1 for _ in range(300))
    assert wrong / 300 <= 0.1


def test_the_best_of_the_harmless_is_chosen():
    found = {
        ORDER[0]: rows([5] * 40),
        "rule: supported": rows([7] * 40),
        "plain cott": rows([9] * 20 + [0] * 20),
    }
    best, evidence = choose(found, 0.1)
    assert best == "rule: supported"
    assert [each.harm for each in evidence] == [0.0, 0.25]
    assert evidence[1].p_value == 1.0


def test_few_tasks_certify_nothing_and_then_induction_stays():
    found = {ORDER[0]: rows([5] * 4), "rule: supported": rows([9] * 4)}
    assert choose(found, 0.1)[0] == ORDER[0]
    assert held_out(found, 0.1)["picks"] == {ORDER[0]: 4}


def test_each_task_is_scored_by_what_the_others_chose():
    found = {ORDER[0]: rows([5] * 40), "rule: supported": rows([7] * 40)}
    scored = held_out(found, 0.1)
    assert scored["picks"] == {"rule: supported": 40}
    assert scored["label_accuracy"]["mean"] == 0.7
    assert scored["rho"]["mean"] is None
    assert scored["tokens_per_task"] == 10
