"""The docs print the records that are there, and nothing where there is none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from test_summary import ROWS

from consilience.bench.shapes import Head, read_record
from consilience.bench.shapes.page import TITLES, measured
from consilience.errors import InputError
from consilience.formats.jsonl import append_rows

RECORDS = Path(__file__).parents[3] / "bench" / "records"
HEAD = Head(
    "tasks.jsonl 0f",
    "samples.jsonl 1a",
    "",
    {"preset": "standard", "seed": 0},
    "all 4 tasks",
    {"processor": "abacus", "python": "3.12"},
    {"own/x": "no docx"},
)


def keep(folder, name):
    append_rows(folder / name, map(msgspec.to_builtins, [HEAD, *ROWS]))


def test_without_records_nothing_is_printed(tmp_path):
    assert measured(tmp_path) == ""


def test_every_record_has_a_section_that_says_where_it_comes_from(tmp_path):
    keep(tmp_path, "shapes-stdin.jsonl")
    keep(tmp_path, "shapes-other.jsonl")
    page = measured(tmp_path)
    assert page.index(TITLES["shapes-stdin"]) < page.index("### shapes-other")
    assert "all 4 tasks; preset standard, seed 0, no model; abacus, Python 3.12." in page
    assert "1 tasks have no truth here: own/x (no docx)." in page
    assert "Not judged: 1 load_raised NameError." in page
    assert "\n| easy | 1 |" in page


def test_what_is_no_record_is_one_sentence(tmp_path):
    (tmp_path / "shapes-bad.jsonl").write_text('{"task_id": "x"}\n')
    with pytest.raises(InputError, match="its schema is None"):
        measured(tmp_path)
    (tmp_path / "shapes-bad.jsonl").write_text(
        '{"schema": "consilience.bench.shapes/1"}\n{"task_id": 1}\n'
    )
    with pytest.raises(InputError):
        measured(tmp_path)


@pytest.mark.parametrize("path", sorted(RECORDS.glob("shapes-*")), ids=lambda path: path.name)
def test_a_committed_record_holds_figures_and_no_text(path):
    head, rows = read_record(path)
    assert rows, head
    for row in rows:
        texts = [
            row.task_id,
            row.shape,
            row.difficulty,
            *(f.reason for f in row.found.values()),
        ]
        assert max(map(len, texts)) < 60
        assert "\n" not in "".join(texts)
        for found in row.found.values():
            assert not found.scores or len(found.scores) == len(row.right)
