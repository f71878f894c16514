"""Trust on the command line: levels, exit codes, and coefficients of one's own."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from consilience.cli import main

TASK = '''def double(n: int) -> int:
    """Return twice n.

    >>> double(2)
    4
    >>> double(-3)
    -6
    """
'''
PROGRAMS = ["return n ** 2", "return n + n", "return 2 * n"]


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    task = tmp_path / "double.py"
    task.write_text(TASK, encoding="utf-8")
    for place, line in enumerate(PROGRAMS):
        (tmp_path / f"p{place}").mkdir()
        (tmp_path / f"p{place}" / f"{place}.py").write_text(f"def double(n):\n    {line}\n")
    samples = [str(tmp_path / f"p{place}" / f"{place}.py") for place in range(3)]
    return ["judge", str(task), *samples, "--until", "behaviour", "--preset", "economy"]


def labelled(path: Path, tasks: int, **changes: object) -> Path:
    """Write verdicts in which agreement goes with being right, but not always."""
    rng = random.Random(0)
    rows = []
    for number in range(tasks):
        right = [rng.random() < 0.6 for _ in range(4)]
        evidence = [{"agreement": 0.8 * ok + 0.3 * rng.random(), "parses": 1.0} for ok in right]
        trust = {"stage": "behaviour", "evidence": evidence}
        rows.append({"task": f"t{number}", "trust": trust, "right": right, **changes})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_judging_by_behaviour_needs_no_model_and_tells_trust(
    words: list[str], capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--json", "--quiet"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert [row["label"] for row in verdict["ranking"][:2]] == ["1.py", "2.py"]
    assert [row["rank"] for row in verdict["ranking"]] == [1.5, 1.5, 3]  # two do the same
    assert verdict["course"]["stopped"] == "behaviour"
    assert verdict["course"]["ahead"]["stage"] == "tests"
    assert 0 < verdict["trust"]["value"] < 1
    assert len(verdict["trust"]["probabilities"]) == 3
    assert verdict["cost"]["completion_tokens"] == 0


def test_trust_below_the_bar_has_an_exit_code_of_its_own(
    words: list[str], capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--quiet", "--fail-under", "0.9999", "--level", "0.9999"]) == 3
    caught = capsys.readouterr()
    assert "Abstain" in caught.out
    assert "trust is below 0.9999 in 1 of 1 tasks: double" in caught.err
    assert main([*words, "--quiet", "--fail-under", "0.0"]) == 0


def test_a_level_that_is_no_probability_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--level", "90"]) == 2
    assert "probability" in capsys.readouterr().err


def test_own_coefficients_are_fitted_and_used(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    own = tmp_path / "out" / "mine.json"
    path = labelled(tmp_path / "labelled.jsonl", 30)
    assert main(["calibrate", str(path), "-o", str(own)]) == 0
    told = capsys.readouterr().err
    assert "behaviour: 30 choices on tasks left out" in told
    assert "tests: 0 verdicts" in told
    assert main([*words, "--json", "--quiet", "--calibration", str(own)]) == 0
    found = json.loads(capsys.readouterr().out)["trust"]
    assert found["calibration"].endswith("labelled.jsonl (30 verdicts)")
    assert main(["calibrate", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(own.read_text())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"right": [True]}, "one entry a candidate"),
        ({"right": "yes"}, 'no list "right"'),
        ({"trust": None}, 'no "trust"'),
    ],
)
def test_a_line_that_is_no_labelled_verdict_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], told: str
):
    path = labelled(tmp_path / "labelled.jsonl", 2, **changes)
    assert main(["calibrate", str(path)]) == 2
    caught = capsys.readouterr().err
    assert told in caught
    assert "labelled.jsonl:1" in caught


def test_too_few_tasks_are_no_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["calibrate", str(labelled(tmp_path / "few.jsonl", 5))]) == 2
    assert "fewer than 20 tasks" in capsys.readouterr().err
