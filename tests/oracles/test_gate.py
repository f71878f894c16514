"""The gate of CoTT: which route is believed, and that the two never mix."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from consilience.oracles import Prediction, decide
from consilience.oracles.gate import Gate, choose, is_open
from consilience.sandbox import Outcome
from consilience.task import TestInput
from consilience.values import Value
from consilience.votes import Votes, count_votes

OUTCOMES = st.lists(st.sampled_from([0, 1, 2, None]), max_size=12)
TAUS = st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0])


def cast(results: Sequence[object]) -> Votes:
    """Count votes for *results*; None stands for a program that failed."""
    return count_votes([
        Outcome("raised", error="ValueError") if result is None else returned(result)
        for result in results
    ])


def returned(result: object) -> Outcome:
    return Outcome("ok", Value.of(result))


class Recorded:
    """An oracle with the votes it was given: the seam on either side of the gate."""

    def __init__(self, results: Sequence[Sequence[object]]) -> None:
        self.results = results
        self.asked: list[TestInput] = []

    def votes(self, inputs: Sequence[TestInput]) -> list[Votes]:
        return [cast(result) for result in self.results]

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        self.asked += inputs
        return [decide(cast(result), "transductive") for result in self.results[: len(inputs)]]


def predict(
    inductive: Sequence[object], transductive: Sequence[object], tau: float
) -> Prediction:
    gate = Gate(Recorded([inductive]), Recorded([transductive]), tau)
    [prediction] = gate.predict([TestInput((1,))])
    return prediction


def value(prediction: Prediction) -> object:
    return None if prediction.value is None else prediction.value.python()


def test_transduction_rescues_the_eulerian_number():
    # a(0, 10): truth 0, the inductive majority is 1, the transductive one 0, the gate is open.
    prediction = predict([1] * 6 + [0] * 4, [0] * 7 + [1] * 3, tau=0.8)
    assert (value(prediction), prediction.route) == (0, "transductive")
    assert prediction.inductive is not None
    assert prediction.inductive.confidence == 0.6


def test_induction_is_kept_for_the_floor_quotient_although_transduction_is_wrong():
    # find(10, -2): every general program says -5, so transduction is not even asked.
    transductive = Recorded([[5] * 10])
    gate = Gate(Recorded([[-5] * 10]), transductive, 0.8)
    [prediction] = gate.predict([TestInput((10, -2))])
    assert (value(prediction), prediction.route) == (-5, "inductive")
    assert transductive.asked == []


def test_the_threshold_itself_is_confident():
    assert predict([1] * 8 + [0] * 2, [0] * 10, tau=0.8).route == "inductive"
    assert predict([1] * 7 + [0] * 3, [0] * 10, tau=0.8).route == "transductive"


def test_a_tie_means_transduction_even_where_it_reaches_tau():
    assert predict([1] * 5 + [0] * 5, [0] * 10, tau=0.5).route == "transductive"


def test_a_tie_of_transduction_falls_back_to_induction_and_says_so():
    prediction = predict([1] * 6 + [0] * 4, [2, 3], tau=0.8)
    assert (value(prediction), prediction.route, prediction.reliable) == (1, "inductive", False)


def test_no_transductive_output_falls_back_to_induction_and_says_so():
    prediction = predict([1] * 6 + [0] * 4, [None] * 5, tau=0.8)
    assert (value(prediction), prediction.reliable) == (1, False)


def test_an_input_is_dropped_where_neither_route_has_an_answer():
    prediction = predict([None] * 5, [None] * 5, tau=0.8)
    assert prediction.value is None
    assert "no inductive" in prediction.reason
    assert "no transductive" in prediction.reason


def test_one_survivor_of_ten_opens_the_gate():
    assert is_open(cast([1] + [None] * 9), 0.8)


@given(OUTCOMES, OUTCOMES, TAUS)
def test_the_gate_never_mixes(inductive: list[object], transductive: list[object], tau: float):
    prediction = predict(inductive, transductive, tau)
    source = inductive if prediction.route == "inductive" else transductive
    assert prediction.votes == cast(source)
    assert prediction.value is None or value(prediction) in source


@given(OUTCOMES, OUTCOMES, TAUS)
def test_a_tie_never_wins(inductive: list[object], transductive: list[object], tau: float):
    prediction = predict(inductive, transductive, tau)
    if prediction.value is None:
        return
    source = inductive if prediction.route == "inductive" else transductive
    counts = [source.count(other) for other in {0, 1, 2} - {value(prediction)}]
    assert source.count(value(prediction)) > max(counts)


@given(OUTCOMES, OUTCOMES, TAUS, st.randoms(use_true_random=False))
def test_the_order_of_programs_never_matters(inductive, transductive, tau, random):
    before = predict(inductive, transductive, tau)
    random.shuffle(inductive)
    random.shuffle(transductive)
    after = predict(inductive, transductive, tau)
    assert (value(before), before.route, before.reliable, before.reason) == (
        value(after),
        after.route,
        after.reliable,
        after.reason,
    )


@given(OUTCOMES, TAUS)
def test_the_gate_is_exact_at_the_threshold(inductive: list[object], tau: float):
    votes = cast(inductive)
    share = Fraction(votes.count, votes.total) if votes.total else Fraction(0)
    # One program alone agrees with nobody, so it is never confident (public case VOT-04).
    confident = votes.winner is not None and votes.total > 1 and share >= Fraction(str(tau))
    assert is_open(votes, tau) == (not confident)


def test_choose_keeps_the_votes_the_gate_read():
    inductive = cast([1, 0, None])
    prediction = choose(inductive, decide(cast([2, 2]), "transductive"))
    assert prediction.inductive == inductive
    assert prediction.votes.count == 2
