"""How a task is shown to a model, and what comes back."""

from __future__ import annotations

from consilience.models.scripted import ScriptedModel
from consilience.sampling import present, probe_text, sample, sample_call
from consilience.task import Example, Task

CODE = Task(
    "t",
    "from typing import List\n\n\n"
    'def f(xs: List[int]) -> int:\n    """Add up xs.\n\n    >>> f([1])\n    1\n    """\n',
    "f",
)


def test_a_docstring_is_shown_as_prose_so_that_it_is_not_copied():
    shown = present(CODE)
    assert '"""' not in shown
    assert "def f(xs: List[int]) -> int:\n    ..." in shown
    assert "from typing import List" in shown
    assert shown.endswith("Add up xs.\n\n>>> f([1])\n1")


def test_prose_is_shown_as_it_stands():
    assert present(Task("t", "Write f that adds, don't you think?", "f")) == (
        "Write f that adds, don't you think?"
    )


def test_a_module_docstring_alone_is_prose():
    assert present(Task("t", '"""\nWrite f.\nassert f(1) == 1\n"""\n', "f")) == (
        "Write f.\nassert f(1) == 1"
    )


def test_helpers_that_the_prompt_defines_are_kept():
    prompt = 'def g(x):\n    return x\n\n\ndef f(x):\n    """Apply g."""\n'
    assert "def g(x):\n    return x" in present(Task("t", prompt, "f"))


def test_a_call_is_written_as_a_person_would():
    assert probe_text(Task("t", "def f(a, b): ...", "f"), ([1, 2], "a")) == "f([1, 2], 'a')"


def test_the_sample_call_is_the_tasks_own_example_if_there_is_one():
    assert sample_call(CODE) == "f(xs)"
    task = Task(CODE.id, CODE.prompt, "f", (Example(([1],), 1),))
    assert sample_call(task) == "f([1])"


def test_a_reply_without_a_program_is_a_candidate_without_code():
    model = ScriptedModel(["I cannot.", "```python\ndef f(xs):\n    return sum(xs)\n```"])
    first, second = sample(CODE, model, n=2)
    assert first.code == ""
    assert "return sum(xs)" in second.code
    assert (first.index, second.index) == (0, 1)


PROGRAM = "```python\ndef f(xs):\n    return sum(xs)\n```"


def test_an_analyst_writes_one_account_that_every_program_is_written_from():
    model = ScriptedModel(["Inputs: xs, a list of numbers.", PROGRAM, PROGRAM])
    drawn = sample(CODE, model, n=2, workflow="analyst")
    assert [each.code.strip().splitlines()[-1] for each in drawn] == ["    return sum(xs)"] * 2
    first, second = model.prompts
    assert "```" not in first
    assert "You are a requirements analyst" in first
    assert "Add up xs." in first
    assert "Inputs: xs, a list of numbers." in second
    assert [n for _, n, _ in model.requests] == [1, 2]


def test_without_an_account_the_coder_works_alone():
    model = ScriptedModel([" ", PROGRAM, PROGRAM])
    sample(CODE, model, n=1, workflow="analyst")
    sample(CODE, model, n=1)
    assert model.prompts[1] == model.prompts[2]
