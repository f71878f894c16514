"""The whole product on a page: which candidate to trust, how far, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from consilience.inputs import InputSet
from consilience.inputs.proposal import ask
from consilience.interfaces.registry import interface
from consilience.judged import why_unjudged
from consilience.models import ChatModel, Ledger, Usage
from consilience.models.budget import BudgetError
from consilience.models.stored import StoredModel
from consilience.oracles import Oracle
from consilience.oracles.inductive import Inductive
from consilience.oracles.methods import Means
from consilience.oracles.panel import Panel
from consilience.oracles.stakes import Stakes
from consilience.ranking import PassMatrix, Ranking, order, rank_by_pass_rate
from consilience.sandbox import Level, Limits, Outcome, Sandbox
from consilience.settings import PRESETS, Settings
from consilience.stated import resolve
from consilience.store import Store
from consilience.suite import given_tests, synthesize
from consilience.task import Candidate, Task, TestSuite
from consilience.trust import RankedBy, Trust
from consilience.trust.course import Course
from consilience.voters import Voters, agrees

Progress = Callable[[str, str, int, int], None]
"""Called with the task's id, the stage, how many are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about the candidates of one task, with all its evidence."""

    task: Task
    candidates: tuple[Candidate, ...]
    suite: TestSuite
    outcomes: tuple[tuple[Outcome, ...], ...]
    """What each candidate did on each test: a row a candidate."""
    matrix: PassMatrix
    ranking: Ranking
    settings: Settings
    isolation: Level
    model: str | None = None
    """Who wrote the tests; None where they came from a file."""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    """Tokens and calls by stage, whether paid in this run or replayed from the store."""
    trust: Trust | None = None
    """How likely each candidate is right; None where nobody asked."""
    ranked_by: RankedBy = "tests"
    """What the ranking rests on."""
    course: Course | None = None
    """Where the cascade stopped, and what each stage cost."""
    undecided: tuple[tuple[Outcome, ...], ...] = ()
    """What each candidate did on the inputs that became no test; empty where it was not run."""
    strain: str = ""
    """Who finished how many large inputs in time, where that parted the leaders."""
    unjudged: str = ""
    """Why nothing can be said, where no candidate gave anything back; empty otherwise."""

    @property
    def judged(self) -> bool:
        """Tell whether anything was seen of any candidate."""
        return not self.unjudged

    @property
    def confidence(self) -> float | None:
        """The probability that the winner is right; in a tie, of the least likely leader."""
        if self.trust is None or not self.ranking.leaders:
            return None
        return min(self.trust.probabilities[place] for place in self.ranking.leaders)

    @property
    def winner(self) -> Candidate | None:
        """The candidate to trust; None where several lead alike or nothing could be tested."""
        best = self.ranking.best
        return None if best is None else self.candidates[best]


@dataclass(slots=True)
class Judge:
    """A model, a sandbox and a store, ready to judge one task after another."""

    model: ChatModel
    sandbox: Sandbox
    store: Store
    settings: Settings = PRESETS["standard"]
    ledger: Ledger = field(default_factory=Ledger)
    """What all tasks of this judge cost together."""
    progress: Progress = lambda task_id, stage, done, total: None

    def judge(self, task: Task, candidates: Sequence[Candidate]) -> Verdict:
        """Say which candidate to trust, and how far, without a reference solution."""
        ledger = Ledger(parent=self.ledger)
        suite = self.tests(task, ledger, candidates)
        self.progress(task.id, "candidates", len(candidates), len(candidates))
        verdict = weigh(suite, candidates, self.sandbox, self.settings)
        return replace(verdict, model=self.model.name, usage=ledger.by_stage())

    def tests(
        self, task: Task, ledger: Ledger | None = None, candidates: Sequence[Candidate] = ()
    ) -> TestSuite:
        """Write tests for *task*: draw voters, propose inputs, predict their outputs.

        With *candidates*, and where the settings ask for it, only what can still change their
        ranking is paid for. Where a budget is spent, the suite is partial and says so.
        """
        settings, task = self.settings, resolve(task, self.sandbox)
        ledger = Ledger(parent=self.ledger) if ledger is None else ledger
        model = StoredModel(self.model, self.store, ledger)
        panel = Panel(task, model.at("induction"), self.sandbox, settings)
        with ThreadPoolExecutor(1) as pool:  # two requests at once share the server's batch
            seeds = pool.submit(_seeds, task, model.at("inputs"), settings)
            panel.open()
        voters, inputs = panel.agree(seeds.result())
        self.progress(task.id, "induction", panel.drawn, panel.drawn)
        self.progress(task.id, "inputs", len(inputs.inputs), len(inputs.inputs))
        oracle = self._oracle(
            task, voters, model.at("transduction"), self._stakes(task, inputs, candidates)
        )
        try:
            suite = synthesize(task, inputs.inputs, oracle, examples=settings.examples)
        except BudgetError:  # this method has no answer midway; the general programs have one
            majority = Inductive(voters, settings)
            suite = synthesize(task, inputs.inputs, majority, examples=settings.examples)
        return replace(suite, partial=ledger.refused)

    def _stakes(
        self, task: Task, inputs: InputSet, candidates: Sequence[Candidate]
    ) -> Stakes | None:
        """Run the candidates on the inputs, where it matters what they do there."""
        if not candidates or self.settings.settle == "all":
            return None
        given = given_tests(task) if self.settings.examples else []
        calls = [*(test.input.probe for test in given), *(item.probe for item in inputs.inputs)]
        sources = [candidate.code for candidate in candidates]
        target = interface(task).target(task)
        rows = self.sandbox.run(sources, target, calls, self._limits)
        passed = [
            sum(
                agrees(outcome, test.expected)
                for outcome, test in zip(row, given, strict=False)
            )
            for row in rows
        ]
        columns = list(zip(*(row[len(given) :] for row in rows), strict=True))
        return Stakes(inputs.inputs, columns, passed)

    def _oracle(
        self, task: Task, voters: Voters, model: ChatModel, stakes: Stakes | None = None
    ) -> Oracle:
        done = partial(self.progress, task.id, "transduction")
        means = Means(task, voters, model, self.sandbox, self.settings, done, stakes)
        return means.oracle(self.settings.method)

    @property
    def _limits(self) -> Limits:
        return Limits(cpu_seconds=self.settings.cpu_seconds)


def _seeds(task: Task, model: ChatModel, settings: Settings) -> list[str]:
    """Ask for seeds; where the budget is spent, make do with those that came."""
    try:
        return ask(task, model, settings)
    except BudgetError as error:
        return [reply.text for reply in error.replies]


def weigh(
    suite: TestSuite, candidates: Sequence[Candidate], sandbox: Sandbox, settings: Settings
) -> Verdict:
    """Run every candidate on every test and rank them by what they pass: no model is asked."""
    inputs = [test.input.probe for test in suite.tests]
    sources = [candidate.code for candidate in candidates]
    limits = Limits(cpu_seconds=settings.cpu_seconds)
    target = interface(suite.task).target(suite.task)
    outcomes = sandbox.run(sources, target, inputs, limits)
    matrix = PassMatrix.build(candidates, outcomes, suite)
    verdict = Verdict(
        task=suite.task,
        candidates=tuple(candidates),
        suite=suite,
        outcomes=tuple(map(tuple, outcomes)),
        matrix=matrix,
        ranking=rank_by_pass_rate(matrix),
        settings=settings,
        isolation=sandbox.level,
    )
    return honest(verdict, outcomes) if suite.tests else verdict


def honest(verdict: Verdict, rows: Sequence[Sequence[Outcome]]) -> Verdict:
    """Take back every claim where no candidate gave anything back on what was tried."""
    why = why_unjudged(verdict.task, verdict.candidates, rows)
    if not why:
        return verdict
    nothing = order(verdict.candidates, [None] * len(verdict.candidates), reason=why)
    return replace(verdict, ranking=nothing, trust=None, unjudged=why)
