import pytest

from consilience.errors import ModelError
from consilience.models import ChatModel, Reply, Usage
from consilience.models.scripted import ScriptedModel


def test_a_list_is_dealt_in_order_over_all_prompts():
    model: ChatModel = ScriptedModel(["a", "b", "c"])
    assert [r.text for r in model.complete("p", n=2)] == ["a", "b"]
    assert [r.text for r in model.complete("q")] == ["c"]


def test_a_used_up_list_is_an_error_not_an_empty_answer():
    model = ScriptedModel(["a"])
    with pytest.raises(ModelError, match="used up after 1"):
        model.complete("p", n=2)


def test_a_function_sees_the_prompt_and_the_index_of_the_sample():
    model = ScriptedModel(lambda prompt, index: f"{prompt}{index}", name="m")
    assert [r.text for r in model.complete("p", n=2)] == ["p0", "p1"]
    assert [r.text for r in model.complete("q")] == ["q0"]
    assert [r.text for r in model.complete("p", seed=7)] == ["p2"]
    assert model.prompts == ["p", "q", "p"]
    assert model.requests[-1] == ("p", 1, 7)


def test_the_prompt_is_counted_once_a_request():
    replies = ScriptedModel(["one two", "three"]).complete("a b c", n=2)
    assert [r.usage for r in replies] == [Usage(3, 2, 1), Usage(0, 1, 0)]


def test_a_whole_reply_can_be_scripted():
    reply = Reply("cut", finish_reason="length")
    assert ScriptedModel([reply]).complete("p") == [reply]
