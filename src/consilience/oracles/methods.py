"""The methods that label the same inputs: CoTT and what it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from consilience.interfaces.registry import interface
from consilience.models import ChatModel
from consilience.oracles import Oracle
from consilience.oracles.chain_of_thought import Answers, ChainOfThought
from consilience.oracles.inductive import Inductive
from consilience.oracles.sparing import Helpers, gated
from consilience.oracles.stakes import Stakes
from consilience.oracles.syntra import Syntra
from consilience.oracles.transductive import Transductive
from consilience.sandbox import Sandbox
from consilience.settings import Method, Settings
from consilience.task import Task
from consilience.voters import Voters


@dataclass(frozen=True, slots=True)
class Means:
    """What an oracle may work with."""

    task: Task
    voters: Voters
    model: ChatModel
    """For transduction, and for what else asks the model about one input."""
    sandbox: Sandbox
    settings: Settings
    done: Callable[[int, int], None] = lambda done, total: None
    stakes: Stakes | None = None
    """What the candidates do on the inputs, where only what can change them is paid for."""

    def oracle(self, method: Method) -> Oracle:
        """Build the oracle of *method*."""
        return _METHODS[method](self)

    def inductive(self) -> Inductive:
        """Let general programs vote (rStar-Coder's majority)."""
        return Inductive(self.voters, self.settings)

    def transductive(self) -> Transductive:
        """Let programs for the very input vote (TT without gating)."""
        return Transductive(self.task, self.model, self.sandbox, self.settings, done=self.done)

    def stating(self, answers: Answers) -> ChainOfThought:
        """Let the model state the output."""
        return ChainOfThought(self.task, self.model, self.settings, answers, done=self.done)

    def greedy(self) -> ChainOfThought:
        """State it once, greedily (CoT)."""
        return self.stating(Answers())

    def majority(self) -> ChainOfThought:
        """State it several times and take the majority (SOL-VER)."""
        chosen = self.settings
        return self.stating(
            Answers(chosen.n_reasoning, chosen.temperature, chosen.top_p, chosen.sequential)
        )

    def syntra(self) -> Syntra:
        """Let the model choose among the programs' behaviours."""
        return Syntra(self.task, self.model, self.voters, self.settings)

    def gate(self) -> Oracle:
        """Induction where it is confident, else transduction (CoTT)."""
        second = self.transductive()
        target = interface(self.task).target(self.task)
        helpers = Helpers(second, target, self.sandbox, self.settings)
        return gated(self.inductive(), second, self.settings, self.stakes, helpers)


_METHODS: Mapping[Method, Callable[[Means], Oracle]] = {
    "cott": Means.gate,
    "rstar": Means.inductive,
    "tt": Means.transductive,
    "cot": Means.greedy,
    "sol-ver": Means.majority,
    "syntra": Means.syntra,
}
