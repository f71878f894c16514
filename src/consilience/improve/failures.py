"""Tell the model in plain lines which calls a program gets wrong."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.improve.trial import Standing
from consilience.sampling import probe_text
from consilience.sandbox import Outcome, Status
from consilience.task import Task, TestCase, TestSuite

LONGEST = 240
"""Characters of one call or value in the prompt."""


def lines(standing: Standing, suite: TestSuite, failing: Sequence[int], most: int) -> list[str]:
    """Write at most *most* of the *failing* tests: the task's own first, then the shortest."""
    tests = suite.tests
    texts = {p: _line(suite.task, tests[p], standing.outcomes[p]) for p in failing}
    order = sorted(texts, key=lambda p: (tests[p].route != "given", len(texts[p]), p))
    return [texts[place] for place in order[:most]]


def _line(task: Task, test: TestCase, outcome: Outcome) -> str:
    """Say what a call should give and what came instead."""
    call = _short(probe_text(task, test.input.probe))
    wanted = test.expected.raised_class
    should = f"raise {wanted}" if wanted else f"give {test.expected.preview(LONGEST)}"
    return f"- {call} should {should}, but {_got(outcome)}"


def _got(outcome: Outcome) -> str:
    if outcome.ok and outcome.value is not None:
        return f"gives {outcome.value.preview(LONGEST)}"
    if outcome.status == "raised":
        told = f": {_short(outcome.message)}" if outcome.message else ""
        return f"raises {outcome.error}{told}"
    return _ENDS.get(outcome.status, "does not end well")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


_ENDS: dict[Status, str] = {
    "timeout": "takes too long",
    "memory": "takes too much memory",
    "too_large": "gives far too much",
    "exit": "ends the interpreter",
    "no_entry_point": "there is no such function",
    "load_raised": "the program does not even load",
}
