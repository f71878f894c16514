"""One cascade: read the programs, run them, and only then ask a model for tests.

    text        which samples are alike as text, as syntax, as embeddings (FASE): nothing runs
    behaviour   what they do on inputs made from the task's own examples: no model is asked
    tests       tests with expected outputs, by CoTT

After each stage trust is read off all evidence so far; the next one runs only while that is
below the level asked for. What stands at the end, why, at what cost, and what the next stage
would have cost is in the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from consilience.errors import UsageError
from consilience.inputs.growth import large, signature_of
from consilience.inputs.model_free import SPARE, without_model
from consilience.interfaces.registry import interface
from consilience.judge import Judge, Verdict, honest
from consilience.judged import returned
from consilience.models import Usage
from consilience.oracles.inductive import Inductive
from consilience.ranking import (
    PassMatrix,
    order,
    rank_by_agreement,
    rank_by_pass_rate,
    told_apart,
)
from consilience.sampling import present
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.settings import PRESETS, Settings
from consilience.stated import resolve
from consilience.suite import synthesize
from consilience.task import Candidate, Task, TestInput, TestSuite
from consilience.trust import STAGES, RankBy, Stage, Trust
from consilience.trust.calibration import Calibration, shipped
from consilience.trust.course import Course, Estimate, Step
from consilience.trust.evidence import (
    Texts,
    classes_of,
    combined,
    compare_texts,
    of_behaviour,
    of_tests,
    of_texts,
    share_of_examples,
)
from consilience.uncertainty import Encoder
from consilience.uncertainty.hashed import HashedEncoder
from consilience.voters import Voters
from consilience.votes import Votes

STRAINS = 5
"""Large inputs for leaders that small ones do not part: one may be wrong by being slow."""


@dataclass(slots=True)
class Cascade:
    """The stages, ready to judge one task after another."""

    sandbox: Sandbox
    settings: Settings = PRESETS["standard"]
    judge: Judge | None = None
    """Writes tests in the last stage; None where there is no model."""
    level: float | None = None
    """Stop as soon as trust reaches it; None gathers all evidence."""
    until: Stage = "tests"
    """The last stage that may run."""
    rank_by: RankBy | None = None
    """What ranks in the last stage: trust, if nothing is said; the preset `paper` has the tests
    alone do it. What the candidates do ranks before that, and their texts before it."""
    calibration: Calibration = field(default_factory=shipped)
    encoder: Encoder = field(default_factory=HashedEncoder)

    def __post_init__(self) -> None:
        """Settle who ranks."""
        self.rank_by = self.rank_by or ("tests" if self.settings.preset == "paper" else "trust")

    def __call__(self, task: Task, candidates: Sequence[Candidate]) -> Verdict:
        """Judge the *candidates*, by as much evidence as the level needs.

        Raises:
            UsageError: there are no candidates, or tests are wanted and there is no model.
        """
        for verdict in self.stages(task, candidates):
            settled = self.level is not None and (verdict.confidence or 0.0) >= self.level
            if settled or not verdict.judged:
                break
        return verdict

    def stages(self, task: Task, candidates: Sequence[Candidate]) -> Iterator[Verdict]:
        """Yield the verdict after each stage; the next one runs only when it is asked for."""
        if not candidates:
            message = f"There are no candidates for {task.id}."
            raise UsageError(message, hint="Draw some: consilience.sample(task, model, n=10).")
        walk = _Walk(self, resolve(task, self.sandbox), tuple(candidates))
        for stage in STAGES[: STAGES.index(self.until) + 1]:
            verdict = walk.through(stage)
            course = Course(tuple(walk.steps), self.level, walk.ahead())
            yield replace(verdict, course=course)


@dataclass(slots=True)
class _Walk:
    """One task's way through the stages."""

    cascade: Cascade
    task: Task
    candidates: tuple[Candidate, ...]
    steps: list[Step] = field(default_factory=list)
    evidence: list[dict[str, float | None]] = field(default_factory=list)
    texts: Texts | None = None
    votes: list[Votes] = field(default_factory=list)
    rows: Sequence[Sequence[Outcome]] = ()
    """What each candidate did on everything that was tried."""

    def through(self, stage: Stage) -> Verdict:
        """Run one stage, and judge by all evidence up to it."""
        verdict, found, step = {
            "text": self._text, "behaviour": self._behaviour, "tests": self._tests,
        }[stage]()  # fmt: skip
        self.evidence = combined(self.evidence, found) if self.evidence else list(found)
        trust = self.cascade.calibration.assess(self.evidence, stage)
        verdict = replace(verdict, trust=trust)
        if stage == "text" or (stage == "tests" and self.cascade.rank_by == "trust"):
            ranking = order(self.candidates, self._chances(trust))
            verdict = replace(verdict, ranking=ranking, ranked_by="trust")
        if stage != "text":
            verdict = honest(verdict, self.rows)
        if not verdict.judged:  # what was read off the texts is no verdict on them
            self.steps = [replace(step, trust=None) for step in self.steps]
        self.steps.append(replace(step, trust=verdict.confidence))
        return verdict

    def _chances(self, trust: Trust) -> list[float | None]:
        """Return what to rank by: who gave nothing back is never before one who did."""
        alive = self._alive()
        some = any(alive)
        return [
            chance if here or not some else None
            for chance, here in zip(trust.probabilities, alive, strict=True)
        ]

    def _alive(self) -> list[bool]:
        return [returned(row) for row in self.rows] or [True] * len(self.candidates)

    def _text(self) -> tuple[Verdict, list[dict[str, float | None]], Step]:
        self.texts = compare_texts([c.code for c in self.candidates], self.cascade.encoder)
        nothing = TestSuite(self.task, ())
        rows = tuple(() for _ in self.candidates)
        return self._verdict(nothing, rows), of_texts(self.texts), Step("text", None)

    def _behaviour(self) -> tuple[Verdict, list[dict[str, float | None]], Step]:
        settings, task = self.cascade.settings, self.task
        voters = self._voters()
        inputs = without_model(task, voters, count=settings.inputs, seed=settings.seed).inputs
        inductive = Inductive(
            voters.believing(task.examples) if settings.examples else voters, settings
        )
        suite = synthesize(task, inputs, inductive, examples=settings.examples)
        self.votes = inductive.votes(inputs)
        rows = self._rows(voters, [test.input for test in suite.tests])
        undecided = self._rows(voters, [item for item, _ in suite.dropped])
        shares = share_of_examples(voters, task)
        deeds = classes_of(voters.outcomes(item.probe for item in inputs), len(self.candidates))
        found = of_behaviour(deeds, self.texts.syntax if self.texts else (), shares)
        self.rows = voters.tried()
        verdict = replace(
            self._verdict(suite, rows),
            undecided=undecided,
            ranking=rank_by_agreement(self.candidates, deeds, shares, self._alive()),
            ranked_by="behaviour",
        )
        verdict = self._strained(verdict)
        return verdict, found, Step("behaviour", None, self._calls())

    def _strained(self, verdict: Verdict) -> Verdict:
        """Run the leaders, where there are several, on large inputs: one may be too slow."""
        task, settings, leaders = self.task, self.cascade.settings, verdict.ranking.leaders
        if len(leaders) < 2:
            return verdict
        voters = self._voters(leaders)
        pool = [example.probe for example in task.examples]
        shape = signature_of(task, voters.sources)
        probes = large(task, pool, shape, count=STRAINS, seed=settings.seed)
        columns = voters.outcomes(probes)
        telling = [place for place, column in enumerate(columns) if any(o.ok for o in column)]
        deeds = classes_of([columns[place] for place in telling], len(leaders))
        ranking = told_apart(verdict.ranking, deeds) if telling else verdict.ranking
        names = [self.candidates[place].label for place in leaders]
        finished = [sum(cell is not None for cell in row) for row in deeds]
        return replace(verdict, ranking=ranking, strain=_said(names, finished, len(telling)))

    def _rows(
        self, voters: Voters, inputs: Sequence[TestInput]
    ) -> tuple[tuple[Outcome, ...], ...]:
        columns = voters.outcomes(item.probe for item in inputs)
        return tuple(zip(*columns, strict=True)) or tuple(() for _ in self.candidates)

    def _tests(self) -> tuple[Verdict, list[dict[str, float | None]], Step]:
        judging = self.cascade.judge
        if judging is None:
            raise UsageError(
                "Tests are written by a model, and none was given.",
                hint="Name one, or stop before: until='behaviour' (--until behaviour).",
            )
        verdict = judging.judge(self.task, self.candidates)
        self.rows = [
            (*before, *now) for before, now in zip(self.rows, verdict.outcomes, strict=True)
        ]
        calls = len(self.candidates) * len(verdict.suite.tests)
        spent = sum(verdict.usage.values(), Usage())
        return verdict, of_tests(verdict.matrix), Step("tests", None, calls, spent)

    def ahead(self) -> Estimate | None:
        """Reckon what the stage after the last one would cost."""
        place = STAGES.index(self.steps[-1].stage) + 1
        if place == len(STAGES):
            return None
        if STAGES[place] == "behaviour":
            return Estimate("behaviour", self._calls(), Usage())
        return reckon(self.task, self.candidates, self.cascade.settings, self.votes)

    def _voters(self, places: Sequence[int] | None = None) -> Voters:
        chosen = range(len(self.candidates)) if places is None else places
        sources = [self.candidates[place].code for place in chosen]
        limits = Limits(cpu_seconds=self.cascade.settings.cpu_seconds)
        target = interface(self.task).target(self.task)
        return Voters(sources, target, self.cascade.sandbox, limits)

    def _calls(self) -> int:
        inputs = len(self.task.examples) + SPARE * self.cascade.settings.inputs
        return len(self.candidates) * inputs

    def _verdict(self, suite: TestSuite, outcomes: tuple[tuple[Outcome, ...], ...]) -> Verdict:
        matrix = PassMatrix.build(self.candidates, outcomes, suite)
        return Verdict(
            task=self.task,
            candidates=self.candidates,
            suite=suite,
            outcomes=outcomes,
            matrix=matrix,
            ranking=rank_by_pass_rate(matrix),
            settings=self.cascade.settings,
            isolation=self.cascade.sandbox.level,
        )


def _said(names: Sequence[str], finished: Sequence[int], count: int) -> str:
    """Say who finished how many of the large inputs; nothing where all did alike."""
    if len(set(finished)) < 2:
        return ""
    pairs = sorted(zip(finished, names, strict=True), key=lambda pair: -pair[0])
    each = [f"{name} {done}" for done, name in pairs]
    return f"Of {count} large inputs they finished in time: {', '.join(each)}."


CHARACTERS_A_TOKEN = 3.5
INSTRUCTIONS = 100
"""Tokens of a prompt beside the task."""
TOKENS_AN_INPUT = 30
USUALLY_OPEN = 0.41
"""Share of inputs that went through the gate in bench/records/judge-humaneval.json."""


def reckon(
    task: Task, candidates: Sequence[Candidate], settings: Settings, votes: Sequence[Votes]
) -> Estimate:
    """Reckon what tests would cost, taking the model's programs to be as long as these.

    Where the candidates' own *votes* are known, they say how many inputs would pass the gate.
    """
    written = sum(len(c.code) for c in candidates) / len(candidates) / CHARACTERS_A_TOKEN
    asked = INSTRUCTIONS + len(present(task)) / CHARACTERS_A_TOKEN
    doubtful = sum(not each.reaches(settings.tau) for each in votes)
    opened = settings.inputs * (doubtful / len(votes) if votes else USUALLY_OPEN)
    if settings.method != "cott":
        opened = 0 if settings.method == "rstar" else settings.inputs
    prompts = asked * (settings.seed_prompts + 1 + 2 * opened)
    programs = settings.n_inductive + settings.n_transductive * opened
    seeds = settings.seed_prompts * settings.seeds_asked * TOKENS_AN_INPUT
    calls = len(candidates) * settings.inputs
    return Estimate("tests", calls, Usage(round(prompts), round(written * programs + seeds)))
