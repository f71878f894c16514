"""Samples of many models on public tasks, ten graded ones a task, with a hint of their truth.

The verdicts are those that came with the pools ("pool eval hints"), not our own runs.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import InputError

SAMPLES = 10


@dataclass(frozen=True, slots=True)
class PoolTask:
    """The samples of one task."""

    id: str
    samples: tuple[str, ...]
    passed: tuple[bool, ...]

    @property
    def pass_at_1(self) -> float:
        """Share of the samples that are right."""
        return sum(self.passed) / len(self.passed)


@dataclass(frozen=True, slots=True)
class Pool:
    """The tasks of one source of samples."""

    name: str
    tasks: tuple[PoolTask, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    file: str
    keep: Callable[[Mapping[str, Any]], bool]


_SOURCES = (
    _Source(
        "humaneval/codegen-16b",
        "humaneval_pool_open_licence.jsonl.gz",
        lambda row: row["source"] == "codet",
    ),
    _Source(
        "humaneval/chatgpt",
        "humaneval_pool_open_licence.jsonl.gz",
        lambda row: row["model"] == "ChatGPT",
    ),
    _Source(
        "humaneval/mixed",
        "humaneval_pool_open_licence.jsonl.gz",
        lambda row: row["source"] != "codet",
    ),
    _Source("mbpp+/mixed", "mbppplus_pool_open_licence.jsonl.gz", lambda _: True),
    _Source("bcb-hard/qwen2.5-7b", "bcb_hard_pool_apache.jsonl.gz", lambda _: True),
)
"""One model at T = .8; one model, several prompts; several models, one after the other; the
same on MBPP+; one model and its checkpoints."""


def pools(folder: Path) -> list[Pool]:
    """Read the pools in *folder*, every task with ten graded samples, the first ten of them.

    Raises:
        InputError: A file is not there.
    """
    return [
        Pool(source.name, tuple(_tasks(folder / source.file, source))) for source in _SOURCES
    ]


def _tasks(path: Path, source: _Source) -> Iterator[PoolTask]:
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in _rows(path):
        if source.keep(row) and _graded(row):
            by_task.setdefault(row["task_id"], []).append(row)
    for name, rows in by_task.items():
        first = _dealt(rows)[:SAMPLES]
        if len(first) == SAMPLES:
            yield PoolTask(
                name, tuple(row["solution"] for row in first), tuple(map(_passed, first))
            )


def _dealt(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Order rows model by model in turn, so that ten rows hold as many models as can be."""
    seen: dict[str, int] = {}
    turns: list[tuple[int, str, Mapping[str, Any]]] = []
    for row in rows:
        turn = seen[row["model"]] = seen.get(row["model"], -1) + 1
        turns.append((turn, row["model"], row))
    return [row for _, _, row in sorted(turns, key=lambda each: each[:2])]


def _graded(row: Mapping[str, Any]) -> bool:
    """Tell whether somebody ran the sample: what nobody ran is neither right nor wrong."""
    return "status" in row or bool(row.get("eval"))


def _passed(row: Mapping[str, Any]) -> bool:
    if "status" in row:
        return bool(row["status"] == "pass")
    verdict = row.get("eval") or {}
    return bool(verdict.get("base_pass") and verdict.get("sub_plus_pass"))


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    if not path.is_file():
        message = f"No pool at {path}."
        raise InputError(message, hint="Set CONSILIENCE_DATA to the data folder.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
