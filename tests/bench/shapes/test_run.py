"""`bench shapes` over files of all four shapes: rows of figures, kept as they come."""

from __future__ import annotations

import json

import pytest
from shape_files import CLASS, PROGRAMS, TASKS, replies, stated, write

from consilience.bench.shapes import read_record
from consilience.cli import main


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Run the command once over tasks of three shapes, and once over a class."""
    folder = tmp_path_factory.mktemp("shapes")
    record = folder / "rows.jsonl"
    paths = write(folder, TASKS, stated())
    assert main(["bench", "shapes", *map(str, paths), "--out", str(record)]) == 0
    return paths, record


def test_every_task_has_a_row_with_its_truth_and_what_each_rule_made_of_it(ran):
    head, rows = read_record(ran[1])
    assert [row.task_id for row in rows] == list(PROGRAMS)
    assert [row.shape for row in rows] == ["script", "method", "function"]
    assert [row.difficulty for row in rows] == ["easy", "hard", ""]
    for row in rows:
        assert row.right == tuple(right for _, right in PROGRAMS[row.task_id])
        assert row.mixed
        assert row.examples == 1
        assert set(row.found) == {"behaviour"}
        assert len(row.passed) == len(row.majority) == len(row.right)
        assert row.found["behaviour"].seconds > 0
    assert rows[0].passed == (1.0, 1.0, 0.0, 1.0)
    assert head.machine["python"]
    assert (head.model, head.chosen) == ("", "all 3 tasks")


def test_no_statement_and_no_program_is_in_the_record(ran):
    record = ran[1].read_text()
    words = {"even", "largest", "sorted", "input(", "def ", "class ", "return", "print"}
    assert [word for word in words if word in record] == []


def test_a_killed_run_goes_on_and_runs_nothing_twice(ran, tmp_path, capsys):
    paths, record = ran
    whole = record.read_text().splitlines()
    torn = tmp_path / "rows.jsonl"
    torn.write_text("\n".join(whole[:2]) + "\n" + whole[2][:40])
    assert main(["bench", "shapes", *map(str, paths), "--out", str(torn)]) == 0
    told = capsys.readouterr().err
    assert "own/pairs" not in told
    assert "own/peak" in told
    assert torn.read_text().splitlines()[:2] == whole[:2]
    assert [row.task_id for row in read_record(torn)[1]] == list(PROGRAMS)


@pytest.mark.parametrize("other", [("--seed", "1"), ("--inputs", "7"), ("--most", "2")])
def test_the_record_of_another_run_is_not_touched(ran, capsys, other):
    paths, record = ran
    before = record.read_text()
    assert main(["bench", "shapes", *map(str, paths), "--out", str(record), *other]) == 2
    assert "another run" in capsys.readouterr().err
    assert record.read_text() == before


def test_only_so_many_are_drawn_by_the_seed(ran, tmp_path):
    found = []
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        record = tmp_path / f"{name}.jsonl"
        more = ["--out", str(record), "--most", "1", "--mixed", "--seed", seed]
        assert main(["bench", "shapes", *map(str, ran[0]), *more]) == 0
        head, rows = read_record(record)
        assert head.chosen == "1 of 3 mixed tasks"
        found.append([row.task_id for row in rows])
    assert found[0] == found[1] != found[2]


def test_classes_are_judged_beside_the_truth_of_their_tests(tmp_path, capsys):
    paths = write(tmp_path, [CLASS], replies())
    record, truth = tmp_path / "till.jsonl", tmp_path / "truth.jsonl"
    more = ["--out", str(record), "--truth", str(truth)]
    assert main(["bench", "shapes", *map(str, paths), *more]) == 0
    (row,) = read_record(record)[1]
    assert (row.shape, row.right) == ("class", (True, False, False, True))
    assert all(
        set(json.loads(line)) >= {"task_id", "right"} for line in truth.read_text().splitlines()
    )
    assert main(["bench", "shapes-table", str(record)]) == 0
    assert "| any of them, by lot | 50 [50, 50] |" in capsys.readouterr().out
