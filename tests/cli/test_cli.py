"""The command as a user meets it: results on stdout, one clear sentence where it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from consilience.cli import main

TASKS = [
    {
        "task_id": "own/1",
        "prompt": "def double(n: int) -> int:\n"
        '    """Return twice n.\n\n    >>> double(2)\n    4\n    """\n',
        "entry_point": "double",
    },
    {
        "task_id": "own/2",
        "prompt": 'def negate(n: int) -> int:\n    """Return minus n."""\n',
        "entry_point": "negate",
    },
]
SUITE_TEST = {
    "kind": "test",
    "args": ["t", 3],
    "origin": "seed",
    "expected": 6,
    "route": "inductive",
    "confidence": 1.0,
    "votes": 5,
    "total": 5,
    "alternatives": [],
    "reliable": True,
    "inductive_confidence": 1.0,
}


def lines(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return lines(tmp_path / "tasks.jsonl", TASKS)


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    rows = [
        {"task_id": "own/1", "solution": "def double(n):\n    return n ** 2"},
        {"task_id": "own/1", "solution": "def double(n):\n    return n + n"},
    ]
    return lines(tmp_path / "samples.jsonl", rows)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    task = {
        "kind": "task",
        "schema": "consilience/suite/1",
        "task_id": "own/1",
        "prompt": TASKS[0]["prompt"],
        "entry_point": "double",
        "examples": [],
        "metadata": {},
    }
    return lines(tmp_path / "suite.jsonl", [task, SUITE_TEST])


def fails(capsys: pytest.CaptureFixture[str], code: int, *words: object) -> tuple[str, str]:
    """Run a command that fails; return what it said and the hint."""
    assert main([str(word) for word in words]) == code
    caught = capsys.readouterr()
    assert "Traceback" not in caught.err
    said = caught.err.splitlines()
    return said[-2], said[-1]


def test_rank_prints_the_winner_without_any_model(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path, suite: Path
):
    assert main(["rank", str(tasks), str(samples), "--tests", str(suite)]) == 0
    assert "Trust sample 1." in capsys.readouterr().out


def test_json_is_one_document_a_task(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path, suite: Path
):
    main(["rank", str(tasks), str(samples), "--tests", str(suite), "--json"])
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["winner"]["label"] == "sample 1"


def test_a_broken_line_is_named_with_its_file_and_number(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path, suite: Path
):
    good = samples.read_text(encoding="utf-8")
    samples.write_text('{"task_id": "own/1", "solut\n' + good, encoding="utf-8")
    said, hint = fails(capsys, 2, "rank", tasks, samples, "--tests", suite)
    assert "samples.jsonl:1" in said
    assert hint.strip().startswith("hint:")


def test_an_unknown_task_id_in_the_samples_is_named(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path, suite: Path
):
    with samples.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"task_id": "own/9", "solution": "x = 1"}) + "\n")
    said, hint = fails(capsys, 2, "rank", tasks, samples, "--tests", suite)
    assert "samples.jsonl:3" in said
    assert "own/9" in said
    assert "own/" in hint


def test_an_unknown_task_id_on_the_command_line_gets_the_nearest_ones(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path, suite: Path
):
    said, hint = fails(capsys, 2, "rank", tasks, samples, "--tests", suite, "--only", "own/3")
    assert "own/3" in said
    assert "own/1" in hint


def test_an_empty_file_is_said_to_be_empty(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, samples: Path, suite: Path
):
    empty = tmp_path / "none.jsonl"
    empty.touch()
    said, hint = fails(capsys, 2, "rank", empty, samples, "--tests", suite)
    assert "none.jsonl" in said
    assert "empty" in hint


def test_a_file_that_is_not_there_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, samples: Path, suite: Path
):
    said, _ = fails(capsys, 2, "rank", tmp_path / "no.jsonl", samples, "--tests", suite)
    assert "no.jsonl" in said


def test_a_model_that_is_not_there_gets_the_ways_to_name_one(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    tasks: Path,
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    store = tmp_path / "store.sqlite"
    said, hint = fails(capsys, 1, "judge", tasks, "-m", "nosuch", "--store", store)
    assert "nosuch" in said
    assert "--base-url" in hint


def test_weights_that_are_not_here_get_the_command_that_fetches_them(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    tasks: Path,
):
    monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path / "cache"))
    said, hint = fails(capsys, 1, "judge", tasks)
    assert "qwen2.5-coder-0.5b-instruct" in said
    assert "consilience models pull" in hint


def test_a_server_that_does_not_answer_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, tasks: Path
):
    store = tmp_path / "store.sqlite"
    url = "http://127.0.0.1:9/v1"
    said, _ = fails(capsys, 1, "judge", tasks, "-m", "m", "--base-url", url, "--store", store)
    assert "127.0.0.1:9" in said


def test_a_foreign_file_is_refused_as_a_store_and_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine" * 100, encoding="utf-8")
    said, _ = fails(capsys, 1, "cache", "info", "--store", foreign)
    assert "notes.txt" in said
    assert foreign.read_text(encoding="utf-8") == "mine" * 100


@pytest.mark.parametrize(
    ("words", "told", "where"),
    [
        (["rank", "t.py", "a.py"], "consilience rank needs --tests.", "rank"),
        (
            ["entropy", "a", "b"],
            'consilience entropy does not know what to do with "b".',
            "entropy",
        ),
        (["judge", "--bogus", "3"], "Unknown option: --bogus.", "judge"),
        (["judge", "t.py", "--workers", "0"], "--workers. Must be >= 1.", "judge"),
        (["judge", "t.py", "--max-cost", "-1"], "--max-cost. Must be > 0.", "judge"),
        (["sample", "t.py", "-n", "0"], "-n. Must be >= 1.", "sample"),
    ],
)
def test_a_wrong_command_line_is_told_in_words(
    capsys: pytest.CaptureFixture[str], words: list[str], told: str, where: str
):
    said, hint = fails(capsys, 2, *words)
    assert told in said
    assert f"See consilience {where} --help." in hint


def test_a_setting_that_can_be_no_choice_is_refused(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path
):
    said, hint = fails(capsys, 2, "judge", tasks, samples, "--tau", "3", "--until", "text")
    assert "tau must be 0 to 1" in said
    assert "--tau" in hint


def test_a_place_that_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    taken = tmp_path / "taken"
    taken.write_text("a file, where a folder would have to be", encoding="utf-8")
    said, hint = fails(capsys, 1, "cache", "export", taken / "replies.jsonl")
    assert str(taken) in said
    assert "can be written" in hint


def test_errors_are_json_too_where_json_was_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, samples: Path, suite: Path
):
    missing = str(tmp_path / "no.jsonl")
    main(["rank", missing, str(samples), "--tests", str(suite), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "InputError"
    assert told["hint"]


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str], tasks: Path):
    assert main(["judge", str(tasks), "--nosuch"]) == 2
    assert "nosuch" in capsys.readouterr().err


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for verb in ("judge", "sample", "tests", "rank", "models", "doctor", "cache", "bench"):
        assert verb in shown


def test_a_verdict_does_not_wait_for_the_measurements():
    words = "from consilience.cli import main; main(['rank', '--help'])"
    asked = "import sys; print('consilience.bench.cott' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"{words}; {asked}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_the_registry_is_listed(capsys: pytest.CaptureFixture[str]):
    assert main(["models", "list", "--json"]) == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert "qwen2.5-coder-0.5b-instruct" in names
    assert "all-minilm-l6-v2" in names


def test_the_doctor_tells_of_every_layer(capsys: pytest.CaptureFixture[str]):
    assert main(["doctor", "--json"]) == 0
    layers = {row["layer"] for row in json.loads(capsys.readouterr().out)}
    assert {"seccomp", "rlimits", "no_new_privs"} <= layers


def test_samples_of_other_tasks_are_left_alone_where_one_was_chosen(
    capsys: pytest.CaptureFixture[str], tasks: Path, samples: Path, suite: Path
):
    with samples.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"task_id": "own/2", "solution": "def negate(n): return -n"}))
    words = [str(tasks), str(samples), "--tests", str(suite)]
    assert main(["rank", *words, "--only", "own/1"]) == 0
    assert main(["rank", *words, "--limit", "1"]) == 0
    assert capsys.readouterr().out.count("Trust sample 1.") == 2
