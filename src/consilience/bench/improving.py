"""Repair pool programs live, and score them on the reference suite before and after.

Tasks and candidates are those of a record of `bench judge`, so that the suites come from
replies that were paid for. The reference is used for scoring only. Beside the repair stands
what costs nothing: to replace the program by the best of the general programs that wrote the
suite, chosen by the same reliable tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from consilience.backends.local import Threads
from consilience.bench.improving_summary import summary
from consilience.bench.machine import machine
from consilience.bench.ranking_tasks import label
from consilience.errors import InputError
from consilience.formats import accepts
from consilience.improve import STAGE, Plan, trusted
from consilience.improve.trial import compare, stand
from consilience.improve.workshop import improve
from consilience.judge import Judge
from consilience.models import Ledger, Usage
from consilience.models.stored import StoredModel
from consilience.sampling import code_sampling, programs
from consilience.sandbox import Limits
from consilience.store import digest
from consilience.task import Candidate, Task, TestSuite

SCHEMA = "consilience.bench.improve/1"
CAP = 60
"""Reference inputs that the truth rests on, as in the record of `bench judge`."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A task with the programs of it that are to be repaired."""

    task: Task
    right: tuple[Candidate, ...]
    wrong: tuple[Candidate, ...]


def pick(
    record: Mapping[str, Any],
    tasks: Sequence[Task],
    samples: Mapping[str, Sequence[Candidate]],
    *,
    wrong: int = 2,
    seed: int = 0,
) -> list[Posed]:
    """Take every right candidate of each task in *record*, and *wrong* wrong ones by chance."""
    known = {task.id: task for task in tasks}
    posed = []
    for row in record["tasks"]:
        task = known.get(row["task_id"])
        pool = {candidate.label: candidate for candidate in samples.get(row["task_id"], ())}
        if task is None or not set(row["candidates"]) <= set(pool):
            message = f"{row['task_id']}: its candidates are not among these samples."
            raise InputError(message, hint="Give the files that the record was made from.")
        truth = dict(zip(row["candidates"], row["truth"], strict=True))
        order = sorted(truth, key=lambda name: digest(str(seed), task.id, name))
        right = tuple(pool[name] for name in order if truth[name] == 1)
        others = [pool[name] for name in order if truth[name] != 1]
        posed.append(Posed(task, right, tuple(others[:wrong])))
    return posed


def run(
    judge: Judge,
    posed: Sequence[Posed],
    *,
    plan: Plan,
    workers: int = 2,
    done: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Repair all programs; return the rows and their summary.

    A run that was broken off replays from the store what it had paid for.
    """

    def one(each: Posed) -> list[dict[str, Any]]:
        bench = _Task(judge, each.task, plan)
        rows = []
        for candidate in (*each.right, *each.wrong):
            rows.append(bench.row(candidate))
            done(rows[-1])
        return rows

    rows = [row for group in Threads(workers).map(one, posed) for row in group]
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "model": judge.model.name,
        "settings": asdict(judge.settings),
        "plan": asdict(plan),
        "isolation": judge.sandbox.level,
        "summary": summary(rows),
        "programs": rows,
    }


class _Task:
    """One task: its suite, the general programs that voted on it, and the truth."""

    def __init__(self, judge: Judge, task: Task, plan: Plan) -> None:
        self._judge, self._task, self._plan = judge, task, plan
        quiet = replace(judge, ledger=Ledger())  # the suite was paid for by another run
        self._suite = quiet.tests(task)
        self._voters = _voters(quiet, task)
        self._truth, self._limits = _truth(judge, task)
        tau = judge.settings.tau if plan.tau is None else plan.tau
        self._trusted = trusted(self._suite, tau)
        self._sound = self._count_sound()

    def row(self, candidate: Candidate) -> dict[str, Any]:
        found = improve(self._judge, self._task, candidate, plan=self._plan, suite=self._suite)
        usage = found.usage.get(STAGE, Usage())
        tried = [attempt.candidate for attempt in found.attempts]
        voter = self._best_voter(candidate)
        before, after, swapped, *shares = self._shares([candidate, found.best, voter, *tried])
        return {
            "task_id": self._task.id,
            "candidate": candidate.label,
            "reliable_tests": len(self._trusted),
            "reliable_tests_right": self._sound,
            "passed": [found.passed(0), found.passed(-1)],
            "fixed": len(found.fixed),
            "lost": len(found.lost),
            "truth": [before, after],
            "truth_by_best_voter": swapped,
            "rounds": found.rounds,
            "repairs": len(tried),
            "repairs_right": sum(share == 1 for share in shares),
            "unread": found.unread,
            "taken": found.improved,
            "reason": found.reason,
            "tokens": [usage.prompt_tokens, usage.completion_tokens],
        }

    def _best_voter(self, candidate: Candidate) -> Candidate:
        own, *others = stand(self._judge, self._suite, [candidate, *self._voters])
        found = compare(own, others, self._suite, self._trusted)
        return next((attempt.candidate for attempt in found if attempt.taken), candidate)

    def _shares(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return the share of the reference inputs that each program gets right."""
        tests, reference = self._truth.tests, self._task.reference
        codes, inputs = [c.code for c in candidates], [test.input.args for test in tests]
        rows = self._judge.sandbox.run(codes, self._task.entry_point, inputs, self._limits)
        return [
            round(
                sum(
                    outcome.ok
                    and outcome.value is not None
                    and reference is not None
                    and accepts(reference, test.input.args, outcome.value, test.expected)
                    for outcome, test in zip(row, tests, strict=True)
                )
                / len(tests),
                6,
            )
            for row in rows
        ]

    def _count_sound(self) -> int:
        """Count the reliable tests whose expectation the reference solution shares."""
        task = self._task
        if task.reference is None or not self._trusted:
            return 0
        tests = [self._suite.tests[place] for place in self._trusted]
        inputs = [test.input.args for test in tests]
        code, limits = task.reference.solution, Limits(cpu_seconds=10.0)
        [row] = self._judge.sandbox.run([code], task.entry_point, inputs, limits)
        return sum(
            outcome.value is not None
            and accepts(task.reference, test.input.args, test.expected, outcome.value)
            for test, outcome in zip(tests, row, strict=True)
        )


def _voters(judge: Judge, task: Task) -> list[Candidate]:
    """Replay the general programs that voted on the suite."""
    settings = judge.settings
    model = StoredModel(judge.model, judge.store, Ledger())
    sampling = code_sampling(task, settings)
    drawn = programs(task, model, n=settings.n_inductive, sampling=sampling, seed=settings.seed)
    return [
        Candidate(task.id, found.code, place, f"voter {place + 1}")
        for place, found in enumerate(drawn)
        if found.status == "ok"
    ]


def _truth(judge: Judge, task: Task) -> tuple[TestSuite, Limits]:
    if task.reference is None:
        message = f"Task {task.id} has no reference to measure programs against."
        raise InputError(message, hint="Use a dataset with solutions, such as HumanEval+.")
    return label(task, task.reference, judge.sandbox, CAP)
