"""Each dataset's own comparison accepts what the dataset accepts, and nothing else."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from cases.support import shared

from consilience.code import assertions
from consilience.formats import accepts, load_tasks
from consilience.formats.checkers import RULES
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.task import Reference, Task
from consilience.values import Value

MATCH = Value.from_wire('["o","re","Match"]')
FUNCTION = Value.from_wire('["F","f"]')


def rule(
    checker: str, args: tuple[Any, ...], output: Any, expected: Any, atol: float = 0.0
) -> bool:
    values = [x if isinstance(x, Value) else Value.of(x) for x in (output, expected)]
    return accepts(Reference("", tolerance=atol, checker=checker), args, *values)


@pytest.mark.parametrize(
    ("checker", "args", "output", "expected", "right"),
    [
        ("equal", (), [1, 2], [1.0, 2], True),
        ("equal", (), (1, 2), [1, 2], False),
        ("equal", (), 1.0000005, 1.0, True),
        ("equal", (), 1.00001, 1.0, False),
        ("equal", (), FUNCTION, FUNCTION, False),
        ("same_members", (), (5, 4), (4, 5), True),
        ("same_members", (), [4, 5, 5], (4, 5), True),
        ("same_members", (), (5,), (4, 5), False),
        ("same_members", (), {4, 5}, (4, 5), True),
        ("same_members", (), None, (4, 5), False),
        ("same_members", (), 4, (4,), False),
        ("same_members", (), [[4], [5]], [[4], [5]], True),
        ("same_members", (), [[5], [4]], [[4], [5]], False),
        ("same_members", (), FUNCTION, (), False),
        ("not_none", (), MATCH, True, True),
        ("not_none", (), True, MATCH, True),
        ("not_none", (), None, False, True),
        ("not_none", (), False, None, True),
        ("not_none", (), None, MATCH, False),
        ("not_none", (), "Found", True, True),
        ("not_none", (), 0, True, True),
        ("polynomial_root", ([1, 2],), -0.5, 9.9, True),
        ("polynomial_root", ([-6, 11, -6, 1],), 3, 1.0, True),
        ("polynomial_root", ([-6, 11, -6, 1],), 2.5, 1.0, False),
        ("polynomial_root", ([1, 2],), None, -0.5, False),
        ("polynomial_root", ([1, 2],), math.nan, -0.5, False),
        ("polynomial_root", ([1, 2],), math.inf, -0.5, False),
        ("polynomial_root", ([1, 2],), 10**400, -0.5, False),
        ("polynomial_root", ([1, 2],), True, -0.5, False),
        ("polynomial_root", ([1, 2],), FUNCTION, -0.5, False),
        ("pyramid_surface", (3, 4), 33, 33, True),
        ("pyramid_surface", (3, 4), 35, 33, True),
        ("pyramid_surface", (3, 4), 34, 33, False),
        ("digit_distance", (123, 9), 8, 8, True),
        ("digit_distance", (123, 9), 9, 8, True),
        ("digit_distance", (123, 9), 10, 8, False),
        ("digit_distance", (-12, 9), 4, 5, False),
        ("zero_or_equal", (7,), 0, 1, True),
        ("zero_or_equal", (7,), 1, 1, True),
        ("zero_or_equal", (7,), 2, 1, False),
        ("any_verdict", (1, 2), True, False, True),
        ("any_verdict", (1, 2), None, False, False),
    ],
)  # fmt: skip
def test_rules(checker: str, args: Any, output: Any, expected: Any, right: bool) -> None:
    assert rule(checker, args, output, expected, 1e-4 if "root" in checker else 0.0) is right


def test_the_tolerance_of_a_task_is_its_own() -> None:
    assert rule("equal", (), 1.00005, 1.0, atol=1e-4)
    assert not rule("equal", (), 1.00005, 1.0)
    assert not rule("equal", (), 10**9 + 1, 10**9, atol=1e-4)


def test_the_special_tasks_of_both_datasets_have_their_rules() -> None:
    found: dict[str, int] = {}
    for name in ("HumanEvalPlus.jsonl.gz", "MbppPlus.jsonl.gz"):
        for task in load_tasks(shared("data") / name):
            assert task.reference is not None
            checker = task.reference.checker
            found[checker] = found.get(checker, 0) + 1
    assert found["same_members"] == 7  # an eighth, Mbpp/249, is not in this release
    assert found["not_none"] == 3
    assert found["polynomial_root"] == found["pyramid_surface"] == found["digit_distance"] == 1
    assert found.keys() <= RULES.keys()


def test_every_rule_can_be_named_in_a_file(tmp_path: Path) -> None:
    row = {
        "task_id": "Mbpp/164",
        "prompt": "",
        "entry_point": "are_equivalent",
        "plus_input": [],
    }
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(row))
    (task,) = load_tasks(path)
    assert task.reference is not None
    assert task.reference.checker == "any_verdict"


# --- the reference solutions against their own tests

PLUS_INPUTS = 5
GENEROUS = Limits(cpu_seconds=20.0, wall_seconds=60.0, memory_mb=1024, total_seconds=300.0)

WRONG_EXAMPLES = {"HumanEval/47", "HumanEval/116", "HumanEval/148"}
"""Their prompts state results that their own solutions and tests contradict."""


@pytest.mark.parametrize("name", ["HumanEvalPlus.jsonl.gz", "MbppPlus.jsonl.gz"])
def test_reference_solutions_pass_their_own_tests(name: str) -> None:
    with ForkServer(workers=2) as server:
        for task in load_tasks(shared("data") / name):
            assert check_reference(server, task, PLUS_INPUTS) == []


def check_reference(server: ForkServer, task: Task, plus: int) -> list[str]:
    """List what is wrong with a task's own solution on its own tests."""
    reference = task.reference
    assert reference is not None
    inputs = reference.inputs[: reference.base_count + plus]
    (outcomes,) = server.run([reference.solution], task.entry_point, inputs, GENEROUS)
    test = task.metadata.get("test", task.metadata.get("assertion", ""))
    stated = list(assertions(test, task.entry_point))
    stated += task.examples if task.id not in WRONG_EXAMPLES else ()
    wanted = {Value.of(example.probe): Value.of(example.expected) for example in stated}
    faults = []
    for args, outcome in zip(inputs, outcomes, strict=True):
        if outcome.value is None:
            faults.append(f"{task.id} {outcome.status} on {args}")
            continue
        expected = wanted.get(Value.of(args), outcome.value)
        if not accepts(reference, args, outcome.value, expected):
            faults.append(f"{task.id} {outcome.value.preview()} on {args}")
    return faults
