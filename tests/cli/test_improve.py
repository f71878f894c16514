"""`consilience improve` with a scripted model in the place of a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.cli import main, options
from consilience.models.scripted import ScriptedModel

TASK = (
    'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down.\n\n'
    '    >>> find(-7, 2)\n    -4\n    """\n'
)
RIGHT = "def find(a, b):\n    return a // b\n"
TRUNCATES = "def find(a, b):\n    return int(a / b)\n"
CALLS = [(10, -2), (9, 2), (-7, 2), (1, 3), (8, 3), (-9, 4)]


def answer(prompt: str, _index: int) -> str:
    if "assert" in prompt:
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in CALLS)
    return f"```python\n{RIGHT}```"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    scripted = ScriptedModel(answer)
    monkeypatch.setattr(options, "open_model", lambda *_: scripted)
    return scripted


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "find.py").write_text(TASK)
    (tmp_path / "mine.py").write_text(TRUNCATES)
    (tmp_path / "good.py").write_text(RIGHT)
    return tmp_path


def run(files: Path, *words: str) -> int:
    flags = ["--preset", "economy", "--n-inductive", "4", "--inputs", "6", "-n", "2"]
    return main(["improve", str(files / "find.py"), *words, *flags])


def test_the_repaired_program_is_shown_and_written(files, model, capsys):
    store, out = ["--store", str(files / "s.sqlite")], files / "out" / "best.py"
    assert run(files, str(files / "mine.py"), "-o", str(out), *store) == 0
    assert out.read_text().strip() == RIGHT.strip()
    shown = capsys.readouterr().out
    assert "mine.py is repaired" in shown
    assert "find(-7, 2) should be -4  [given by the task]" in shown


def test_several_programs_become_samples_and_json_lines(files, model, capsys):
    out, store = files / "best.jsonl", ["--store", str(files / "s.sqlite"), "--workers", "1"]
    programs = [str(files / "mine.py"), str(files / "good.py")]
    assert run(files, *programs, "--json", "-q", "-o", str(out), *store) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["improved"]
    assert first["program"].strip() == RIGHT.strip()
    assert second["reason"] == "the program fails no reliable test"
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["solution"].strip() for row in rows] == [RIGHT.strip()] * 2


def test_a_suite_at_hand_is_used_and_nothing_but_repairs_is_asked(files, model, capsys):
    suite, store = files / "suite.jsonl", ["--store", str(files / "s.sqlite")]
    flags = ["--preset", "economy", "--n-inductive", "4", "--inputs", "6", "-q"]
    assert main(["tests", str(files / "find.py"), "-o", str(suite), *flags, *store]) == 0
    asked = len(model.prompts)
    assert run(files, str(files / "mine.py"), "--tests", str(suite), "-q", *store) == 0
    assert all("It is wrong on these calls" in prompt for prompt in model.prompts[asked:])


def test_what_makes_no_sense_is_one_sentence(files, model, capsys):
    store = ["--store", str(files / "s.sqlite")]
    both = [str(files / "mine.py"), str(files / "good.py")]
    assert run(files, *both, "-o", str(files / "x.py"), *store) == 2
    assert "A .py file holds one program" in capsys.readouterr().err
    other = files / "other.py"
    other.write_text('def other(a):\n    """Return a."""\n')
    suite = files / "suite.jsonl"
    flags = ["--preset", "economy", "--n-inductive", "2", "-q"]
    assert main(["tests", str(other), "-o", str(suite), *flags, *store]) == 0
    assert run(files, both[0], "--tests", str(suite), *store) == 2
    assert "has no tests for find" in capsys.readouterr().err
