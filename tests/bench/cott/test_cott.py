"""The experiment, rehearsed with a scripted model and the real sandbox, and read back."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from consilience.bench import trust_tables
from consilience.bench.choices import SCHEMA as CHOICES
from consilience.bench.choices import choices
from consilience.bench.cott import TaskRow, read_rows
from consilience.bench.cott.analysis import voting
from consilience.bench.cott.exchange import evaluation_rows
from consilience.bench.cott.figures import figures
from consilience.bench.cott.methods import METHODS, Rule, label, matrix
from consilience.bench.cott.page import digest_page
from consilience.bench.cott.posing import again
from consilience.bench.cott.price import spent
from consilience.bench.cott.run import Plan, run
from consilience.bench.cott.summary import scored, scores, summary
from consilience.bench.cott.tables import voter_table
from consilience.bench.ranking_tasks import RankingTask
from consilience.errors import InputError, UsageError
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import Method, preset
from consilience.store import Store
from consilience.task import Candidate, Example, Reference, Task
from consilience.trust.calibration import Calibration
from consilience.trust.logistic import Logistic, Term

RIGHT = "def find(a, b):\n    return a // b"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
NEGATES = "def find(a, b):\n    return -(a // b)"
TASK = Task(
    "floor",
    'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n',
    "find",
    (Example((6, 3), 2),),
    Reference(RIGHT, ((7, 2), (-7, 2)), 2),
)
POSED = RankingTask(
    TASK,
    tuple(
        Candidate("floor", code, i, str(i))
        for i, code in enumerate([NEGATES, RIGHT, TRUNCATES])
    ),
    (Fraction(0), Fraction(1), Fraction(1, 2)),
    2,
    2,
)
SETTINGS = replace(preset("economy"), inputs=5, n_inductive=6, n_transductive=3)


def answer(prompt: str, index: int) -> str:
    """Induction truncates by majority; transduction is right; stated outputs are mostly 0."""
    if "assert" in prompt:
        return "\n".join(
            f"assert find({a}, {b}) == 0" for a, b in [(9, 2), (-7, 2), (-9, 4), (8, 3), (5, 1)]
        )
    if "Answer:" in prompt:
        return "Answer: 2" if "It is one of" in prompt else "Answer: 0"
    return RIGHT if "exact input" in prompt or index >= 4 else TRUNCATES


@dataclass(frozen=True)
class Rehearsal:
    judge: Judge
    path: Path
    rows: list[TaskRow]


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("cott")
    with ForkServer(workers=2) as sandbox, Store(folder / "store.sqlite") as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, SETTINGS)
        path = folder / "rows.jsonl"
        yield Rehearsal(judge, path, run(judge, [POSED], path, Plan(workers=1)))


@pytest.mark.parametrize("method", ["cott", "rstar", "tt", "cot", "sol-ver", "syntra"])
def test_the_record_gives_the_scores_that_judge_gives(rehearsal: Rehearsal, method: Method):
    judging = replace(rehearsal.judge, settings=replace(SETTINGS, method=method))
    verdict = judging.judge(TASK, POSED.candidates)
    [row] = rehearsal.rows
    assert scores(matrix(method, row)) == [float(s or 0) for s in verdict.ranking.scores]
    assert sum(spent(method, row).values()) == sum(
        usage.prompt_tokens + usage.completion_tokens for usage in verdict.usage.values()
    )


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(rehearsal: Rehearsal):
    before, asked = rehearsal.path.read_bytes(), len(rehearsal.judge.model.prompts)
    run(rehearsal.judge, [POSED], rehearsal.path, Plan(workers=1))
    other = rehearsal.path.with_name("again.jsonl.gz")
    run(rehearsal.judge, [POSED], other, Plan(workers=2))
    assert rehearsal.path.read_bytes() == gzip.decompress(other.read_bytes()) == before
    assert len(rehearsal.judge.model.prompts) == asked


def test_a_record_poses_its_tasks_again_without_measuring_the_pool(
    rehearsal: Rehearsal, tmp_path: Path
):
    others = [Candidate("floor", "def find(a, b): ...", 3, "another")]
    posed = again(rehearsal.rows, [TASK], {"floor": [*POSED.candidates, *others]})
    assert posed == [POSED]
    path = tmp_path / "rows.jsonl"
    run(rehearsal.judge, posed, path, Plan(workers=1))
    assert path.read_bytes() == rehearsal.path.read_bytes()


def test_a_record_of_other_samples_is_refused(rehearsal: Rehearsal):
    with pytest.raises(InputError, match='floor of the record has no candidate "2"'):
        again(rehearsal.rows, [TASK], {"floor": POSED.candidates[:2]})
    with pytest.raises(InputError, match="floor of the record is not there"):
        again(rehearsal.rows, [], {})


def test_transduction_mends_what_the_majority_gets_wrong(rehearsal: Rehearsal):
    [row] = rehearsal.rows
    assert scored("cott", row)["top1"] == 1.0
    assert scored("rstar", row)["top1"] == 0.0
    assert scored("true", row)["rho"] == 1.0
    assert scored("random", unstated(row))["top1"] == pytest.approx(1 / 3)


def test_the_threshold_decides_the_route(rehearsal: Rehearsal):
    [row] = rehearsal.rows
    never, always = Rule(tau=0.0), Rule(tau=1.01)
    assert [each.number for each in label("cott", row, never)] == [
        each.number for each in label("rstar", row)
    ]
    assert [each.number for each in label("cott", row, always)] == [
        each.number for each in label("tt", row)
    ]


def test_recorded_programs_need_no_model(rehearsal: Rehearsal, tmp_path: Path):
    model = ScriptedModel([])
    judge = replace(rehearsal.judge, model=model)
    plan = Plan((), "reference", {"floor": [RIGHT, RIGHT, TRUNCATES]}, 1)
    [row] = run(judge, [POSED], tmp_path / "rows.jsonl", plan)
    assert (model.prompts, row.model) == ([], None)
    assert {item.call for item in row.inputs} == {"find(7, 2)", "find(-7, 2)"}
    assert set(summary([row])["methods"]) == {"random", "rstar", "bound", "true"}
    assert "confidence" in figures([row])


def test_whom_tests_and_trust_choose_is_read_off_the_record(rehearsal: Rehearsal):
    model = Logistic(0.0, (Term("examples passed", 0.5, 0.5, 3.0),))
    known = Calibration("made up", dict.fromkeys(("behaviour", "tests"), model))
    found = choices(rehearsal.rows, [POSED], known)
    assert found["tests by"] == "cott"
    assert found["top1"]["tests"]["mean"] == 1.0
    assert found["top1"]["trust"]["mean"] == 0.5  # two pass the task's example
    assert found["minus tests"]["trust"]["mean"] == -0.5
    told = trust_tables.tables({"schema": CHOICES, "records": {"rehearsal": found}})["choices"]
    assert "| rehearsal | 1 |" in told


def test_what_voters_are_worth_is_shown_record_by_record(rehearsal: Rehearsal, tmp_path: Path):
    plan = Plan((), "reference", {"floor": [RIGHT, RIGHT, TRUNCATES]}, 1)
    found = voting(run(rehearsal.judge, [POSED], tmp_path / "rows.jsonl", plan))
    assert (found["tasks"], found["voters"], found["inputs"]) == (1, 3, 2)
    assert (found["gate_rate"], found["kept_right"], found["gated_right"]) == (0.5, 1.0, 1.0)
    assert found["top1"]["rstar"]["mean"] == 1.0
    [head, row] = voter_table({"three": found})
    assert len(head) == len(row)
    assert row[:4] == ("three", "3", "1", "2")


def test_every_table_and_figure_is_made_from_the_record_alone(rehearsal: Rehearsal):
    rows = read_rows(rehearsal.path)
    assert rows == rehearsal.rows
    page = digest_page(rows)
    assert all(name in page for name in ("CoTT (gate)", "SYNTRA", "Rescued by transduction"))
    drawn = figures(rows)
    assert set(drawn) == {"methods", "tau", "cost", "majorities", "confidence"}
    assert all(svg.startswith("<svg") for svg in drawn.values())


def test_the_evaluation_script_gets_a_row_for_every_candidate(rehearsal: Rehearsal):
    found = evaluation_rows(rehearsal.rows, "true")
    assert [row["rank"] for row in found] == [3, 1, 2]
    assert all({"dataset", "task_id", "average_test_score"} <= set(row) for row in found)
    with pytest.raises(UsageError, match="no method named"):
        evaluation_rows(rehearsal.rows, "magic")


def test_a_line_that_is_no_row_is_named(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"task_id": 3}\n')
    with pytest.raises(InputError, match="line 1"):
        read_rows(path)
    with pytest.raises(InputError, match="absent"):
        read_rows(tmp_path / "absent.jsonl")


def test_all_six_of_the_paper_are_there_between_chance_and_truth():
    assert list(METHODS) == [
        "random",
        "cot",
        "sol-ver",
        "syntra",
        "rstar",
        "tt",
        "cott",
        "bound",
        "true",
    ]


def unstated(row: TaskRow) -> TaskRow:
    """Return the row of a task that states no example."""
    return msgspec.structs.replace(row, given=())
