"""Orders are checked field by field, and whatever is wrong is one sentence with a hint."""

from __future__ import annotations

import json
from typing import Any

import pytest
from service_stand import BOUNDS, JUDGE, PROMPT, RANK, RIGHT

from consilience.errors import ConsilienceError, InputError
from consilience.models.budget import Budget
from consilience.service import Kind
from consilience.service.orders import JudgeOrder, RankOrder, convert, programs, read
from consilience.service.refusals import TooLargeError
from consilience.settings import PRESETS


def order(kind: Kind, fields: dict[str, Any]) -> Any:
    return read(kind, json.dumps(fields).encode(), BOUNDS)


def refused(kind: Kind, fields: Any) -> ConsilienceError:
    with pytest.raises(ConsilienceError) as caught:
        order(kind, fields)
    assert caught.value.hint
    return caught.value


def test_the_function_to_write_is_read_from_the_prompt():
    task = order("judge", JUDGE).task.task()
    assert (task.id, task.entry_point, task.prompt) == ("find", "find", PROMPT)


def test_a_prompt_in_words_needs_the_name_of_the_function():
    words = JUDGE | {"task": {"prompt": "Divide, rounding down."}}
    with pytest.raises(InputError) as caught:
        order("judge", words).task.task()
    assert "entry_point" in caught.value.hint
    named = {"prompt": "Divide, rounding down.", "entry_point": "find", "id": "own/1"}
    task = order("judge", JUDGE | {"task": named}).task.task()
    assert (task.id, task.entry_point) == ("own/1", "find")


def test_a_name_that_is_none_is_refused():
    with pytest.raises(InputError, match="not the name"):
        order("judge", JUDGE | {"task": {"prompt": "x", "entry_point": "a b"}}).task.task()


def test_a_program_is_taken_out_of_a_reply_and_keeps_its_label():
    given = [{"code": f"Sure!\n```python\n{RIGHT}```", "label": "mine"}, RIGHT]
    found = order("judge", JUDGE | {"candidates": given})
    first, second = programs(found.candidates, found.task.task())
    assert (first.label, second.label) == ("mine", "candidate 1")
    assert first.code.strip() == second.code.strip() == RIGHT.strip()


def test_choices_change_what_the_server_was_started_with():
    base = PRESETS["standard"]
    assert order("judge", JUDGE).choices.settings(base) == base
    chosen = order("judge", JUDGE | {"choices": {"preset": "economy", "tau": 0.5}})
    settings = chosen.choices.settings(base)
    assert (settings.preset, settings.tau, settings.inputs) == ("economy", 0.5, 20)
    assert order("judge", JUDGE | {"choices": {"seed": 7}}).choices.settings(base).seed == 7


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"task": {"prompt": PROMPT}}, "candidates"),
        (JUDGE | {"candidates": []}, "length"),
        (JUDGE | {"candidate": RIGHT}, "unknown field `candidate`"),
        (JUDGE | {"candidates": [3]}, "candidates"),
        (JUDGE | {"choices": {"tau": 2}}, "tau"),
        (JUDGE | {"choices": {"inputs": 10**6}}, "inputs"),
        ([], "object"),
    ],
)
def test_what_is_wrong_is_named(fields: Any, told: str):
    error = refused("judge", fields)
    assert isinstance(error, InputError)
    assert told in str(error)


def test_a_client_may_spend_less_than_the_server_allows_and_never_more():
    few = order("judge", JUDGE | {"choices": {"max_tokens": 100}}).choices
    assert order("judge", JUDGE).choices.budget(None) is None
    assert few.budget(None).tokens == 100
    assert few.budget(Budget(tokens=40, dollars=1.0)).tokens == 40
    assert few.budget(Budget(dollars=1.0)).dollars == 1.0
    assert few.settings(PRESETS["standard"]) == PRESETS["standard"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"task":"\xff"}', b"[" * 9999])
def test_what_is_no_json_is_refused(body: bytes):
    with pytest.raises(InputError, match="cannot be read"):
        read("judge", body, BOUNDS)


def test_orders_over_a_limit_are_refused_with_the_limit():
    assert "(3)" in str(refused("judge", JUDGE | {"candidates": [RIGHT] * 4}))
    assert "(4)" in str(refused("entropy", {"samples": [RIGHT] * 5}))
    assert "(20)" in str(refused("rank", RANK | {"tests": ["find(1, 1) == 1"] * 21}))
    with pytest.raises(TooLargeError):
        convert("rank", RANK | {"tests": ["find(1, 1) == 1"] * 21}, BOUNDS)


def test_tests_are_assertions_with_literals():
    suite = order("rank", RANK).suited()
    assert [test.input.probe for test in suite.tests] == [(10, -2), (-7, 2)]
    assert [test.expected.python() for test in suite.tests] == [-5, -4]
    with pytest.raises(InputError) as caught:
        order("rank", RANK | {"tests": ["find(x, 2) == 1"]}).suited()
    assert "find(" in caught.value.hint


@pytest.mark.parametrize(
    "fields",
    [
        {"candidates": [RIGHT]},
        {"candidates": [RIGHT], "task": {"prompt": PROMPT}, "tests": []},
        RANK | {"suite": []},
        {"candidates": [RIGHT], "suite": []},
        {"candidates": [RIGHT], "suite": [{"kind": "test"}]},
        {"candidates": [RIGHT], "suite": [{"kind": "task", "schema": "other"}]},
    ],
)
def test_ranking_without_tests_makes_no_sense(fields: dict[str, Any]):
    found = order("rank", fields)
    assert isinstance(found, RankOrder)
    with pytest.raises(InputError):
        found.suited()


def test_fields_that_are_decoded_already_are_checked_alike():
    assert isinstance(convert("judge", JUDGE, BOUNDS), JudgeOrder)
    with pytest.raises(InputError, match="unknown field"):
        convert("judge", JUDGE | {"x": 1}, BOUNDS)
