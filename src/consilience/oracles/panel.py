"""The general programs of a task, drawn until more of them would not matter."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.code import Extraction
from consilience.inputs import InputSet
from consilience.inputs.proposal import propose
from consilience.interfaces.registry import interface
from consilience.models import ChatModel
from consilience.models.budget import BudgetError
from consilience.oracles.gate import is_open
from consilience.oracles.inductive import Inductive
from consilience.oracles.stopping import is_settled, stages
from consilience.sampling import code_sampling, programs, read
from consilience.sandbox import Limits, Sandbox
from consilience.settings import Settings
from consilience.task import Task, TestInput
from consilience.voters import Voters


class Panel:
    """Draws general programs in requests of their own, and proposes inputs by them.

    Fewer than all of them suffice where every input is settled: no gate is open, and those not
    drawn are unlikely to open one. Otherwise the rest is drawn first, for a general program
    serves all inputs and costs less than a program for a single one.
    """

    def __init__(
        self, task: Task, model: ChatModel, sandbox: Sandbox, settings: Settings
    ) -> None:
        self._task = task
        self._model = model
        self._sandbox = sandbox
        self._settings = settings
        total = settings.n_inductive
        self._stages = list(stages(total, settings.first_inductive or total, settings.batch))
        self._drawn: list[Extraction] = []
        self._spent = False

    @property
    def drawn(self) -> int:
        """How many programs were drawn."""
        return len(self._drawn)

    def open(self) -> None:
        """Draw the first programs."""
        self._draw(self._stages[0])

    def agree(self, seeds: Sequence[str]) -> tuple[Voters, InputSet]:
        """Draw until the inputs made of *seeds* are settled; return who votes on what."""
        for stage in self._stages:
            self._draw(stage)
            voters = self._believed()
            inputs = propose(self._task, seeds, voters, self._settings)
            if stage == self._stages[-1] or self._settled(voters, inputs.inputs):
                break
        return voters, inputs

    def _settled(self, voters: Voters, inputs: Sequence[TestInput]) -> bool:
        if self._spent:
            return True
        remaining = self._stages[-1] - self.drawn
        return all(
            not is_open(votes, self._settings.tau)
            and is_settled(votes, remaining, self._settings.doubt)
            for votes in Inductive(voters, self._settings).votes(inputs)
        )

    def _draw(self, n: int) -> None:
        """Have *n* programs in all; where the budget is spent, those that came."""
        if n <= self.drawn or self._spent:
            return
        settings = self._settings
        sampling = code_sampling(self._task, settings)
        try:
            self._drawn = programs(
                self._task, self._model, n=n, sampling=sampling, seed=settings.seed
            )
        except BudgetError as error:
            self._spent = True
            self._drawn = read(self._task, error.replies)

    def _believed(self) -> Voters:
        """Let those vote that pass the task's own examples, or all if none does."""
        sources = [extraction.code for extraction in self._drawn]
        limits = Limits(cpu_seconds=self._settings.cpu_seconds)
        target = interface(self._task).target(self._task)
        voters = Voters(sources, target, self._sandbox, limits)
        return voters.believing(self._task.examples) if self._settings.examples else voters
