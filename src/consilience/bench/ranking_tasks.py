"""Build reranking tasks: a few candidates of one task, spread in true quality.

After the construction of the Scoring-Verifiers benchmarks (Ficek et al. 2025), from any samples
and a reference suite: score every sample against the reference, drop those that fail on every
input, keep one a distinct score, choose at most five evenly spaced. The truth is only for
measuring rerankers; no reranker sees it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from consilience.code import normalise
from consilience.errors import InputError, SandboxError
from consilience.formats import accepts
from consilience.ranking import PassMatrix, average_ranks
from consilience.ranking.matrix import Checker
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.task import Candidate, Reference, Task, TestCase, TestInput, TestSuite

FEWEST, MOST = 2, 5
"""Candidates of one task."""
INPUT_CAP = 100
"""Reference inputs that the truth is measured on; the base inputs come first."""
TOTAL_SECONDS = 5.0
"""Time of one program on all inputs; one that needs more is left out, not scored."""
DIGITS = 2
"""Decimals to which scores must differ, as in the published files."""


@dataclass(frozen=True, slots=True)
class RankingTask:
    """Candidates of one task with the truth about them."""

    task: Task
    candidates: tuple[Candidate, ...]
    """In an order that tells nothing about their quality."""
    truth: tuple[Fraction, ...]
    """The share of the reference inputs that each candidate gets right."""
    inputs: int
    """How many reference inputs the truth rests on."""
    inputs_available: int
    """How many there are; larger than `inputs` where they were capped or unusable."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Samples that became no candidate, counted by reason."""

    @property
    def ranks(self) -> tuple[float, ...]:
        """The true ranks, 1 for the best."""
        return tuple(rank for rank in average_ranks(self.truth) if rank is not None)

    def row(self) -> dict[str, Any]:
        """Return the task as a line of a Scoring-Verifiers file."""
        order = sorted(range(len(self.candidates)), key=lambda place: self.ranks[place])
        return {
            "task_id": self.task.id,
            "prompt": self.task.prompt,
            "entry_point": self.task.entry_point,
            "all_solutions": [
                {
                    "rank": rank,
                    "average_test_score": round(float(self.truth[place]), DIGITS),
                    "solution": {"canonical_solution": self.candidates[place].code},
                }
                for rank, place in enumerate(order, start=1)
            ],
        }


def five_of_spread(
    task: Task,
    samples: Sequence[Candidate],
    sandbox: Sandbox,
    *,
    cap: int = INPUT_CAP,
    canonical: bool = False,
) -> RankingTask:
    """Choose at most five of *samples*, evenly spread in true pass rate.

    Args:
        task: with a reference; its solution labels the inputs, in the sandbox like all else,
            and its rule compares the outputs.
        samples: programs that claim to solve it; equal ones are run once, by the first.
        sandbox: where they run.
        cap: how many reference inputs to use; base inputs first, then evenly over the rest.
        canonical: make the reference solution the one right candidate, as published files do.

    Raises:
        InputError: the task has no reference, or its solution gives no output on any input.
    """
    reference = task.reference
    if reference is None:
        message = f"Task {task.id} has no reference to measure candidates against."
        raise InputError(message, hint="Use a dataset with solutions, such as HumanEval+.")
    suite, limits = label(task, reference, sandbox, cap)
    unique = _distinct(samples)
    inputs = [test.input.args for test in suite.tests]
    rows = sandbox.run([c.code for c in unique], task.entry_point, inputs, limits)
    matrix = PassMatrix.build(unique, rows, suite, _checker(reference))
    scores, left_out = _scores(matrix, rows)
    left_out["the same program as another"] = len(samples) - len(unique)
    picked = {unique[place]: scores[place] for place in spread(scores, canonical=canonical)}
    left_out["not needed for the spread"] = len(scores) - len(picked)
    if canonical:
        truth = Candidate(task.id, reference.solution, label="canonical")
        picked = {truth: Fraction(1), **picked}
    return _finish(suite, picked, len(reference.inputs), left_out)


def build(
    tasks: Iterable[Task],
    samples: Mapping[str, Sequence[Candidate]],
    sandbox: Sandbox,
    *,
    fewest: int = FEWEST,
    canonical: bool = True,
) -> list[RankingTask]:
    """Build a reranking task of each task with at least *fewest* candidates."""
    built = [
        five_of_spread(task, samples[task.id], sandbox, canonical=canonical)
        for task in tasks
        if samples.get(task.id)
    ]
    return [ranking_task for ranking_task in built if len(ranking_task.candidates) >= fewest]


def label(
    task: Task, reference: Reference, sandbox: Sandbox, cap: int = INPUT_CAP
) -> tuple[TestSuite, Limits]:
    """Run the reference solution on at most *cap* inputs: the true tests, and fair limits.

    Inputs on which it gives no output are no tests. A candidate may use ten times the CPU time
    of the reference's slowest call, and at least a quarter of a second, so that the truth does
    not depend on this machine's speed.
    """
    inputs = capped(reference, cap)
    (outcomes,) = sandbox.run([reference.solution], task.entry_point, inputs)
    if any(outcome.status == "infrastructure" for outcome in outcomes):
        raise SandboxError("The sandbox failed on the reference solution.")
    tests = [
        TestCase(TestInput(args), outcome.value, "reference", 1.0)
        for args, outcome in zip(inputs, outcomes, strict=True)
        if outcome.ok and outcome.value is not None
    ]
    if not tests:
        message = f"The reference solution of {task.id} gives no output on any input."
        raise InputError(
            message, hint=f"First outcome: {outcomes[0].status if outcomes else '-'}."
        )
    slowest = max(outcome.micros for outcome in outcomes if outcome.ok) / 1e6
    return TestSuite(task, tuple(tests)), Limits(
        cpu_seconds=max(0.25, 10 * slowest), total_seconds=TOTAL_SECONDS
    )


def capped(reference: Reference, cap: int) -> list[tuple[Any, ...]]:
    """Return at most *cap* inputs: the base inputs, then evenly spaced ones of the others."""
    base = list(reference.inputs[: reference.base_count])[:cap]
    rest = reference.inputs[reference.base_count :]
    room = min(cap - len(base), len(rest))
    return base + [rest[i * len(rest) // room] for i in range(room)]


def spread(scores: Mapping[int, Fraction], *, canonical: bool = False) -> list[int]:
    """Choose places of distinct score, at most `MOST`, evenly spaced from best to worst.

    The worst is the smallest score above 0 and below 0.1 if there is one, else the smallest;
    others are nearest to equal steps. With *canonical*, 1.0 is taken, and four are chosen.
    """
    distinct: dict[Fraction, int] = {}
    for place, score in scores.items():
        distinct.setdefault(round(score, DIGITS), place)
    if canonical:
        distinct.pop(Fraction(1), None)
    if len(distinct) <= MOST - canonical:
        return list(distinct.values())
    top = Fraction(1) if canonical else max(distinct)
    low = [score for score in distinct if 0 < score < Fraction(1, 10)]
    bottom = min(low or distinct)
    chosen = [bottom] if canonical else [top, bottom]
    for step in range(1, MOST - 1):
        target = top - Fraction(step, MOST - 1) * (top - min(distinct))
        unused = [score for score in distinct if score not in chosen]
        chosen.append(min(unused, key=lambda score: (abs(score - target), -score)))
    return [distinct[score] for score in sorted(chosen, reverse=True)]


def _distinct(samples: Sequence[Candidate]) -> list[Candidate]:
    found: dict[str, Candidate] = {}
    for candidate in samples:
        found.setdefault(normalise(candidate.code), candidate)
    return list(found.values())


def _checker(reference: Reference) -> Checker:
    """Compare by the dataset's own rule for the task."""
    return lambda test, output: accepts(reference, test.input.args, output, test.expected)


def _scores(
    matrix: PassMatrix, rows: Sequence[Sequence[Outcome]]
) -> tuple[dict[int, Fraction], dict[str, int]]:
    scores: dict[int, Fraction] = {}
    left_out = {
        "fails on every input": 0,
        "a fault of the sandbox": 0,
        "too slow to measure": 0,
    }
    for place, row in enumerate(rows):
        statuses = {outcome.status for outcome in row}
        if "infrastructure" in statuses:
            left_out["a fault of the sandbox"] += 1
        elif "skipped" in statuses:
            left_out["too slow to measure"] += 1
        elif "ok" not in statuses:
            left_out["fails on every input"] += 1
        else:
            scores[place] = Fraction(matrix.passed(place), matrix.test_count)
    return scores, left_out


def _finish(
    suite: TestSuite,
    picked: Mapping[Candidate, Fraction],
    available: int,
    left_out: Mapping[str, int],
) -> RankingTask:
    # Sorted by a digest of the code: a fixed order that does not give the truth away.
    order = sorted(
        picked, key=lambda c: hashlib.sha256(c.code.encode("utf-8", "replace")).digest()
    )
    candidates = tuple(replace(candidate, index=i) for i, candidate in enumerate(order))
    truth = tuple(picked[candidate] for candidate in order)
    counted = {reason: count for reason, count in left_out.items() if count}
    return RankingTask(suite.task, candidates, truth, len(suite.tests), available, counted)
