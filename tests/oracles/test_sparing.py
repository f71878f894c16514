"""The gate for less: what is asked, what is left to induction, and what is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.oracles import Prediction, decide
from consilience.oracles.gate import Gate
from consilience.oracles.pooling import pool
from consilience.oracles.sparing import gated
from consilience.oracles.stakes import Stakes
from consilience.sandbox import Outcome
from consilience.settings import Settings
from consilience.task import TestInput
from consilience.values import Value
from consilience.votes import Votes, count_votes

Column = Sequence[int | None]
SETTINGS = Settings(method="cott")
COLUMNS = st.lists(
    st.lists(st.sampled_from([0, 1, 2, None]), min_size=5, max_size=5), min_size=1, max_size=5
)


def outcomes(results: Column) -> list[Outcome]:
    return [
        Outcome("raised", error="ValueError") if one is None else Outcome("ok", Value.of(one))
        for one in results
    ]


def items(count: int) -> list[TestInput]:
    return [TestInput((place,)) for place in range(count)]


class Given:
    """Votes that were cast before, on inputs that are their own places."""

    def __init__(self, results: Sequence[Column], lent: Sequence[str] = ()) -> None:
        self.results = results
        self.lent = list(lent)
        self.asked: list[list[int]] = []

    def columns(self, inputs: Sequence[TestInput]) -> list[list[Outcome]]:
        return [outcomes(self.results[item.probe[0]]) for item in inputs]

    def votes(self, inputs: Sequence[TestInput]) -> list[Votes]:
        return [count_votes(column) for column in self.columns(inputs)]

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        self.asked.append([item.probe[0] for item in inputs])
        return [decide(votes, "transductive") for votes in self.votes(inputs)]

    def programs(self, *, apart_from: TestInput) -> list[str]:
        return self.lent


def stakes(candidates: Sequence[Column], given: Sequence[int]) -> Stakes:
    """Take what each candidate gives on each input: a row an input."""
    return Stakes(items(len(candidates)), [outcomes(row) for row in candidates], given)


def value(prediction: Prediction) -> object:
    return None if prediction.value is None else prediction.value.python()


def test_without_levers_it_is_the_gate_of_the_paper():
    assert isinstance(gated(Given([]), Given([]), SETTINGS), Gate)
    sparing = replace(SETTINGS, settle="order")
    assert isinstance(gated(Given([]), Given([]), sparing), Gate)  # nobody is to be ranked


@settings(max_examples=30)
@given(COLUMNS, COLUMNS)
def test_with_nothing_to_spare_it_says_what_the_gate_says(general, exact):
    count = min(len(general), len(exact))
    inputs = items(count)
    plain = gated(Given(general), Given(exact), SETTINGS).predict(inputs)
    # Two candidates that pass nothing so far, and differ on each input from all that voted.
    at_stake = stakes([[0, 1, 2] for _ in inputs], [0, 0, 0])
    levers = replace(SETTINGS, settle="differ")
    assert gated(Given(general), Given(exact), levers, at_stake).predict(inputs) == plain


def test_inputs_on_which_candidates_agree_are_not_paid_for():
    general, exact = Given([[0, 0, 1], [0, 0, 1]]), Given([[1, 1, 1], [1, 1, 1]])
    levers = replace(SETTINGS, settle="differ")
    oracle = gated(general, exact, levers, stakes([[5, 5], [0, 1]], [0, 0]))
    spared, asked = oracle.predict(items(2))
    assert exact.asked == [[1]]
    assert (value(spared), spared.reliable) == (0, False)
    assert "agree" in spared.reason
    assert (value(asked), asked.route) == (1, "transductive")


def test_who_leads_beyond_reach_settles_top1_but_not_the_order():
    doubtful = [[0, 0, 1], [0, 0, 1]]
    apart = [[0, 0, 1], [0, 0, 1]]  # the second and the third candidate differ
    for settle, asked in (("top1", []), ("order", [[0], [1]])):
        general, exact = Given(doubtful), Given([[1, 1, 1], [1, 1, 1]])
        levers = replace(SETTINGS, settle=settle, risk=0.0, at_once=1)
        gated(general, exact, levers, stakes(apart, [9, 4, 4])).predict(items(2))
        assert exact.asked == asked


def test_what_moves_most_is_asked_first():
    general = Given([[0, 0, 0, 1], [0, 1, 2, 2]])
    exact = Given([[0, 0, 0], [1, 1, 1]])
    levers = replace(SETTINGS, settle="order", risk=0.0, at_once=1)
    # On the first input an outsider is odd, on the second the votes are split between two.
    oracle = gated(general, exact, levers, stakes([[0, 0, 7], [1, 2, 7]], [1, 1, 0]))
    oracle.predict(items(2))
    assert exact.asked[0] == [1]


def test_induction_is_kept_where_transduction_is_no_better_supported():
    general, exact = Given([[0, 0, 0, 1], [0, 1, 1, 2]]), Given([[1, 1, 2, 2, 1], [2, 2, 2]])
    kept, left = gated(general, exact, replace(SETTINGS, rule="supported")).predict(items(2))
    assert (value(kept), kept.route, kept.reliable) == (0, "inductive", False)
    assert "no better supported" in kept.reason
    assert (value(left), left.route) == (2, "transductive")


def test_pooled_votes_are_added_up():
    general, exact = Given([[0, 0, 0, 1, 1]]), Given([[1, 1, 0]])
    [even] = gated(general, exact, replace(SETTINGS, rule="pooled")).predict(items(1))
    assert (value(even), even.route) == (1, "transductive")  # 4 against 4: the paper's rule
    lighter = replace(SETTINGS, rule="pooled", weight=0.5)
    [less] = gated(general, exact, lighter).predict(items(1))
    assert (value(less), less.route) == (0, "pooled")
    assert (less.votes.count, less.votes.total) == (7, 13)


@given(st.lists(st.sampled_from([0, 1, None]), max_size=6))
def test_pooling_with_nothing_changes_nothing(results):
    votes = count_votes(outcomes(results))
    assert pool(votes, Votes(None, 0, 0)) == votes
    assert pool(Votes(None, 0, 0), votes) == votes


class Lent:
    """Votes of programs written for other inputs."""

    def __init__(self, results: Sequence[Column]) -> None:
        self.results = results

    def votes(self, item: TestInput) -> Votes:
        return count_votes(outcomes(self.results[item.probe[0]]))


def test_programs_for_one_input_may_close_the_gate_of_another():
    general, exact = Given([[0, 0, 1], [0, 0, 1]]), Given([[0, 0, 0], [1, 1, 1]])
    levers = replace(SETTINGS, reuse=1.0, at_once=1)
    helpers = Lent([[], [0, 0, 0]])
    first, second = gated(general, exact, levers, None, helpers).predict(items(2))
    assert exact.asked == [[0]]
    assert (value(first), first.route) == (0, "transductive")
    assert (value(second), second.route, second.votes.count) == (0, "pooled", 5)
