"""What the document prints and shows comes from the committed record, byte for byte."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from consilience.bench.fase import EXPERIMENT
from consilience.bench.fase.figures import figures
from consilience.bench.fase.tables import fill, tables
from consilience.cli import main

ROOT = Path(__file__).parents[3]
RECORD = ROOT / "bench" / "records" / "fase-experiment.json"
DOCUMENT = ROOT / "docs" / "fase-experiment.md"
FIGURES = ROOT / "docs" / "figures"


@pytest.fixture(scope="module")
def record() -> dict:
    return json.loads(RECORD.read_text("utf-8"))


def test_the_tables_of_the_document_are_those_of_the_record(record: dict):
    document = DOCUMENT.read_text("utf-8")
    assert len(re.findall("<!-- table ", document)) >= 8
    assert fill(document, tables(record)) == document


def test_the_figures_beside_the_document_are_those_of_the_record(record: dict):
    drawn = figures(record)
    document = DOCUMENT.read_text("utf-8")
    for name, svg in drawn.items():
        assert (FIGURES / name).read_text("utf-8") == svg
        assert f"figures/{name}" in document


def test_one_command_writes_both_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    copy = tmp_path / "document.md"
    copy.write_text("<!-- table rho -->\n<!-- end -->\n", "utf-8")
    assert main(["bench", "fase", "tables", str(RECORD), "--into", str(copy)]) == 0
    assert "| textual |" in copy.read_text("utf-8")
    assert main(["bench", "fase", "tables", str(RECORD)]) == 0
    assert "| textual |" in capsys.readouterr().out
    assert main(["bench", "fase", "figures", str(RECORD), str(tmp_path)]) == 0
    assert (tmp_path / "fase-figure3.svg").exists()


def test_another_record_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    other = tmp_path / "other.json"
    other.write_text('{"schema": "other/1"}', "utf-8")
    assert main(["bench", "fase", "tables", str(other)]) == 2
    assert EXPERIMENT in capsys.readouterr().err
