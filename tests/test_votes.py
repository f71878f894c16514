"""Votes count as a careful person would, under every order of the programs."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.sandbox import Outcome, Status
from consilience.values import Value
from consilience.votes import Votes, count_votes


def ok(thing: Any) -> Outcome:
    return Outcome("ok", Value.of(thing))


def raised(error: str) -> Outcome:
    return Outcome("raised", error=error)


LOST = Outcome("timeout")

outcomes = st.lists(
    st.sampled_from([
        ok(1), ok(True), ok(1.0), ok(1 + 9e-7), ok(1 + 18e-7), ok([1]), ok((1,)), ok(math.nan),
        ok({"a": {1}}), raised("ValueError"), raised("TypeError"), LOST,
        Outcome("infrastructure"),
    ]),
    max_size=9,
)  # fmt: skip


failure_rules = st.sampled_from(["count", "ignore"])
exception_rules = st.sampled_from(["failure", "outcome"])


@given(outcomes, st.randoms(), failure_rules, exception_rules)
def test_the_order_of_the_programs_changes_nothing(
    given_outcomes: list[Outcome], chance: random.Random, failures: Any, exceptions: Any
) -> None:
    before = count_votes(given_outcomes, failures=failures, exceptions=exceptions)
    shuffled = chance.sample(given_outcomes, len(given_outcomes))
    after = count_votes(shuffled, failures=failures, exceptions=exceptions)
    assert after == before
    assert after.entropy() == before.entropy()
    assert after.leader == before.leader


@given(outcomes)
def test_the_counts_add_up(given_outcomes: list[Outcome]) -> None:
    votes = count_votes(given_outcomes)
    ran = [outcome for outcome in given_outcomes if outcome.status != "infrastructure"]
    winners = votes.count if votes.winner else 0
    assert winners + sum(a.count for a in votes.alternatives) + votes.failures == votes.total
    assert votes.total == len(ran)
    assert 0.0 <= votes.confidence <= 1.0
    assert votes.tie == (votes.winner is None and votes.count > 0)
    assert (votes.leader is None) == (votes.count == 0)


def test_every_order_of_a_small_panel() -> None:
    panel = [ok(3), ok(3.0), ok(4), raised("ValueError"), LOST]
    results = {count_votes(order) for order in itertools.permutations(panel)}
    assert len(results) == 1
    (votes,) = results
    assert (votes.count, votes.total, votes.failures, votes.tie) == (2, 5, 2, False)
    assert votes.confidence == 0.4


@pytest.mark.parametrize(
    "status", [s for s in get_args(Status) if s not in {"ok", "infrastructure"}]
)
def test_no_failure_ever_wins_and_all_stay_in_the_denominator(status: Status) -> None:
    votes = count_votes([Outcome(status, error="ValueError")] * 3 + [ok(0)])
    assert votes.winner == Value.of(0)
    assert votes.confidence == 0.25
    assert votes.mostly_failed
    alone = count_votes([Outcome(status, error="ValueError")] * 3)
    assert (alone.winner, alone.leader, alone.count, alone.tie) == (None, None, 0, False)
    assert alone.confidence == 0.0


def test_infrastructure_faults_are_no_evidence_at_all() -> None:
    votes = count_votes([Outcome("infrastructure"), ok(1), ok(1)])
    assert (votes.count, votes.total, votes.failures) == (2, 2, 0)
    assert count_votes([Outcome("infrastructure")]).total == 0


def test_equation_1_to_the_letter_leaves_failures_out() -> None:
    votes = count_votes([ok(1), *[LOST] * 9], failures="ignore")
    assert (votes.confidence, votes.total, votes.failures) == (1.0, 1, 9)
    assert not votes.reaches(0.8)
    assert votes.reaches(0.8, quorum=1)


def test_only_deliberate_exceptions_become_outcomes() -> None:
    panel = [
        raised("ValueError"),
        raised("ValueError"),
        raised("IndexError"),
        raised("IndexError"),
    ]
    panel += [raised("IndexError"), ok(1)]
    votes = count_votes(panel, exceptions="outcome")
    assert votes.winner == Value.raised("ValueError")
    assert (votes.count, votes.total, votes.failures) == (2, 6, 3)
    assert count_votes(panel).winner == Value.of(1)


def test_opaque_values_do_not_vote() -> None:
    opaque = Outcome("ok", Value.from_wire('["o","candidate","Node",["x",1]]'))
    votes = count_votes([opaque, opaque, ok(1)])
    assert votes.winner == Value.of(1)
    assert votes.failures == 2


def test_a_tie_has_no_winner_but_always_the_same_leader() -> None:
    votes = count_votes([ok(2), ok(1), ok(1), ok(2), ok(3)])
    assert votes.winner is None
    assert votes.tie
    assert votes.count == 2
    assert [a.count for a in votes.alternatives] == [2, 2, 1]
    assert votes.leader == Value.of(1)
    assert not votes.reaches(0.0)


def test_the_winner_is_written_as_most_programs_wrote_it() -> None:
    assert count_votes([ok(1.0), ok(1), ok(1)]).winner == Value.of(1)
    assert count_votes([ok(1.0), ok(1.0), ok(1)]).winner == Value.of(1.0)
    assert count_votes([ok(0.1 + 0.2), ok(0.3), ok(0.3)]).count == 3


@given(st.integers(1, 400), st.integers(0, 400))
def test_reaching_tau_is_exact_and_inclusive(total: int, count: int) -> None:
    votes = Votes(Value.of(0), min(count, total), total)
    exact = 10 * votes.count >= 8 * total
    assert votes.reaches(0.8, quorum=1) is exact
    assert votes.reaches(votes.count / total if total in {1, 2, 4, 8} else 0.0, quorum=1)


def test_tau_is_read_as_it_is_written() -> None:
    for total in range(10, 200, 10):
        for tenths in range(1, 11):
            votes = Votes(Value.of(0), total * tenths // 10, total)
            assert votes.reaches(tenths / 10)
            assert votes.reaches(Fraction(tenths, 10))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("panel", "bits"),
    [
        ([], 0.0),
        ([ok(1)] * 4, 0.0),
        ([ok(1), ok(2)], 1.0),
        ([ok(1), ok(2), ok(3), ok(4)], 2.0),
        ([ok(1), ok(1), LOST, raised("KeyError")], 1.0),
        ([LOST, raised("KeyError")], 0.0),
    ],
)
def test_entropy_is_over_outcomes_with_failures_as_one(
    panel: list[Outcome], bits: float
) -> None:
    assert count_votes(panel).entropy() == pytest.approx(bits)
