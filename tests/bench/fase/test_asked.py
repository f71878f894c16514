"""A model's answers with their price; what the store gives again has no time of its own."""

from __future__ import annotations

import math
import os
from pathlib import Path

from consilience.bench.fase.asked import Asker, ask_all, chosen
from consilience.bench.fase.draw import Draw, pick
from consilience.bench.fase.experiment import answers
from consilience.models import Reply, TokenLogprob, Usage
from consilience.models.scripted import ScriptedModel
from consilience.store import Store
from consilience.task import Task

TASK = Task("own/1", 'def double(n):\n    """Return twice n."""\n', "double")
A, B, C = (f"def double(n):\n    return {body}\n" for body in ("n + n", "2 * n", "n ** 2"))


def says(prompt: str, index: int) -> str | Reply:
    if "Program B" in prompt:
        return "No" if "n ** 2" in prompt else "Yes"
    word = "False" if "n ** 2" in prompt else "True"
    top = (("True", math.log(0.75)), ("False", math.log(0.25)))
    return Reply(word, usage=Usage(9, 1, 1), logprobs=(TokenLogprob(word, -0.1, top),))


def test_samples_of_the_first_distinct_programs_are_kept():
    assert chosen([A, B, A, C, B], most=2) == [0, 1, 2, 4]


def test_every_measure_is_asked_with_its_price(tmp_path: Path):
    with Store(tmp_path / "s.sqlite") as store:
        asker = Asker(ScriptedModel(says), store, server=os.getpid())
        (row,) = ask_all(asker, [(TASK, [A, B, A, C])], seconds=60)
        again = asker.row(TASK, [A, B, A, C])
    assert row["distinct"] == 3
    assert row["entailment"]["labels"] == [0, 0, 0, 1]
    assert row["entailment"]["calls"] == 3  # both directions of A and B, one of A and C
    assert row["p_true"]["sampled"] == [1.0, 1.0, 1.0, 0.0]
    assert row["p_true"]["probability"] == [0.75] * 4
    assert row["vote"]["majority"] == [1.0, 1.0, 1.0, 0.0]
    assert (row["p_true"]["calls"], row["vote"]["calls"]) == (3, 9)
    assert row["p_true"]["prompt_tokens"] == 27
    assert row["p_true"]["seconds"] is not None
    assert row["p_true"]["server_cpu_seconds"] >= 0
    assert again["p_true"]["seconds"] is None
    assert again["entailment"]["labels"] == [0, 0, 0, 1]


def test_no_task_is_begun_when_the_time_is_over(tmp_path: Path):
    with Store(tmp_path / "s.sqlite") as store:
        asker = Asker(ScriptedModel(says), store)
        assert list(ask_all(asker, [(TASK, [A])], seconds=0)) == []


def test_answers_become_entropies():
    row = {
        "entailment": {"labels": [0, 0, 1, 1]},
        "p_true": {"sampled": [1.0, 0.0, None, None], "probability": [None] * 4},
        "vote": {"majority": [1.0] * 4},
    }
    found = {name: table.tolist() for name, table in answers([row])}
    assert found == {
        "entailment": [[0.5]],
        "p-true sampled": [[0.5]],
        "p-true probability": [[0.5]],
        "vote": [[0.0]],
    }


def test_a_set_is_drawn_task_by_task_with_the_accounts():
    tasks = [Task(f"own/{n}", TASK.prompt, "double") for n in range(3)]
    model = ScriptedModel(lambda prompt, _: f"```python\n{A}```" if "$" not in prompt else "")
    rows = list(Draw("analyst", n=2, workers=1).rows(pick(tasks, 2), model))
    assert [row["task_id"] for row in rows] == [
        each.id for each in pick(tasks, 2) for _ in range(2)
    ]
    assert [("account" in row) for row in rows] == [True, False, True, False]
    assert {task.id for task in pick(tasks, 1)} <= {task.id for task in pick(tasks, 2)}
