"""A newcomer's walk: an own task, own candidates, and a server that speaks the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.bench.chat_server import ChatServer
from consilience.cli import main

TASK = 'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n'
RIGHT = "def find(a, b):\n    return a // b\n"
TRUNCATES = "def find(a, b):\n    return int(a / b)\n"
CALLS = [(10, -2), (9, 2), (-7, 2), (1, 3), (8, 3), (-9, 4)]


def say(prompt: str, seed: int) -> str:
    if "assert" in prompt:
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in CALLS)
    return f"```python\n{RIGHT}```"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ChatServer(say) as server:
        yield server.url


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "find.py"
    path.write_text(TASK, encoding="utf-8")
    return path


@pytest.fixture
def engine(url: str, tmp_path: Path) -> list[str]:
    store = str(tmp_path / "store.sqlite")
    return ["--base-url", url, "-m", "stub", "--preset", "economy", "--store", store]


@pytest.fixture
def programs(tmp_path: Path) -> list[str]:
    written = {"careless.py": TRUNCATES, "right.py": RIGHT}
    for name, code in written.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    return [str(tmp_path / name) for name in written]


def test_judge_names_the_winner_and_writes_report_and_tests(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    task: Path,
    programs: list[str],
    engine: list[str],
):
    report, tests = tmp_path / "out" / "report.html", tmp_path / "out" / "test_find.py"
    words = ["judge", str(task), *programs, *engine, "--html", str(report)]
    assert main([*words, "--pytest", str(tests)]) == 0
    caught = capsys.readouterr()
    assert "Trust right.py." in caught.out
    assert "[1/1] find: right.py" in caught.err
    assert "Trust right.py" in report.read_text(encoding="utf-8")
    compile(tests.read_text(encoding="utf-8"), "test_find.py", "exec")


def test_judge_draws_candidates_itself_where_none_are_given(
    capsys: pytest.CaptureFixture[str], task: Path, engine: list[str]
):
    assert main(["judge", str(task), *engine, "-n", "2", "--json", "--quiet"]) == 0
    caught = capsys.readouterr()
    verdict = json.loads(caught.out)
    assert [row["label"] for row in verdict["ranking"]] == ["stub#0", "stub#1"]
    assert verdict["winner"] is None
    assert "tie" in verdict["reason"]
    assert caught.err == ""


def test_samples_tests_and_rank_work_from_file_to_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, task: Path, engine: list[str]
):
    samples, suite = tmp_path / "samples.jsonl", tmp_path / "suite.jsonl"
    assert main(["sample", str(task), "-o", str(samples), "-n", "3", *engine]) == 0
    assert len(samples.read_text(encoding="utf-8").splitlines()) == 3
    assert main(["tests", str(task), "-o", str(suite), *engine]) == 0
    wrong = {"task_id": "find", "solution": TRUNCATES, "label": "wrong"}
    right = {"task_id": "find", "solution": RIGHT, "label": "right"}
    samples.write_text(f"{json.dumps(wrong)}\n{json.dumps(right)}\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["rank", str(task), str(samples), "--tests", str(suite)]) == 0
    assert "Trust right." in capsys.readouterr().out


def test_tests_go_to_stdout_where_no_file_is_named(
    capsys: pytest.CaptureFixture[str], task: Path, engine: list[str]
):
    assert main(["tests", str(task), *engine, "--quiet"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["kind"] == "task"
    assert {row["kind"] for row in rows[1:]} <= {"test", "dropped"}


def test_a_pytest_file_holds_one_task(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, engine: list[str]
):
    rows = [{"task_id": f"own/{n}", "prompt": TASK, "entry_point": "find"} for n in (1, 2)]
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["tests", str(path), "-o", str(tmp_path / "t.py"), *engine]) == 2
    assert "--only" in capsys.readouterr().err


def test_the_store_is_told_of_and_cleared(
    capsys: pytest.CaptureFixture[str], task: Path, engine: list[str]
):
    store = engine[-1]
    main(["sample", str(task), "-n", "2", *engine, "--quiet"])
    capsys.readouterr()
    assert main(["cache", "info", "--store", store, "--json"]) == 0
    [held] = json.loads(capsys.readouterr().out)["holdings"]
    assert (held["kind"], held["count"]) == ("reply", 2)
    assert main(["cache", "clear", "--store", store]) == 0
    assert "2 entries deleted" in capsys.readouterr().out


def test_entropy_needs_no_task_and_no_model(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    codes = [RIGHT, RIGHT, TRUNCATES]
    rows = [{"task_id": "t", "solution": code} for code in codes]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pictures = tmp_path / "pictures"
    words = ["entropy", str(path), "--measure", "fase,textual", "--picture", str(pictures)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [len(each["classes"]) for each in told["entropies"]] == [2, 2]
    assert (pictures / "t.svg").read_text(encoding="utf-8").startswith("<svg")


def test_entropy_of_an_empty_file_is_an_input_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    path = tmp_path / "none.jsonl"
    path.touch()
    assert main(["entropy", str(path)]) == 2
    assert "none.jsonl" in capsys.readouterr().err
