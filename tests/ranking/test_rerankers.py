"""Each reranker gives what a hand computation of its definition gives."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import rankdata

from consilience.errors import UsageError
from consilience.ranking import (
    RERANKERS,
    PassMatrix,
    average_ranks,
    order,
    rank_by_confidence,
    rank_by_pass_rate,
    rerank,
)
from consilience.ranking.aces import consistency
from consilience.ranking.b4 import log_beta, rank_by_posterior
from consilience.task import Candidate, TestCase, TestInput
from consilience.values import Value

# Two alike, one that passes less but something else, one that fails all.
FOUR = PassMatrix.of([[1, 1, 1, 0], [1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
# Outputs: two alike, one that differs on the second test, one that returns nothing.
OUTPUTS = replace(
    PassMatrix.of([[1, 1], [1, 1], [1, 0], [0, 0]]),
    classes=((0, 0), (0, 0), (0, 1), (None, None)),
)


def test_pass_rates_are_exact_and_ties_have_no_winner():
    ranking = rank_by_pass_rate(FOUR)
    assert ranking.scores == (Fraction(3, 4), Fraction(3, 4), Fraction(1, 2), Fraction(0))
    assert ranking.ranks == (1.5, 1.5, 3.0, 4.0)
    assert ranking.leaders == (0, 1)
    assert ranking.best is None
    assert ranking.reason == "2 candidates tie"


def test_a_sole_leader_is_the_best():
    ranking = rank_by_pass_rate(PassMatrix.of([[0, 1], [1, 1], [0, 0]]))
    assert (ranking.best, ranking.reason, ranking.places) == (1, "", (1, 0, 2))


def test_nobody_wins_by_passing_nothing_or_without_tests():
    assert rank_by_pass_rate(PassMatrix.of([[0, 0]])).reason == "no candidate passes any test"
    assert rank_by_pass_rate(PassMatrix.of([[], []])).reason == "no candidate has a score"
    assert rank_by_pass_rate(PassMatrix.of([])).best is None


def test_what_was_never_judged_has_no_score_and_no_rank():
    ranking = rank_by_pass_rate(PassMatrix.of([[None, None], [0, 0], [1, None]]))
    assert ranking.scores == (None, Fraction(0), Fraction(1))
    assert ranking.ranks == (None, 2.0, 1.0)
    assert (ranking.best, ranking.undefined, ranking.places) == (2, (0,), (2, 1, 0))


def test_weights_shift_the_rate_and_stay_exact():
    ranking = rank_by_pass_rate(PassMatrix.of([[1, 0, 0], [0, 1, 1]]), [0.5, 0.25, 0.25])
    assert ranking.scores == (Fraction(1, 2), Fraction(1, 2))
    assert ranking.best is None
    with pytest.raises(UsageError):
        rank_by_pass_rate(FOUR, [1.0])
    with pytest.raises(UsageError):
        rank_by_pass_rate(FOUR, [1.0, 1.0, 1.0, -1.0])


def test_confidence_discounts_chance():
    tests = [TestCase(TestInput(()), Value.of(1), "inductive", c) for c in (0.7, 0.2, 0.1)]
    matrix = replace(PassMatrix.of([[1, 0, 0], [0, 1, 1]]), tests=tuple(tests))
    assert rank_by_confidence(matrix).scores == (Fraction(1), Fraction(0))


def test_codet_multiplies_solutions_by_tests_squared():
    assert rerank("codet", FOUR).scores == (18, 18, 4, 0)


def test_mbr_exec_counts_the_candidates_that_agree_throughout():
    assert rerank("mbr-exec", OUTPUTS).scores == (2, 2, 1, 0)


def test_the_medoid_agrees_most_with_the_others():
    sixth = Fraction(1, 6)
    assert rerank("medoid", OUTPUTS).scores == (3 * sixth, 3 * sixth, 2 * sixth, 0)


def test_srank_adds_the_worth_of_overlapping_clusters():
    # V = (2/3 * 1, 1/3 * 1/2), A = 1/2 between them.
    three_quarters = Fraction(3, 4)
    assert rerank("srank", OUTPUTS).scores == (
        three_quarters,
        three_quarters,
        Fraction(1, 2),
        0,
    )


def test_b4_is_the_sum_of_four_log_betas():
    # For the passing one: B(2,1) B(2,2) B(1,2) B(1,1); for the failing one the same product.
    even = rank_by_posterior(PassMatrix.of([[1], [0]]), alpha=1, beta=1)
    assert even.scores == pytest.approx((-math.log(24), -math.log(24)))
    # A prior for right tests decides: B(3,1) = 1/3 against B(2,2) = 1/6.
    ranking = rank_by_posterior(PassMatrix.of([[1], [0]]), alpha=2, beta=1)
    assert ranking.best == 0
    assert ranking.scores[0] - ranking.scores[1] == pytest.approx(math.log(2))


@given(st.floats(0.5, 1e7), st.floats(0.5, 1e7))
def test_log_beta_is_scipys(a, b):
    assert log_beta(a, b) == pytest.approx(betaln(a, b), rel=1e-6, abs=1e-6)


def test_aces_weighs_a_test_by_the_ranking_of_the_others():
    matrix = PassMatrix.of([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]])
    # The first three have AUC 3/4 and pass rates 2/3, 2/3, 1/3; the last has AUC 0.
    assert consistency(matrix) == [Fraction(1, 18)] * 3 + [Fraction(0)]
    assert rerank("aces", matrix).scores == (Fraction(1), Fraction(2, 3), Fraction(0))


def test_aces_counts_all_tests_alike_where_none_is_consistent():
    matrix = PassMatrix.of([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    assert not any(consistency(matrix))
    assert rerank("aces", matrix).scores == rank_by_pass_rate(matrix).scores


def test_the_lot_depends_on_the_seed_and_the_program_alone():
    named = [Candidate("t", f"code {n}", n) for n in range(4)]
    matrix = replace(FOUR, candidates=tuple(named))
    assert rerank("random", matrix) == rerank("random", matrix)
    assert len(set(rerank("random", matrix).scores)) == 4


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(UsageError) as caught:
        rerank("best", FOUR)
    assert "codet" in caught.value.hint


def test_scores_must_match_candidates():
    with pytest.raises(UsageError):
        order([], [1])


@given(st.lists(st.integers(0, 4), max_size=12))
def test_average_ranks_are_scipys(scores):
    assert average_ranks(scores) == tuple(rankdata([-s for s in scores], method="average"))


matrices = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=7
    )
)


@pytest.mark.parametrize("name", [name for name in RERANKERS if name != "random"])
@given(rows=matrices, rng=st.randoms(use_true_random=False))
def test_no_ranking_depends_on_the_order_of_candidates(name, rows, rng):
    shuffled = rng.sample(range(len(rows)), len(rows))
    there = rerank(name, PassMatrix.of(rows))
    here = rerank(name, PassMatrix.of([rows[place] for place in shuffled]))
    assert [there.scores[place] for place in shuffled] == list(here.scores)
    assert [there.ranks[place] for place in shuffled] == list(here.ranks)
    assert there.leaders == tuple(sorted(shuffled[place] for place in here.leaders))


@pytest.mark.parametrize("name", list(RERANKERS))
@given(rows=matrices)
def test_every_reranker_scores_every_candidate(name, rows):
    ranking = rerank(name, PassMatrix.of(rows))
    assert len(ranking.scores) == len(rows)
    assert None not in ranking.scores
