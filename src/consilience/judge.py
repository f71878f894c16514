"""The whole product on a page: which candidate to trust, how far, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from consilience.inputs.proposal import ask, propose
from consilience.models import ChatModel, Ledger, Sampling, Usage
from consilience.models.stored import StoredModel
from consilience.oracles import Oracle
from consilience.oracles.gate import Gate
from consilience.oracles.inductive import Inductive
from consilience.oracles.transductive import Transductive
from consilience.ranking import PassMatrix, Ranking, rank_by_pass_rate
from consilience.sampling import STOP, programs
from consilience.sandbox import Level, Limits, Outcome, Sandbox
from consilience.settings import PRESETS, Method, Settings
from consilience.store import Store
from consilience.suite import synthesize
from consilience.task import Candidate, Task, TestSuite
from consilience.trust import Trust
from consilience.trust.course import Course
from consilience.voters import Voters

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
    course: Course | None = None
    """Where the cascade stopped, and what each stage cost."""

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
        suite = self.tests(task, ledger)
        self.progress(task.id, "candidates", len(candidates), len(candidates))
        verdict = weigh(suite, candidates, self.sandbox, self.settings)
        return replace(verdict, model=self.model.name, usage=ledger.by_stage())

    def tests(self, task: Task, ledger: Ledger | None = None) -> TestSuite:
        """Write tests for *task*: draw voters, propose inputs, predict their outputs."""
        model = StoredModel(self.model, self.store, ledger or Ledger(parent=self.ledger))
        with ThreadPoolExecutor(1) as pool:  # two requests at once share the server's batch
            seeds = pool.submit(ask, task, model.at("inputs"), self.settings)
            voters = self._voters(task, model.at("induction"))
        inputs = propose(task, seeds.result(), voters, self.settings)
        self.progress(task.id, "inputs", len(inputs.inputs), len(inputs.inputs))
        oracle = self._oracle(task, voters, model.at("transduction"))
        return synthesize(task, inputs.inputs, oracle, examples=self.settings.examples)

    def _voters(self, task: Task, model: ChatModel) -> Voters:
        """Draw general programs; those that fail the task's own examples do not vote."""
        settings = self.settings
        sampling = Sampling(settings.temperature, settings.top_p, settings.code_tokens, STOP)
        drawn = programs(
            task, model, n=settings.n_inductive, sampling=sampling, seed=settings.seed
        )
        self.progress(task.id, "induction", len(drawn), len(drawn))
        sources = [extraction.code for extraction in drawn]
        voters = Voters(sources, task.entry_point, self.sandbox, self._limits)
        return voters.believing(task.examples) if settings.examples else voters

    def _oracle(self, task: Task, voters: Voters, model: ChatModel) -> Oracle:
        inductive = Inductive(voters, self.settings)
        transductive = Transductive(
            task,
            model,
            self.sandbox,
            self.settings,
            done=partial(self.progress, task.id, "transduction"),
        )
        oracles: dict[Method, Oracle] = {
            "cott": Gate(inductive, transductive, self.settings.tau),
            "rstar": inductive,
            "tt": transductive,
        }
        return oracles[self.settings.method]

    @property
    def _limits(self) -> Limits:
        return Limits(cpu_seconds=self.settings.cpu_seconds)


def weigh(
    suite: TestSuite, candidates: Sequence[Candidate], sandbox: Sandbox, settings: Settings
) -> Verdict:
    """Run every candidate on every test and rank them by what they pass: no model is asked."""
    inputs = [test.input.args for test in suite.tests]
    sources = [candidate.code for candidate in candidates]
    limits = Limits(cpu_seconds=settings.cpu_seconds)
    outcomes = sandbox.run(sources, suite.task.entry_point, inputs, limits)
    matrix = PassMatrix.build(candidates, outcomes, suite)
    return Verdict(
        task=suite.task,
        candidates=tuple(candidates),
        suite=suite,
        outcomes=tuple(map(tuple, outcomes)),
        matrix=matrix,
        ranking=rank_by_pass_rate(matrix),
        settings=settings,
        isolation=sandbox.level,
    )
