"""The README's figures are those of the committed records."""

from __future__ import annotations

import json
from pathlib import Path

from consilience.bench.tables import label_table, live_table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def record(name: str) -> dict[str, object]:
    return json.loads((ROOT / "bench" / "records" / name).read_text(encoding="utf-8"))


def test_the_tables_of_judge_are_rebuilt_from_the_record():
    found = record("judge-humaneval.json")
    assert live_table(found) in README
    assert label_table(found) in README


def test_the_figures_of_extraction_are_those_of_the_record():
    found = record("extraction.json")
    assert f"{found['samples']:,} real solutions" in README
    assert f"{found['left_out']:,} were left out" in README
    assert f"{found['subset']['distinct']:,} distinct" in README
    assert sum(way["different"] for way in found["ways"].values()) == 0
