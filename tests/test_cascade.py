"""Each stage runs only while the verdict is open, and the verdict says what that saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.cascade import Cascade, reckon
from consilience.errors import UsageError
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.report.page import page
from consilience.report.record import record
from consilience.report.text import text
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store
from consilience.task import Candidate, Example, Task
from consilience.trust.calibration import Calibration
from consilience.trust.logistic import Logistic, Term

TASK = Task(
    "floor",
    'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n',
    "find",
    (Example((7, 2), 3), Example((-8, 3), -3)),
)
RIGHT = "def find(a, b):\n    return a // b"
ALSO = "import math\ndef find(x, y):\n    q = divmod(x, y)\n    return q[0]"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
SETTINGS = replace(preset("economy"), inputs=6, n_inductive=4, n_transductive=2)


def known(name: str) -> Calibration:
    """Make trust .98 where *name* is 1, .02 where it is 0, .5 where it is not known."""
    model = Logistic(0.0, (Term(name, 0.5, 0.5, 3.9),))
    return Calibration(
        "bench/records/made-up.json", dict.fromkeys(("text", "behaviour", "tests"), model)
    )


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def candidates(*codes: str) -> list[Candidate]:
    return [Candidate(TASK.id, code, place, f"{place}.py") for place, code in enumerate(codes)]


def answer(prompt: str, index: int) -> str:
    if "assert" in prompt:
        return "\n".join(
            f"assert find({a}, {b}) == 0" for a, b in [(9, 2), (-7, 2), (8, 3), (5, 1), (1, 3)]
        )
    return f"```python\n{RIGHT}\n```"


def test_equal_texts_settle_it_without_running_anything(sandbox: ForkServer):
    cascade = Cascade(sandbox, SETTINGS, level=0.9, calibration=known("same text"))
    verdict = cascade(TASK, candidates(RIGHT, RIGHT))
    assert verdict.course.stopped == "text"
    assert verdict.course.settled
    assert verdict.course.ahead.stage == "behaviour"
    assert verdict.course.ahead.calls > 0
    assert verdict.confidence == pytest.approx(0.98, abs=0.01)
    assert verdict.winner is None
    shown = text(verdict)
    assert "any of them will do" in shown
    assert "nothing was run" in shown


def test_programs_that_do_the_same_settle_it_without_a_model(sandbox: ForkServer):
    cascade = Cascade(sandbox, SETTINGS, level=0.7, calibration=known("agreement"))
    verdict = cascade(TASK, candidates(TRUNCATES, RIGHT, ALSO))
    assert [step.stage for step in verdict.course.steps] == ["text", "behaviour"]
    assert verdict.course.ahead.stage == "tests"
    assert verdict.course.ahead.usage.completion_tokens > 0
    assert set(verdict.ranking.leaders) == {1, 2}
    data = record(verdict)
    assert data["course"]["settled"]
    assert data["cost"]["prompt_tokens"] == 0
    assert data["trust"]["stage"] == "behaviour"
    assert "2 candidates have the same evidence" in data["reason"]


def test_what_is_still_open_goes_to_the_model(sandbox: ForkServer, tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, SETTINGS)
        cascade = Cascade(sandbox, SETTINGS, judge, 0.9, calibration=known("tests passed"))
        verdict = cascade(TASK, candidates(TRUNCATES, RIGHT))
    assert verdict.course.stopped == "tests"
    assert verdict.course.ahead is None
    assert verdict.winner.label == "1.py"
    assert verdict.course.steps[-1].usage.completion_tokens > 0
    assert verdict.course.settled
    assert "Trust 1.py. It is right with probability" in text(verdict)


def test_trust_ranks_in_the_end_unless_the_tests_are_asked_to(
    sandbox: ForkServer, tmp_path: Path
):
    with Store(tmp_path / "store.sqlite") as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, SETTINGS)
        cascade = Cascade(sandbox, SETTINGS, judge, calibration=known("same text"))
        posed = candidates(RIGHT, TRUNCATES, TRUNCATES)
        verdict = cascade(TASK, posed)
        by_tests = replace(cascade, rank_by="tests")(TASK, posed)
    assert (by_tests.winner.label, by_tests.ranked_by) == ("0.py", "tests")
    assert "more than any other" in record(by_tests)["reason"]
    assert (verdict.ranking.leaders, verdict.ranked_by) == ((1, 2), "trust")
    assert "any of them will do" in record(verdict)["reason"]
    assert "The likeliest to be right stands first" in page(verdict)
    assert "against 0.py: no test" in text(verdict)


def test_the_preset_of_the_paper_ranks_as_the_paper_does(sandbox: ForkServer):
    assert Cascade(sandbox, preset("paper")).rank_by == "tests"
    assert Cascade(sandbox, preset("standard")).rank_by == "trust"


def test_a_winner_that_does_not_lead_by_tests_is_said_to_win_by_other_evidence(
    sandbox: ForkServer, tmp_path: Path
):
    with Store(tmp_path / "store.sqlite") as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, SETTINGS)
        cascade = Cascade(sandbox, SETTINGS, judge, calibration=known("parses"))
        other = replace(cascade, calibration=known("closeness"))
        longer = "def find(a, b):\n    found = a / b\n    return int(found)"
        apart = candidates(TRUNCATES, longer, RIGHT)
        likelier = record(other(TASK, apart))["reason"]
        level = record(cascade(TASK, candidates(TRUNCATES, RIGHT)))["reason"]
        alike = candidates(RIGHT, ALSO, "def find(a, b):\n    return a // b + 0", TRUNCATES)
        same = record(other(TASK, alike))["reason"]
    assert "as 2 others do, with the same outputs on every input: any of them" in same
    assert "but by all evidence" in likelier
    assert "have the same evidence: it cannot tell them apart, but they differ" in level


def test_below_the_level_it_abstains_and_says_what_disagrees(sandbox: ForkServer):
    cascade = Cascade(
        sandbox, SETTINGS, level=0.99, until="behaviour", calibration=known("examples passed")
    )
    verdict = cascade(TASK, candidates(TRUNCATES, RIGHT, "def find(a, b):\n    return 0"))
    assert not verdict.course.settled
    shown = text(verdict)
    assert "Abstain" in shown
    assert "Best guess" in shown


def low() -> Calibration:
    weak = Logistic(-1.0, (Term("agreement", 0.5, 0.5, 0.5),))
    return Calibration("x", dict.fromkeys(("text", "behaviour"), weak))


def test_low_trust_shows_the_disputed_input_and_the_diff(sandbox: ForkServer):
    cascade = Cascade(sandbox, SETTINGS, until="behaviour", calibration=low())
    verdict = cascade(TASK, candidates(RIGHT, RIGHT + " + 0", TRUNCATES))
    data = record(verdict)
    disputed = data["reasons"]["disputed"]
    assert sorted(map(len, disputed["groups"]), reverse=True) == [2, 1]
    bridge = data["reasons"]["bridge"]
    assert {bridge["one"], bridge["other"]} & {2}
    assert any(line.startswith(("-", "+")) for line in bridge["diff"])
    shown = text(verdict)
    assert "most disputed" in shown
    assert "read side by side" in shown


def test_two_that_part_without_a_majority_are_not_said_to_be_alike(sandbox: ForkServer):
    cascade = Cascade(sandbox, SETTINGS, until="behaviour")
    task = replace(TASK, examples=(Example((7, 2), 3),))
    verdict = cascade(task, candidates(RIGHT, "def find(a, b):\n    return a - 2 * b"))
    data, shown = record(verdict), text(verdict)
    assert verdict.winner is None
    assert "any of them will do" not in shown
    assert "nothing, the same outputs" not in shown
    [duel] = data["reasons"]["against"]
    assert (duel["test"], duel["same"]) == (None, False)
    apart = data["dropped"][duel["dropped"]]
    assert len(set(apart["got"])) == 2
    assert apart["call"] in shown
    disputed = data["reasons"]["disputed"]
    assert disputed["test"] is None
    assert sorted(disputed["groups"]) == [[0], [1]]
    assert "where no output could be agreed on" in page(verdict)


def test_a_task_without_examples_is_judged_on_guessed_inputs(sandbox: ForkServer):
    bare = replace(TASK, prompt="Divide, rounding down.", examples=())
    cascade = Cascade(sandbox, SETTINGS, until="behaviour")
    verdict = cascade(bare, candidates(RIGHT, ALSO, "def find(a, b):\n    return 'no'"))
    assert verdict.suite.tests
    assert set(verdict.ranking.leaders) <= {0, 1}


def test_one_candidate_alone_is_supported_by_nobody(sandbox: ForkServer):
    verdict = Cascade(sandbox, SETTINGS, until="behaviour")(TASK, candidates(RIGHT))
    assert "the only candidate" in record(verdict)["reason"]
    assert 0 < verdict.confidence < 1


def test_tests_without_a_model_and_no_candidates_are_refused(sandbox: ForkServer):
    with pytest.raises(UsageError, match="no candidates"):
        Cascade(sandbox)(TASK, [])
    with pytest.raises(UsageError, match="none was given") as caught:
        Cascade(sandbox, SETTINGS, calibration=known("agreement"))(
            TASK, candidates(RIGHT, ALSO)
        )
    assert "--until behaviour" in caught.value.hint


def test_the_estimate_follows_the_settings():
    some = candidates(RIGHT, ALSO)
    little = reckon(TASK, some, SETTINGS, [])
    more = reckon(TASK, some, replace(SETTINGS, inputs=60), [])
    alone = reckon(TASK, some, replace(SETTINGS, method="rstar"), [])
    assert more.usage.completion_tokens > little.usage.completion_tokens
    assert alone.usage.completion_tokens < little.usage.completion_tokens
    assert little.calls == len(some) * SETTINGS.inputs


def test_a_program_that_is_quoted_cannot_steer_the_terminal(sandbox: ForkServer):
    cascade = Cascade(sandbox, SETTINGS, until="behaviour", calibration=low())
    steering = "# \x1b[2J\u202e \ud83d\n" + TRUNCATES
    shown = text(cascade(TASK, candidates(RIGHT, RIGHT + " + 0", steering)))
    assert "# \\x1b[2J\\u202e \\ud83d" in shown
    assert not set(shown) & {"\x1b", "\u202e", "\ud83d"}
