"""Inputs come from the task's own examples, or from guesses that the programs take."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from consilience.code import signature
from consilience.inputs.model_free import guesses, proposals, without_model
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.task import Example, Task
from consilience.voters import Voters

COUNTS = "def f(text, n):\n    return text[:n].upper()"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def voters(sandbox: ForkServer, *sources: str) -> Voters:
    return Voters(sources, "f", sandbox, Limits(cpu_seconds=1.0))


def test_examples_are_mutated_and_are_not_themselves_among_the_inputs(sandbox: ForkServer):
    task = Task("t", "", "f", (Example(("abc", 2), "AB"),))
    found = without_model(task, voters(sandbox, COUNTS), count=8)
    assert 0 < len(found.inputs) <= 8
    assert {item.origin for item in found.inputs} == {"mutation"}
    assert ("abc", 2) not in [item.probe for item in found.inputs]
    assert all(isinstance(item.probe[0], str) for item in found.inputs)


def test_without_examples_the_programs_tell_what_an_input_is(sandbox: ForkServer):
    strict = COUNTS.replace("return", "assert isinstance(text, str)\n    return")
    found = without_model(Task("t", "", "f"), voters(sandbox, strict), count=8)
    assert found.inputs
    assert all(isinstance(item.probe[0], str) for item in found.inputs)


def test_an_annotation_leaves_nothing_to_guess():
    found = guesses(signature("def f(a: list[int]) -> int: ...", "f"), 0)
    assert found
    assert all(isinstance(args[0], list) for args in found)
    assert guesses(None, 0) == []


def test_the_same_seed_proposes_the_same(sandbox: ForkServer):
    task = Task("t", "def f(a: int) -> int: ...", "f", (Example((3,), 3),))
    one = proposals(task, voters(sandbox, COUNTS), count=6, seed=1)
    assert one == proposals(task, voters(sandbox, COUNTS), count=6, seed=1)
    assert one != proposals(task, voters(sandbox, COUNTS), count=6, seed=2)
