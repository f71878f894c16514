"""A verdict claims nothing where nothing was seen: one test for each line of that promise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.api import judge, rank
from consilience.cli import main
from consilience.judge import Verdict
from consilience.report.page import page
from consilience.report.record import record
from consilience.report.text import text
from consilience.sandbox.pool import ForkServer
from consilience.suite import given_tests
from consilience.task import Example, Task, TestSuite

TASK = Task(
    "add",
    'def add(a: int, b: int) -> int:\n    """Return the sum.\n\n    >>> add(1, 2)\n    3\n    """\n',
    "add",
    (Example((1, 2), 3),),
)
RIGHT = "def add(a, b):\n    return a + b"
HELPLESS = "def add(a, b):\n    return tax(a) + {}"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as server:
        yield server


def judged(sandbox: ForkServer, *programs: str, task: Task = TASK) -> Verdict:
    return judge(task, programs, sandbox=sandbox)


@pytest.mark.parametrize(
    ("programs", "told"),
    [
        (
            ["def plus(a, b):\n    return a + b"] * 2,
            "No candidate defines `add`: they define `plus`",
        ),
        (
            [HELPLESS.format(n) for n in range(3)],
            "all 3 candidates raised NameError: name 'tax'",
        ),
        (["import shop\n" + RIGHT] * 2, "both candidates failed to load, ModuleNotFoundError"),
        (["def add(a, b):\n    while True: pass"], "the only candidate ran out of time"),
    ],
    ids=["other name", "missing helper", "missing package", "endless"],
)
def test_without_anything_back_there_is_no_winner_and_no_trust(
    sandbox: ForkServer, programs: list[str], told: str
) -> None:
    verdict = judged(sandbox, *programs)
    assert not verdict.judged
    assert verdict.winner is None
    assert verdict.trust is None
    assert verdict.confidence is None
    assert verdict.ranking.leaders == ()
    assert told in verdict.unjudged


def test_every_output_says_that_nothing_was_judged(sandbox: ForkServer) -> None:
    verdict = judged(sandbox, *(HELPLESS.format(n) for n in range(2)))
    data = record(verdict)
    assert data["judged"] is False
    assert data["winner"] is None
    assert data["trust"] is None
    assert "NameError" in data["reason"]
    for shown in (text(verdict), page(verdict)):
        assert "Not judged" in shown
        assert "NameError" in shown
        assert "right with probability" not in shown
        assert "did what" not in shown


def test_a_context_that_does_not_load_is_told_apart_from_the_candidates(
    sandbox: ForkServer,
) -> None:
    from dataclasses import replace

    verdict = judged(sandbox, RIGHT, task=replace(TASK, context="import shop\n"))
    assert "The code around `add` does not load: ModuleNotFoundError" in verdict.unjudged


def test_agreement_counts_only_where_something_came_back(sandbox: ForkServer) -> None:
    half = "def add(a, b):\n    if a > 1:\n        raise KeyError\n    return a + b  # {}"
    verdict = judged(sandbox, half.format(1), half.format(2) + "\n    # more")
    shown = text(verdict)
    assert verdict.judged
    assert "on which anything came back" in shown or "inputs tried" in shown
    seen = [row for row in verdict.outcomes[0] if row.ok]
    assert len(seen) >= 1


def test_programs_that_fail_alike_agree_on_nothing(sandbox: ForkServer) -> None:
    verdict = judged(sandbox, RIGHT, *(HELPLESS.format(n) for n in range(4)))
    assert verdict.ranking.leaders == (0,)
    assert "None of the 4 others did what" in text(verdict)
    behaviour = [each["same behaviour"] for each in verdict.trust.evidence]
    assert behaviour[1:] == [0.0] * 4


def test_who_never_returns_is_behind_everyone_who_does(sandbox: ForkServer) -> None:
    wrong = "def add(a, b):\n    return 7"
    verdict = judged(sandbox, HELPLESS.format(1), HELPLESS.format(1) + "\n", wrong)
    assert verdict.ranking.leaders == (2,)
    assert verdict.ranking.ranks[:2] == (None, None)


def test_given_tests_that_nobody_survives_judge_nobody(sandbox: ForkServer) -> None:
    suite = TestSuite(TASK, tuple(given_tests(TASK)))
    verdict = rank([HELPLESS.format(1)], suite, sandbox=sandbox)
    assert not verdict.judged


def test_texts_alone_say_that_nothing_was_run(sandbox: ForkServer) -> None:
    verdict = judge(TASK, [RIGHT, RIGHT + "\n"], sandbox=sandbox, until="text")
    assert "Nothing was run" in text(verdict)


def test_the_command_fails_where_nothing_could_be_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, program = tmp_path / "add.py", tmp_path / "a.py"
    task.write_text(TASK.prompt)
    program.write_text("def plus(a, b):\n    return a + b\n")
    code = main(["judge", str(task), str(program), "--until", "behaviour", "--json"])
    assert code == 1
    assert json.loads(capsys.readouterr().out)["judged"] is False
