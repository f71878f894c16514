"""Cases of voting: under every order of the programs, or many where there are too many."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from cases.support import value

from consilience.sandbox import Outcome
from consilience.values import equal
from consilience.votes import count_votes

TAU = 0.8


def check_vote(given: dict[str, Any], expected: dict[str, Any]) -> None:
    outcomes = [_outcome(noted) for noted in given["outcomes"]]
    for order in _orders(outcomes):
        votes = count_votes(order)
        if expected.get("winner") is None:
            assert votes.winner is None or "winner" not in expected
        else:
            assert votes.winner is not None
            assert equal(votes.winner, value(expected["winner"]))
        facts = {
            "tie": votes.tie,
            "votes": votes.count,
            "total": votes.total,
            "confidence": pytest.approx(votes.confidence),
            "usable": votes.leader is not None,
            "gate_open": votes.reaches(TAU),
            "majority_error": votes.mostly_failed,
        }
        for name in expected.keys() & facts.keys():
            assert expected[name] == facts[name], name


def _outcome(noted: dict[str, Any]) -> Outcome:
    if noted["status"] == "ok":
        return Outcome("ok", value(noted["value"]))
    if noted["status"] == "error":
        return Outcome("raised", error=noted["error_type"])
    return Outcome(noted["status"])


def _orders(outcomes: Sequence[Outcome]) -> Iterable[Sequence[Outcome]]:
    if math.factorial(len(outcomes)) <= 5040:
        return itertools.permutations(outcomes)
    chance = random.Random(0)
    return (chance.sample(outcomes, len(outcomes)) for _ in range(2000))


ADAPTERS = {"vote": check_vote}
