import math

import pytest

from consilience.models import Reply, TokenLogprob
from consilience.models.scripted import ScriptedModel
from consilience.uncertainty.self_evaluation import MajorityVote, PTrue, probability_of_true


def reply(**weights):
    top = tuple((token, math.log(weight)) for token, weight in weights.items())
    return Reply("True", logprobs=(TokenLogprob(top[0][0], top[0][1], top),))


def test_sampled_verdicts_are_averaged_and_equal_texts_are_asked_once():
    model = ScriptedModel(["True", "False"])
    found = PTrue(model, "Add.").confidence(["a", "b", "a"])
    assert found.samples == (1.0, 0.0, 1.0)
    assert found.value == pytest.approx(2 / 3)
    assert found.calls == 2


def test_unclear_verdicts_are_left_out():
    found = PTrue(ScriptedModel(["True", "Hm"]), "Add.").confidence(["a", "b"])
    assert (found.value, found.samples) == (1.0, (1.0, None))
    assert "1 unclear" in found.notes[0]


def test_without_any_verdict_the_confidence_is_undefined():
    found = PTrue(ScriptedModel(["Hm"]), "Add.").confidence(["a"])
    assert found.value is None
    assert "no answer could be read" in found.notes


def test_probability_weighs_true_against_false():
    found = PTrue(
        ScriptedModel([reply(True_=0.1, **{"True": 0.5, " false": 0.2, "FALSE": 0.1})]),
        "Add.",
        by="probability",
    ).confidence(["a"])
    assert found.value == pytest.approx(0.5 / 0.8)


@pytest.mark.parametrize("given", [Reply("True"), reply(Maybe=0.9)])
def test_probability_needs_the_words_among_the_alternatives(given):
    assert probability_of_true(given) is None


def test_a_strict_majority_of_other_models_decides():
    def always(text):
        return ScriptedModel(lambda _question, _index: text)

    three = [always("True"), always("True"), always("False")]
    assert MajorityVote(three, "Add.").confidence(["a", "b"]).value == 1.0
    assert MajorityVote(three[1:], "Add.").confidence(["a"]).value == 0.0
    found = MajorityVote([*three, always("Hm")], "Add.").confidence(["a"])
    assert (found.value, found.calls) == (1.0, 4)
