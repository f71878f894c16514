"""Scoring-Verifiers (HE-R, HE-R+, MBPP-R, MBPP-R+): tasks with ranked candidates.

The licence of the data allows research only, so it is read from a path that the user gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consilience.code import signature
from consilience.formats import evalplus
from consilience.formats.jsonl import Row
from consilience.task import Candidate, Task


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its true place, 1 being the best, and its true pass rate."""

    candidate: Candidate
    rank: int
    score: float


def read_task(row: Row) -> Task:
    """Read the task of one line."""
    return evalplus.read_task(row)


def read_ranked(row: Row) -> tuple[Ranked, ...]:
    """Read the ranked candidates of one line."""
    task_id, prompt = row.text("task_id"), row.text("prompt")
    entry_point = row.text("entry_point")
    ranked = []
    for i, solution in enumerate(row.items("all_solutions")):
        if not isinstance(solution, Mapping):
            raise row.fault("all_solutions", f"has no object at {i}")
        rank = solution.get("rank")
        if isinstance(rank, bool) or not isinstance(rank, int) or rank < 1:
            raise row.fault("all_solutions", f'has no "rank" of at least 1 at {i}')
        code = _code(row, i, solution.get("solution"))
        if (
            signature(code, entry_point) is None
        ):  # the reference of HumanEval may be a body alone
            code = prompt + code
        score = _score(row, i, solution)
        ranked.append(Ranked(Candidate(task_id, code, i, f"rank {rank}"), rank, score))
    return tuple(ranked)


def _code(row: Row, i: int, solution: Any) -> str:
    """Read the program, which copies of the data hold as text instead of an object."""
    if isinstance(solution, Mapping):
        solution = solution.get("canonical_solution", solution.get("solution"))
    if not isinstance(solution, str):
        raise row.fault("all_solutions", f'has no program in "solution" at {i}')
    return solution


def _score(row: Row, i: int, solution: Mapping[str, Any]) -> float:
    score = solution.get("average_test_score", solution.get("ground_average_test_score"))
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise row.fault("all_solutions", f'has no "average_test_score" at {i}')
    return float(score)
