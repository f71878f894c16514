"""Outputs that a model states: what is read out of its answers, and the majority of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from consilience.models import Reply
from consilience.models.scripted import ScriptedModel
from consilience.oracles.chain_of_thought import Answers, ChainOfThought, outcome
from consilience.settings import preset
from consilience.task import Task, TestInput
from consilience.values import Value

TASK = Task("double", 'def double(n: int) -> int:\n    """Return twice n."""\n', "double")
SETTINGS = replace(preset("economy"), n_reasoning=3)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("2 + 2 makes 4.\nAnswer: 4", 4),
        ("**Answer:** `[1, 2]`.", [1, 2]),
        ("Final answer: {'a': 1}", {"a": 1}),
        ("Answer:\n```python\n(1, 2)\n```", (1, 2)),
        ("So\nAnswer: assert double(2) == 4", 4),
        ("Answer: 3\nNo, I was wrong.\nAnswer: 5", 5),
        ("It is\nTrue", True),
        ('Answer: "a b"', "a b"),
        ("answer: None", None),
        ("Answer: double(2) -> 4", 4),
    ],
)
def test_the_last_value_stated_is_read(reply: str, value: object):
    found = outcome(reply)
    assert found.ok
    assert found.value == Value.of(value)


@pytest.mark.parametrize("reply", ["", "I cannot tell.", "Answer: it depends", "Answer: f(x"])
def test_an_answer_without_a_literal_is_a_failure_not_a_value(reply: str):
    assert not outcome(reply).ok


def test_one_greedy_answer_is_asked_for_without_sampling():
    model = ScriptedModel(["Answer: 4"])
    [prediction] = ChainOfThought(TASK, model, SETTINGS, Answers()).predict([TestInput((2,))])
    assert prediction.value == Value.of(4)
    assert prediction.route == "predicted"
    assert "double(2)" in model.prompts[0]


def test_reasoning_that_was_cut_off_is_asked_to_conclude():
    model = ScriptedModel([Reply("Twice two is", "length"), "Answer: 4"])
    [prediction] = ChainOfThought(TASK, model, SETTINGS, Answers()).predict([TestInput((2,))])
    assert prediction.value == Value.of(4)
    question, conclusion = model.prompts
    assert conclusion.startswith(question.strip())
    assert "Twice two is" in conclusion


@pytest.mark.parametrize(
    "reply", [Reply("It is\n4"), Reply("Answer: 4\nBut I would add that it", "length")]
)
def test_an_answer_that_is_there_is_not_asked_for_again(reply: Reply):
    model = ScriptedModel([reply])
    [prediction] = ChainOfThought(TASK, model, SETTINGS, Answers()).predict([TestInput((2,))])
    assert prediction.value == Value.of(4)
    assert len(model.prompts) == 1


def test_the_majority_of_several_answers_wins_and_the_rest_are_not_drawn():
    model = ScriptedModel(["Answer: 4", "Answer: 4", "Answer: 5"])
    oracle = ChainOfThought(TASK, model, SETTINGS, Answers(3, 0.8, 0.95))
    [prediction] = oracle.predict([TestInput((2,))])
    assert prediction.value == Value.of(4)
    assert prediction.votes.total == 2  # the third could not change anything


def test_a_tie_abstains():
    model = ScriptedModel(["Answer: 4", "Answer: 5", "?", "?", "?"])
    oracle = ChainOfThought(TASK, model, SETTINGS, Answers(2, 0.8, 0.95, sequential=False))
    [prediction] = oracle.predict([TestInput((2,))])
    assert prediction.value is None
    assert "tie" in prediction.reason
