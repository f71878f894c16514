"""Cases of extraction: the program comes out of the reply and behaves as it should."""

from __future__ import annotations

from typing import Any

from cases.support import arguments, sandbox, text_of, value

from consilience.code import extract
from consilience.values import equal


def check_extract(given: dict[str, Any], expected: dict[str, Any]) -> None:
    entry_point = given["entry_point"]
    extraction = extract(
        text_of(given["response"]),
        entry_point,
        given.get("prompt", ""),
        truncated=given.get("finish_reason") == "length",
    )
    assert extraction.status == expected["status"], extraction
    assert extraction.truncated is expected.get("truncated", extraction.truncated)
    for unwanted in expected.get("must_not_contain", []):
        assert unwanted not in extraction.code
    if extraction.status == "ok":
        _check_calls(extraction.code, entry_point, expected)


def _check_calls(code: str, entry_point: str, expected: dict[str, Any]) -> None:
    calls = expected.get("calls", [])
    inputs = [arguments(call["args"]) for call in calls]
    (outcomes,) = sandbox().run([code], entry_point, inputs)
    for call, outcome in zip(calls, outcomes, strict=True):
        assert outcome.value is not None, outcome
        assert equal(outcome.value, value(call["returns"])), (call, outcome)
    if "stdout_on_load" in expected:
        (execution,) = sandbox().execute([code], entry_point, [])
        assert execution.printed == len(expected["stdout_on_load"])


ADAPTERS = {"extract": check_extract}
