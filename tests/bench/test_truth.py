"""Verdicts beside the truth: who was right, and how often what was stated came true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from report.verdicts import CODES, verdict, with_trust

from consilience.bench.truth import beside, measure
from consilience.cli import main
from consilience.errors import UsageError
from consilience.report.reading import shown
from consilience.sandbox.pool import ForkServer
from consilience.task import Reference, Task

INPUTS = [(7, 2), (9, 2), (-7, 2), (10, -2), (-9, 44)]
TASK = Task("floor/1", "", "find", reference=Reference(CODES[0], tuple(INPUTS), len(INPUTS)))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def test_each_candidate_is_run_on_the_inputs_of_the_reference(sandbox: ForkServer):
    found = measure(shown(with_trust()), TASK, sandbox)
    assert [float(share or 0) for share in found.truth] == [1.0, 0.6, 0.6, 0.8]


def test_figures_have_intervals_and_statements_have_bins(sandbox: ForkServer):
    found = beside([measure(shown(with_trust()), TASK, sandbox)])
    assert found["the chosen one is right"]["mean"] == 1.0
    assert found["one drawn at random is right"]["mean"] == 0.25
    assert found["any one is right"]["mean"] == 1.0
    assert found["trust"]["cases"] == 4
    assert found["share of tests passed"]["cases"] == 4


def test_of_those_that_lead_alike_one_is_drawn_by_lot(sandbox: ForkServer):
    tie = verdict(winner=None, deciding=[])
    for row in tie["ranking"][:2]:
        row["rank"] = 1.5
    found = beside([measure(shown(tie), TASK, sandbox)])
    assert found["the chosen one is right"]["mean"] == 0.5
    assert found["rho"]["tasks"] == 1
    assert "trust" not in found


def test_without_a_reference_or_programs_there_is_no_truth(sandbox: ForkServer):
    with pytest.raises(UsageError, match="no reference"):
        measure(shown(verdict()), Task("floor/1", "", "find"), sandbox)
    with pytest.raises(UsageError, match="no program"):
        measure(shown(verdict(candidates=[])), TASK, sandbox)


def test_the_command_puts_the_truth_on_the_page_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    run, tasks = tmp_path / "run.jsonl", tmp_path / "tasks.jsonl"
    run.write_text(json.dumps(with_trust()) + "\n", encoding="utf-8")
    row = {
        "task_id": "floor/1",
        "prompt": 'def find(a, b):\n    """Divide."""\n',
        "entry_point": "find",
        "canonical_solution": "    return a // b\n",
        "base_input": INPUTS,
        "plus_input": [],
    }
    tasks.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["report", str(run), "--truth", str(tasks)]) == 0
    page = capsys.readouterr().out
    assert "Beside the truth" in page
    assert "trust: predicted and observed" in page
    assert "bins: predicted and observed" not in page
    assert "the chosen one is right" in page
    other = with_trust() | {"task": "other"}
    run.write_text(json.dumps(other) + "\n", encoding="utf-8")
    assert main(["report", str(run), "--truth", str(tasks)]) == 2
    assert "none of the tasks" in capsys.readouterr().err
