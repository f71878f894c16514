"""A page of any record: intervals as whiskers, bins as a reliability diagram, text as text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.bench.page import is_record, record_page

RECORDS = sorted((Path(__file__).parents[2] / "bench" / "records").glob("*.json"))
INTERVAL = {"mean": 0.5, "low": 0.4, "high": 0.6, "tasks": 20}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_committed_record_has_a_page(path: Path):
    found = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(found, dict) and is_record(found):
        page = record_page(found, title=path.stem)
        assert f"<h1>{path.stem}</h1>" in page
        assert "</html>" in page


def test_an_interval_is_written_with_its_ends_and_its_size():
    page = record_page({"machine": {}, "top1": INTERVAL}, title="r")
    assert "0.5 [0.4, 0.6], n = 20" in page


def test_figures_with_intervals_in_several_rows_are_drawn():
    rows = {"ours": {"top1": INTERVAL}, "theirs": {"top1": INTERVAL | {"mean": 0.45}}}
    page = record_page({"benchmark": "b", "methods": rows}, title="r")
    assert 'aria-label="top1, mean with 95 % interval"' in page
    assert "<td>0.45 [0.4, 0.6], n = 20" in page


def test_bins_become_a_reliability_diagram():
    bins = [
        {"predicted": 0.1, "observed": 0.0, "low": 0.0, "high": 0.2, "count": 9},
        {"predicted": 0.9, "observed": 0.8, "count": 11},
    ]
    page = record_page({"benchmark": "b", "reliability": {"bins": bins}}, title="r")
    assert "reliability: predicted and observed" in page
    assert "were too sure" in page


def test_bins_and_curves_of_the_rows_of_a_table_are_drawn_below_it():
    bins = [{"count": 8, "mean": 0.2, "right": 0.25, "interval": [0.1, 0.5]}] * 2
    row = {"auc": 0.9, "bins": bins, "curve": [[0.1, 0.2], [0.5, 0.4], [1.0, 0.5]]}
    counted = {"auc": 0.8, "bins": [{"count": 10, "mean": 0.9, "right": 0.7}]}
    scores = {"share": row, "margin": counted}
    page = record_page({"benchmark": "b", "scores": scores}, title="r")
    assert "share: predicted and observed" in page
    assert "margin: predicted and observed" in page
    assert 'aria-label="share: curve"' in page
    assert "<td>0.9" in page


def test_pairs_become_a_line_and_long_tables_are_folded():
    pairs = [[x / 10, x / 20] for x in range(10)]
    rows = [{"task": f"t{n}", "score": n, "ok": n % 2 == 0} for n in range(500)]
    page = record_page({"benchmark": "b", "curve": pairs, "tasks": rows}, title="r")
    assert 'aria-label="curve"' in page
    assert "<summary>500 rows</summary>" in page
    assert "and 100 rows more" in page


def test_what_lies_deep_or_odd_is_still_shown():
    deep: dict[str, object] = {"a": {"b": {"c": {"d": {"e": {"f": {"g": [1, "x"]}}}}}}}
    page = record_page({"benchmark": "b", **deep, "words": ["one", None, 1.5]}, title="r")
    assert "&#39;g&#39;" in page
    assert "one, -, 1.5" in page


def test_text_of_a_record_stays_text():
    evil = "<script>alert(1)</script>\u202e\x00"
    found = {"benchmark": evil, evil: {evil: evil}, "rows": [{evil: evil}, {evil: INTERVAL}]}
    found["named"] = {evil: {"top1": INTERVAL}, "b": {"top1": INTERVAL}}
    found["bins"] = [{"predicted": 0.1, "observed": 0.2, "note": evil}]
    page = record_page(found, title=evil)
    assert "<script" not in page
    assert "\u202e" not in page
    assert "\x00" not in page


def test_a_verdict_is_no_record():
    assert not is_record({"schema": "consilience.verdict/1"})
    assert is_record({"schema": "consilience.bench.live/1"})
