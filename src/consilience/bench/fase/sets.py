"""The sample sets of the experiment: public pools and our own, with a verdict a sample.

A verdict is a letter of the grades' record (our sandbox on HumanEval+ inputs), or the status
that was recorded with a sample.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.bench.fase.grading import BASE, PLUS, UNKNOWN
from consilience.bench.pools import PoolTask
from consilience.errors import InputError

Row = Mapping[str, Any]
HUMANEVAL = "humaneval_pool_open_licence.jsonl.gz"
BIGCODEBENCH = "bcb_hard_pool_apache.jsonl.gz"
LIVE = {"coder": "fase-live-coder.jsonl.gz", "analyst": "fase-live-analyst.jsonl.gz"}


@dataclass(frozen=True, slots=True)
class Source:
    """Which samples of a file make a set."""

    name: str
    file: str
    about: str
    size: int
    """Samples a task; tasks with fewer are left out."""
    workflow: str = "coder"
    keep: Callable[[Row], bool] = lambda _: True


SOURCES = (
    Source(
        "codegen-16b x10",
        HUMANEVAL,
        "CodeGen 16B mono, T .8, the first ten",
        10,
        keep=lambda row: row["source"] == "codet",
    ),
    Source(
        "codegen-16b x100",
        HUMANEVAL,
        "CodeGen 16B mono, T .8, all hundred",
        100,
        keep=lambda row: row["source"] == "codet",
    ),
    Source(
        "chatgpt x10",
        HUMANEVAL,
        "ChatGPT by several prompts",
        10,
        keep=lambda row: row["model"] == "ChatGPT",
    ),
    Source(
        "qwen-coder x10",
        HUMANEVAL,
        "Qwen Coder Turbo and 480b, five prompts each",
        10,
        keep=lambda row: row["source"] == "mapcoder-repro",
    ),
    Source(
        "many models x10",
        HUMANEVAL,
        "ten samples of as many models as there are",
        10,
        keep=lambda row: row["source"] != "codet",
    ),
    Source(
        "bcb-hard x10", BIGCODEBENCH, "Qwen2.5-Coder 7B and RL checkpoints, recorded status", 10
    ),
    Source("live coder x10", LIVE["coder"], "Qwen2.5-Coder 0.5B, T .5, coder alone", 10),
    Source(
        "live analyst x10",
        LIVE["analyst"],
        "the same model and tasks, an analyst's account first",
        10,
        workflow="analyst",
    ),
)


@dataclass(frozen=True, slots=True)
class SampleSet:
    """The samples of a source with their verdicts."""

    source: Source
    labels: str
    """Where the verdicts come from."""
    tasks: tuple[PoolTask, ...]
    left_out: int
    """Tasks with too few samples, or with one that could not be graded."""


def read_sets(
    folders: Sequence[Path], grades: Mapping[str, Mapping[str, str]], names: Sequence[str] = ()
) -> Iterator[SampleSet]:
    """Read every set (or those called *names*) whose file is in one of *folders*.

    *grades* are, by file and task id, a letter a row of the file. A task with a sample that has
    neither a grade nor a recorded verdict is left out.
    """
    for source in SOURCES:
        path = next((d / source.file for d in folders if (d / source.file).is_file()), None)
        if path is not None and (not names or source.name in names):
            yield _read(path, source, grades.get(source.file, {}))


def _read(path: Path, source: Source, grades: Mapping[str, str]) -> SampleSet:
    tasks, left_out = [], 0
    for task_id, rows in by_task(read_rows(path)).items():
        letters = _grades(task_id, rows, grades)
        kept = [
            (row, _letter(row, letter))
            for row, letter in zip(rows, letters, strict=True)
            if source.keep(row)
        ]
        first = _dealt(kept)[: source.size]
        if len(first) < source.size or any(letter == UNKNOWN for _, letter in first):
            left_out += bool(kept)
            continue
        passed = tuple(letter == PLUS for _, letter in first)
        tasks.append(PoolTask(task_id, tuple(row["solution"] for row, _ in first), passed))
    labels = "our sandbox, HumanEval+ inputs" if grades else "recorded with the pool"
    return SampleSet(source, labels, tuple(tasks), left_out)


def _grades(
    task_id: str, rows: Sequence[Row], grades: Mapping[str, str]
) -> Sequence[str | None]:
    """Return the grade of each row; None where the task was not graded.

    Raises:
        InputError: there are not as many grades as rows.
    """
    found = grades.get(task_id)
    if found is not None and len(found) != len(rows):
        message = f"{task_id} has {len(rows)} samples and {len(found)} grades."
        raise InputError(message, hint="Grade the file anew: consilience bench fase grade.")
    return [None] * len(rows) if found is None else found


def _letter(row: Row, grade: str | None) -> str:
    """Return the grade, else the recorded verdict as a letter, else unknown."""
    recorded = _recorded(row)
    if grade is not None or recorded is None:
        return grade or UNKNOWN
    return PLUS if recorded else BASE


def _recorded(row: Row) -> bool | None:
    """Return the verdict that came with a row."""
    if "status" in row:
        return bool(row["status"] == "pass")
    return None


def by_task(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group rows by task, in the order of the file."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["task_id"], []).append(row)
    return found


def read_rows(path: Path) -> list[Row]:
    """Read JSON lines, gzipped.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except (OSError, ValueError) as error:
        message = f"{path}: not a readable file of samples ({error})."
        raise InputError(message, hint="Is it gzipped JSON lines?") from error


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write JSON lines, gzipped; the same rows give the same bytes."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def _dealt(rows: Sequence[tuple[Row, str]]) -> list[tuple[Row, str]]:
    """Order rows model by model in turn, so that ten rows hold as many models as can be."""
    seen: dict[str, int] = {}
    turns: list[tuple[int, str, int]] = []
    for place, (row, _) in enumerate(rows):
        model = str(row.get("model", ""))
        turn = seen[model] = seen.get(model, -1) + 1
        turns.append((turn, model, place))
    return [rows[place] for _, _, place in sorted(turns, key=lambda each: each[:2])]
