"""Candidates in files: samples as JSON lines, a folder of programs, single Python files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from consilience.errors import InputError
from consilience.formats import scoring_verifiers
from consilience.formats.jsonl import Row, append_rows, read_rows
from consilience.interfaces.registry import interface
from consilience.task import Candidate, Task

Candidates = dict[str, tuple[Candidate, ...]]


def read_samples(path: Path, tasks: Sequence[Task]) -> Candidates:
    """Read samples: `task_id` and a whole program as `solution`, or `completion` of the prompt.

    Or a whole `reply`. `label`, or `model` and `sample`, say how it is known. A torn last
    line, left by a crash, is skipped.
    """
    by_id = {task.id: task for task in tasks}
    found: dict[str, list[Candidate]] = {}
    for row in read_rows(path, forgive_torn_end=True):
        task = by_id.get(_task_id(row))
        if task is None:
            raise _unknown(row.place, _task_id(row), by_id)
        mine = found.setdefault(task.id, [])
        if "all_solutions" in row.fields:
            mine += [ranked.candidate for ranked in scoring_verifiers.read_ranked(row)]
            continue
        label = _label(row)
        for code in _programs(row, task):
            name = label or f"sample {len(mine)}"
            mine.append(Candidate(task.id, code, len(mine), name))
    return _in_order(found, tasks)


def read_texts(path: Path) -> dict[str, list[str]]:
    """Read programs alone, by task id, where no task file is at hand.

    Samples as JSON lines, or a folder of one task's .py files.
    """
    if path.is_dir():
        files = sorted(path.glob("*.py"), key=_natural)
        return (
            {path.name: [file.read_text(encoding="utf-8") for file in files]} if files else {}
        )
    found: dict[str, list[str]] = {}
    for row in read_rows(path, forgive_torn_end=True):
        field = "solution" if "solution" in row.fields else "completion"
        found.setdefault(_task_id(row), []).append(row.text(field))
    return found


def write_samples(path: Path, candidates: Iterable[Candidate]) -> None:
    """Append candidates as samples; safe after a crash."""
    append_rows(path, sample_rows(candidates))


def sample_rows(candidates: Iterable[Candidate]) -> Iterator[dict[str, str]]:
    """Give one row a candidate, as `read_samples` takes them."""
    for each in candidates:
        yield {"task_id": each.task_id, "solution": each.code, "label": each.label}


def read_folder(path: Path, tasks: Sequence[Task]) -> Candidates:
    """Read TASK_ID/0.py, with `/` in the id written as `_`; or, for a single task, *.py."""
    own = sorted(path.glob("*.py"), key=_natural)
    if own:
        return read_programs(own, tasks)
    by_folder = {task.id.replace("/", "_"): task for task in tasks}
    found: dict[str, list[Candidate]] = {}
    for folder in sorted(entry for entry in path.iterdir() if entry.is_dir()):
        task = by_folder.get(folder.name)
        if task is None:
            raise _unknown(str(folder), folder.name, by_folder)
        files = sorted(folder.glob("*.py"), key=_natural)
        found[task.id] = [_from_file(file, task, i) for i, file in enumerate(files)]
    if not any(found.values()):
        hint = "Expected TASK_ID/0.py, TASK_ID/1.py, ... or, for a single task, *.py."
        message = f"{path}: no Python file in this folder."
        raise InputError(message, hint=hint)
    return _in_order(found, tasks)


def read_programs(paths: Sequence[Path], tasks: Sequence[Task]) -> Candidates:
    """Read Python files as the candidates of the only task."""
    if len(tasks) != 1:
        hint = "Give one task, or put the programs of each task into a folder of its name."
        message = f"Whose candidate is {paths[0].name}? There are {len(tasks)} tasks."
        raise InputError(message, hint=hint)
    (task,) = tasks
    return {task.id: tuple(_from_file(path, task, i) for i, path in enumerate(paths))}


def program_of(text: str, task: Task) -> str:
    """Make a program of what a file calls a solution.

    A program that defines what is driven stays as it is, to the letter: its own definitions
    win over the context's. Otherwise the program is taken out of the text: a whole reply, or a
    body that completes the prompt. Text without either stays, to fail.
    """
    shape = interface(task)
    if shape.defines(task, text):
        return text
    found = shape.extract(task, text)
    return found.code if found.status == "ok" else text


def _task_id(row: Row) -> str:
    found = row.fields.get("task_id")
    return f"Mbpp/{found}" if type(found) is int else row.text("task_id")


def _label(row: Row) -> str:
    """Name a sample; whether it is right, where a file says so, is no business of a judge."""
    for field in ("label", "_identifier"):
        if isinstance(row.fields.get(field), str):
            return row.text(field)
    model, sample = row.fields.get("model"), row.fields.get("sample")
    # The records of the pools know their samples by number.
    if not isinstance(model, str) or not {"reply", "right"} & set(row.fields):
        return ""
    return f"{model} {sample}" if isinstance(sample, int | str) else model


def read_truths(path: Path, tasks: Sequence[Task]) -> dict[str, tuple[bool, ...]]:
    """Read which samples are right, by task id, in the order of `read_samples`.

    For scoring only, where a file has the verdicts of its benchmark in the field `right`.
    """
    found: dict[str, list[bool]] = {task.id: [] for task in tasks}
    for row in read_rows(path, forgive_torn_end=True):
        if isinstance(row.fields.get("right"), bool) and _task_id(row) in found:
            found[_task_id(row)].append(bool(row.fields["right"]))
    return {task_id: tuple(its) for task_id, its in found.items() if its}


def _programs(row: Row, task: Task) -> list[str]:
    solution = row.fields.get("solution")
    if isinstance(solution, list) and all(isinstance(code, str) for code in solution):
        return [program_of(code, task) for code in solution]
    if "solution" in row.fields:
        return [program_of(row.text("solution"), task)]
    if "reply" in row.fields:
        return [program_of(row.text("reply"), task)]
    if "completion" not in row.fields:
        raise row.fault("solution", 'is missing, and so is "completion"')
    completion = row.text("completion")
    found = interface(task).extract(task, completion)
    if found.status == "ok":
        return [found.code]
    return [task.prompt + completion if task.shape == "function" else completion]


def _from_file(path: Path, task: Task, index: int) -> Candidate:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read ({error})."
        raise InputError(message, hint="Is it a text file?") from None
    return Candidate(task.id, program_of(text, task), index, path.name)


def _natural(path: Path) -> tuple[int, str]:
    """Sort 2.py before 10.py."""
    return (int(path.stem) if path.stem.isdecimal() else -1, path.name)


def _in_order(found: Mapping[str, list[Candidate]], tasks: Sequence[Task]) -> Candidates:
    return {task.id: tuple(found[task.id]) for task in tasks if found.get(task.id)}


def _unknown(place: str, task_id: str, known: Mapping[str, Task]) -> InputError:
    nearest = difflib.get_close_matches(task_id, known, n=3, cutoff=0.5) or list(known)[:3]
    hint = f"Nearest of the {len(known)} task ids: {', '.join(nearest)}."
    return InputError(f'{place}: unknown task id "{task_id}".', hint=hint)
