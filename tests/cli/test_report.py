"""The verb `report`: verdicts and records as pages, from files to a file or stdout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from report.verdicts import verdict

from consilience.cli import main

RECORD = Path(__file__).parents[2] / "bench" / "records" / "soak.json"


def kept(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_verdict_becomes_its_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = kept(tmp_path / "v.json", verdict(prompt="\ud800 is no letter"))
    assert main(["report", str(found), "-o", str(tmp_path / "out" / "v.html")]) == 0
    page = (tmp_path / "out" / "v.html").read_text(encoding="utf-8")
    assert "Trust right.py" in page
    assert "v.html" in capsys.readouterr().err


def test_several_verdicts_become_one_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    one = kept(tmp_path / "a.jsonl", verdict(), verdict(task="floor/2"))
    two = kept(tmp_path / "b.json", verdict(task="floor/3"))
    assert main(["report", str(one), str(two), "--title", "Mine"]) == 0
    page = capsys.readouterr().out
    assert "<h1>Mine" in page
    assert all(f"floor/{n}" in page for n in (1, 2, 3))


def test_the_agreement_is_measured_where_it_is_missing_and_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    found = str(kept(tmp_path / "v.json", verdict(entropy=None)))
    main(["report", found])
    assert "Do the candidates agree?" in capsys.readouterr().out
    main(["report", found, "--no-entropy"])
    assert "Do the candidates agree?" not in capsys.readouterr().out


def test_a_record_has_a_page_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["report", str(RECORD)]) == 0
    assert "<h1>soak</h1>" in capsys.readouterr().out
    assert main(["report", str(RECORD), str(RECORD)]) == 2
    assert "page of its own" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"schema": "other"}', "v.json:1: its schema is 'other'"),
        ("[1]", "not a JSON object"),
        ("", "hint"),
        ('{"schema": "consilience.verdict/1"}', "not a whole verdict"),
        ('{"a": 1}\n{"b', "v.json:2"),
    ],
)
def test_what_is_no_verdict_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, told: str
):
    path = tmp_path / "v.json"
    path.write_text(content, encoding="utf-8")
    assert main(["report", str(path)]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert "Traceback" not in said
