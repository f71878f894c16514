import pytest

from consilience.models.scripted import ScriptedModel
from consilience.uncertainty.asking import verdict
from consilience.uncertainty.entailment import (
    Entailment,
    EquivalenceRate,
    functional_equivalence,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes", True),
        ("yes.", True),
        ("No, because yesterday's program", False),
        ("**No**", False),
        ("The answer is yes", True),
        ("They are not equivalent: no", False),
        ("Yes or no?", True),
        ("It could be yes or no", None),
        ("These are not functionally equivalent", None),
        ("", None),
        ("eyes", None),
        ("True", True),
        ("<answer>False</answer>", None),
    ],
)
def test_verdicts_are_read_strictly(text, expected):
    found = verdict(text)
    assert found is expected or text.startswith("<answer>")


def pair(question):
    """Read the two programs back out of a question."""
    parts = question.split("```python\n")[1:]
    return tuple(part.split("\n```")[0] for part in parts)


def by_first_letter(question, _index):
    first, second = pair(question)
    return "Yes" if first[0] == second[0] else "No"


@pytest.mark.parametrize(
    ("samples", "against", "calls"),
    [
        (["a1", "a2", "a3", "a4"], "all", 12),
        (["a1", "a2", "a3", "a4"], "representative", 6),
        (["a1", "b1", "c1", "d1"], "all", 6),
        (["a1", "a1", "a1"], "all", 0),
        (["a1"], "all", 0),
    ],
)
def test_calls_are_counted_and_equal_texts_cost_none(samples, against, calls):
    model = ScriptedModel(by_first_letter)
    found = Entailment(model, against=against).partition(samples)
    assert found.calls == calls == len(model.prompts)


def test_the_published_code_asks_both_directions_always():
    model = ScriptedModel(by_first_letter)
    found = Entailment(model, short_circuit=False).partition([f"{c}1" for c in "abcdefghij"])
    assert found.calls == 90


def test_classes_are_those_of_the_model():
    model = ScriptedModel(by_first_letter)
    found = Entailment(model).partition(["a1", "b1", "a2", "b2", "c1"])
    assert found.labels == (0, 1, 0, 1, 2)


def test_both_directions_must_hold():
    def one_way(question, _index):
        return "Yes" if pair(question)[0] < pair(question)[1] else "No"

    assert Entailment(ScriptedModel(one_way)).partition(["a", "b"]).labels == (0, 1)
    assert functional_equivalence(ScriptedModel(one_way)).partition(["a", "b"]).labels == (0, 0)


def test_all_members_must_agree_unless_one_represents_them():
    def neighbours(question, _index):
        first, second = pair(question)
        return "Yes" if abs(int(first) - int(second)) <= 1 else "No"

    samples = ["1", "2", "0"]
    assert Entailment(ScriptedModel(neighbours)).partition(samples).labels == (0, 0, 1)
    one = Entailment(ScriptedModel(neighbours), against="representative")
    assert one.partition(samples).labels == (0, 0, 0)


def test_unclear_answers_count_as_no_and_are_noted():
    found = Entailment(ScriptedModel(["Perhaps"])).partition(["a", "b"])
    assert found.labels == (0, 1)
    assert found.notes == ("1 unclear answers of the model",)


def test_the_task_and_the_programs_go_in_as_they_are():
    model = ScriptedModel(["No"])
    Entailment(model, "Add {{ two }} numbers <&>").partition(["a = '{{ x }}'", "b"])
    assert "Add {{ two }} numbers <&>" in model.prompts[0]
    assert "a = '{{ x }}'" in model.prompts[0]


def test_the_rate_compares_with_the_first_sample_only():
    model = ScriptedModel(by_first_letter)
    found = EquivalenceRate(model).confidence(["a1", "a2", "b1", "a1", "a2"])
    assert found.value == 0.75
    assert found.calls == 2


def test_one_sample_has_no_rate():
    found = EquivalenceRate(ScriptedModel([])).confidence(["a"])
    assert found.value is None
    assert found.notes
