"""Files in and out: tasks, candidates and suites in the formats that the field uses.

`load_tasks` and `load_candidates` tell the format by the file itself. Whatever is wrong with a
file is one `InputError` that names file, line and field, with a hint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from consilience.errors import InputError
from consilience.formats import (
    belonging,
    bigcodebench,
    classeval,
    evalplus,
    humaneval,
    livecodebench,
    mbpp,
    module,
    samples,
    scoring_verifiers,
    source,
)
from consilience.formats.checkers import accepts
from consilience.formats.jsonl import Row, read_rows
from consilience.formats.shaped import names_target, shape_named
from consilience.task import Candidate, Shape, Task

__all__ = ["accepts", "load_candidates", "load_tasks"]

# By the field that only this format has, most telling first.
_FORMATS: tuple[tuple[str, str, Callable[[Row], Task]], ...] = (
    ("all_solutions", "scoring-verifiers", scoring_verifiers.read_task),
    ("complete_prompt", "bigcodebench", bigcodebench.read_task),
    ("plus_input", "evalplus", evalplus.read_task),
    ("test_list", "mbpp", mbpp.read_task),
    ("skeleton", "classeval", classeval.read_task),
    ("class_name", "classeval", classeval.read_task),
    ("question_content", "livecodebench", livecodebench.read_task),
    ("starter_code", "livecodebench", livecodebench.read_task),
    ("prompt", "humaneval", humaneval.read_task),
)


def load_tasks(
    path: str | Path,
    *,
    entry_point: str | None = None,
    shape: str | None = None,
    project: str | Path | None = None,
    python: str | Path | None = None,
) -> list[Task]:
    """Read the tasks of a file.

    JSON lines, plain or gzipped: HumanEval, HumanEval+, MBPP, MBPP+, BigCodeBench,
    Scoring-Verifiers, LiveCodeBench, ClassEval, or one's own with task_id, prompt and
    entry_point. Python: one task, the function with a docstring. Markdown or text: one task,
    the whole text. *entry_point* names what is to be written (`f`, `Solution.f`, `Stack`) and
    *shape* says what it is (function, method, class, stdin) where a file leaves that open.
    *project* is the folder that programs may import from, found by itself where a Python file
    imports from it; *python* the interpreter whose packages they may import.

    Each task's metadata says which file it came from (`file`, `sha256`, `format`), so results
    can be told apart by the release that was really used.
    """
    path = Path(path)
    _check_name(entry_point)
    origin = {"file": path.name, "sha256": _digest(path)}
    its_shape = shape_named(shape) if shape else None
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".py"]:
        tasks = [module.read_python(path, _text(path), entry_point, its_shape)]
    elif suffixes[-1:] in ([".md"], [".txt"]):
        tasks = [source.read_text(path, _text(path), entry_point, its_shape)]
    else:
        tasks = _from_rows(path, its_shape)
    own = (Path(folder) if folder else None for folder in (project, python))
    tasks = belonging.placed(path, tasks, *own)
    return [replace(task, metadata={**task.metadata, **origin}) for task in tasks]


def _check_name(entry_point: str | None) -> None:
    """Refuse what cannot be named in code: it is written into code, too."""
    if entry_point and not names_target(entry_point):
        message = f"{entry_point!r} is not the name of a function, a class or a method."
        raise InputError(message, hint="Such as f, Stack or Solution.f.")


def load_candidates(
    path: str | Path | Iterable[str | Path], tasks: Sequence[Task]
) -> dict[str, tuple[Candidate, ...]]:
    """Read candidates, by task id in the order of *tasks*.

    *path* is a file of samples (JSON lines with task_id and solution or completion, or
    Scoring-Verifiers), a folder (TASK_ID/0.py, or *.py for a single task), or Python files.
    """
    if not isinstance(path, str | Path):
        return samples.read_programs([Path(each) for each in path], tasks)
    path = Path(path)
    if path.is_dir():
        return samples.read_folder(path, tasks)
    if path.suffix.lower() == ".py":
        return samples.read_programs([path], tasks)
    return samples.read_samples(path, tasks)


def _from_rows(path: Path, shape: Shape | None) -> list[Task]:
    tasks: dict[str, Task] = {}
    for row in read_rows(path):
        task = _from_row(row, shape)
        if task.id in tasks:
            raise row.fault("task_id", f"repeats {task.id}", "Each task stands on one line.")
        tasks[task.id] = task
    if not tasks:
        message = f"{path.name}: no task in this file."
        raise InputError(message, hint="Is it empty?")
    return list(tasks.values())


def _from_row(row: Row, shape: Shape | None) -> Task:
    if "shape" not in row.fields and shape:
        row = replace(row, fields={**row.fields, "shape": shape})
    for field, name, read in _FORMATS:
        if field in row.fields:
            task = read(row)
            return replace(task, metadata={**task.metadata, "format": name})
    raise row.fault("prompt", "is missing")


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        message = f"{path}: {error.strerror}."
        raise InputError(message, hint="Is this the right path?") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path.name}: not UTF-8 text (byte {error.start})."
        raise InputError(message, hint="Save it as UTF-8.") from None
