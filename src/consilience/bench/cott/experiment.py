"""Run every method of CoTT's experiment on one task's shared inputs, and keep all they say.

The reference solution serves for scoring only: it runs on the inputs after they are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Literal

from consilience.backends.local import Threads
from consilience.bench.cott import Cost, TaskRow
from consilience.bench.cott.table import input_rows, stated_rows
from consilience.bench.ranking_tasks import RankingTask
from consilience.inputs.proposal import ask, propose
from consilience.judge import Judge
from consilience.models import Ledger
from consilience.models.stored import StoredModel
from consilience.oracles.methods import Means
from consilience.sampling import code_sampling, programs
from consilience.sandbox import Limits, Outcome
from consilience.task import TestInput
from consilience.values import Value, identity
from consilience.voters import Voters

PARTS = ("transduction", "cot", "sol-ver", "syntra")
"""What asks a model about single inputs; the first three about each one alone."""

InputSource = Literal["model", "examples", "reference"]
"""`model`: seeds, and mutants of them; `examples`: mutants of the task's examples, no model;
`reference`: the benchmark's own inputs, without their outputs, at random."""

Said = Mapping[str, Sequence[Outcome]]
"""What programs and answers gave on one input, by part."""


@dataclass(slots=True)
class Experiment:
    """One task, its shared inputs, and the parts that are asked of a model."""

    judge: Judge
    posed: RankingTask
    parts: Sequence[str] = PARTS
    recorded: Sequence[str] | None = None
    """General programs that were drawn before; None: the model draws them."""
    source: InputSource = "model"
    """Who proposes inputs."""
    workers: int = 4
    """Inputs that are asked about at once."""
    _ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self._ledger = Ledger(parent=self.judge.ledger)

    def row(self) -> TaskRow:
        """Run all parts; return what everything gave on every input."""
        task, settings = self.posed.task, self.judge.settings
        replies, voters = self._opening()
        trusted = voters.believing(task.examples) if settings.examples else voters
        inputs = self._unstated(self._propose(replies, trusted))
        chosen, queries = self._syntra(inputs, trusted)
        asked = list(Threads(self.workers).map(self._ask(trusted), inputs))
        return TaskRow(
            task_id=task.id,
            dataset=task.metadata.get("file", "").split(".")[0],
            candidates=tuple(candidate.label for candidate in self.posed.candidates),
            truth=tuple(round(float(share), 6) for share in self.posed.truth),
            truth_inputs=self.posed.inputs,
            believing=_kept(voters, trusted),
            given=stated_rows(self.posed, voters, self.judge) if settings.examples else (),
            inputs=input_rows(self.posed, inputs, voters, chosen, asked, self.judge),
            tokens=cost(self._ledger, "inputs", "induction", "syntra"),
            queries=queries,
            model=self.judge.model.name if self.parts or self.recorded is None else None,
            settings=asdict(settings),
        )

    def _opening(self) -> tuple[list[str], Voters]:
        """Ask for seeds while the general programs are drawn."""
        task, settings = self.posed.task, self.judge.settings
        with ThreadPoolExecutor(1) as pool:
            asking = self.source == "model"
            seeds = pool.submit(ask, task, self._at("inputs"), settings) if asking else None
            sources = self._draw() if self.recorded is None else self.recorded
            limits = Limits(cpu_seconds=settings.cpu_seconds)
            voters = Voters(sources, task.entry_point, self.judge.sandbox, limits)
            return seeds.result() if seeds else [], voters

    def _draw(self) -> list[str]:
        settings = self.judge.settings
        sampling = code_sampling(self.posed.task, settings)
        drawn = programs(
            self.posed.task,
            self._at("induction"),
            n=settings.n_inductive,
            sampling=sampling,
            seed=settings.seed,
        )
        return [extraction.code for extraction in drawn]

    def _propose(self, replies: Sequence[str], voters: Voters) -> Sequence[TestInput]:
        task, settings = self.posed.task, self.judge.settings
        if self.source != "reference" or task.reference is None:
            return propose(task, replies, voters, settings).inputs
        known = task.reference.inputs
        order = sorted(known, key=lambda args: identity.shuffled_place(args, settings.seed))
        return [TestInput(args) for args in order[: settings.inputs]]

    def _unstated(self, inputs: Sequence[TestInput]) -> list[TestInput]:
        """Leave out what the task itself states the output of, where that is evidence."""
        stated = self.posed.task.examples if self.judge.settings.examples else ()
        known = {identity.key(example.args) for example in stated}
        return [item for item in inputs if identity.key(item.args) not in known]

    def _syntra(
        self, inputs: Sequence[TestInput], voters: Voters
    ) -> tuple[list[Value | None], int]:
        if "syntra" not in self.parts or not inputs:
            return [None] * len(inputs), 0
        oracle = self._means(voters, self._at("syntra")).syntra()
        return [found.value for found in oracle.predict(inputs)], len(oracle.queries)

    def _ask(self, voters: Voters) -> Callable[[TestInput], tuple[Said, Cost]]:
        """Make the function that asks the model about one input in every way."""

        def asked(item: TestInput) -> tuple[Said, Cost]:
            ledger = Ledger(parent=self._ledger)
            store, model = self.judge.store, self.judge.model
            said: dict[str, Sequence[Outcome]] = {}
            for part in self.parts:
                means = self._means(voters, StoredModel(model, store, ledger, part))
                if part == "transduction":
                    said[part] = means.transductive().outcomes(item)
                elif part in {"cot", "sol-ver"}:
                    stating = means.greedy() if part == "cot" else means.majority()
                    said[part] = stating.outcomes(item)
            return said, cost(ledger, *said)

        return asked

    def _means(self, voters: Voters, model: StoredModel) -> Means:
        judge = self.judge
        return Means(self.posed.task, voters, model, judge.sandbox, judge.settings)

    def _at(self, stage: str) -> StoredModel:
        return StoredModel(self.judge.model, self.judge.store, self._ledger, stage)


def cost(ledger: Ledger, *stages: str) -> Cost:
    """Return the tokens of the *stages* that were asked anything."""
    spent = ledger.by_stage()
    return {
        stage: (spent[stage].prompt_tokens, spent[stage].completion_tokens)
        for stage in stages
        if stage in spent
    }


def _kept(voters: Voters, trusted: Voters) -> tuple[bool, ...]:
    """Tell which voters are among the trusted: equal programs are trusted alike."""
    kept = set(trusted.sources)
    return tuple(source in kept for source in voters.sources)
