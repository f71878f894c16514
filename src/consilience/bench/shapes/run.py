"""Run `bench shapes` over two files: rows kept as they come, a stopped run goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from consilience.bench.machine import machine
from consilience.bench.shapes import Head, ShapeRow, read_record
from consilience.bench.shapes.trial import Trial
from consilience.bench.shapes.truths import Truths
from consilience.errors import InputError
from consilience.formats.jsonl import append_rows
from consilience.task import Candidate, Task

Progress = Callable[[ShapeRow, int, int], None]


@dataclass(frozen=True, slots=True)
class Posed:
    """A task, its candidates, and which of them are right."""

    task: Task
    candidates: Sequence[Candidate]
    right: tuple[bool, ...]

    @property
    def mixed(self) -> bool:
        """Tell whether there is something to choose."""
        return len(set(self.right)) == 2


def posed(
    tasks: Sequence[Task], candidates: Mapping[str, Sequence[Candidate]], truths: Truths
) -> list[Posed]:
    """Put the tasks together that have candidates and truth, in the order of the file."""
    known = [task for task in tasks if candidates.get(task.id) and task.id in truths]
    return [Posed(task, candidates[task.id], truths[task.id]) for task in known]


def choose(
    found: Sequence[Posed], *, most: int | None, mixed: bool, seed: int
) -> tuple[list[Posed], str]:
    """Choose at random *most* of the tasks, or of the mixed ones; say which were chosen."""
    among = [each for each in found if each.mixed] if mixed else list(found)
    kind = "mixed tasks" if mixed else "tasks"
    if most is None or most >= len(among):
        return among, f"all {len(among)} {kind}"
    drawn = set(np.random.default_rng(seed).permutation(len(among))[:most].tolist())
    chosen = [each for place, each in enumerate(among) if place in drawn]
    return chosen, f"{most} of {len(among)} {kind}"


def run(
    trial: Trial,
    chosen: Sequence[Posed],
    head: Head,
    output: Path,
    done: Progress = lambda row, count, total: None,
) -> list[ShapeRow]:
    """Judge what *output* does not hold yet, and append it there task by task.

    Raises:
        InputError: *output* is the record of another run.
    """
    known = _earlier(head, output)
    for each in chosen:
        if each.task.id not in known:
            row = trial.row(each.task, each.candidates, each.right)
            append_rows(output, [msgspec.to_builtins(row)])
            known[row.task_id] = row
            done(row, len(known), len(chosen))
    return list(known.values())


def head_of(
    trial: Trial, tasks: Sequence[Task], samples: Path, chosen: str, left_out: Mapping[str, str]
) -> Head:
    """Describe a run: the files by name and digest, the model, the machine."""
    metadata = tasks[0].metadata
    return Head(
        f"{metadata['file']} {metadata['sha256'][:16]}",
        f"{samples.name} {digest(samples)[:16]}",
        trial.judge.model.name if trial.judge else "",
        msgspec.to_builtins(trial.settings),
        chosen,
        machine(),
        dict(left_out),
    )


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, which is known to be readable."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _earlier(head: Head, output: Path) -> dict[str, ShapeRow]:
    if not output.exists() or not output.stat().st_size:
        append_rows(output, [msgspec.to_builtins(head)])
        return {}
    written, rows = read_record(output)
    if not head.same_run(written):
        message = f"{output} is the record of another run ({written.tasks}, {written.chosen})."
        raise InputError(message, hint="Name another file with --output, or remove this one.")
    return {row.task_id: row for row in rows}
