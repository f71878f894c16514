"""Semantic classes by a model's judgement: what FASE is measured against.

The FASE paper asks for both directions of every pair until one fails, against all members of a
class (n (n - 1) calls when all samples agree); Farquhar et al. ask one representative; uqlm's
functional equivalence asks one direction of one representative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from consilience.models import ChatModel, Sampling
from consilience.uncertainty import Confidence, Partition
from consilience.uncertainty.asking import Judge, prompt
from consilience.uncertainty.clusters import numbered
from consilience.uncertainty.text import plain

Against = Literal["all", "representative"]

_SAMPLING = Sampling(temperature=0.5, top_p=0.95, max_tokens=16)


@dataclass(frozen=True, slots=True)
class Entailment:
    """Samples are equivalent when the model says so, in both directions."""

    model: ChatModel
    task: str = ""
    """What the programs were to do; leave it empty to show the programs alone."""
    against: Against = "all"
    """Compare with all members of a class, as the paper says, or with its first one."""
    both_directions: bool = True
    short_circuit: bool = True
    """Leave out the second direction after a no; the published code does not, so it pays
    more.
    """
    sampling: Sampling = _SAMPLING
    seed: int | None = 0
    name: str = "entailment"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group *samples* greedily, in order; equal texts cost no call.

        An unclear answer counts as a no and is noted.
        """
        judge = Judge(self.model, self.sampling, self.seed)
        texts = [plain(text) for text in samples]
        distinct = list(dict.fromkeys(texts))
        classes: list[list[str]] = []
        for text in distinct:
            home = next((each for each in classes if self._belongs(judge, text, each)), None)
            if home is None:
                classes.append([text])
            else:
                home.append(text)
        label = {text: index for index, each in enumerate(classes) for text in each}
        return Partition(
            self.name,
            numbered(label[text] for text in texts),
            calls=judge.calls,
            notes=judge.notes,
        )

    def _belongs(self, judge: Judge, text: str, members: Sequence[str]) -> bool:
        asked = members if self.against == "all" else members[:1]
        return all(self._equivalent(judge, text, member) for member in asked)

    def _equivalent(self, judge: Judge, text: str, member: str) -> bool:
        pairs = [(text, member), (member, text)] if self.both_directions else [(member, text)]
        verdicts = (judge.says(self._question(*pair)) for pair in pairs)
        return all(verdicts) if self.short_circuit else all(tuple(verdicts))

    def _question(self, first: str, second: str) -> str:
        task = f"\nTask:\n{self.task}\n" if self.task else ""
        return prompt("equivalence", task=task, first=first, second=second)


def functional_equivalence(model: ChatModel, task: str = "") -> Entailment:
    """Make uqlm's functional negentropy: one direction, one representative."""
    return Entailment(
        model,
        task,
        against="representative",
        both_directions=False,
        name="functional-equivalence",
    )


@dataclass(frozen=True, slots=True)
class EquivalenceRate:
    """Share of the others that the model calls equivalent to the first sample, as in uqlm."""

    model: ChatModel
    task: str = ""
    sampling: Sampling = _SAMPLING
    seed: int | None = 0
    name: str = "functional-equivalence-rate"

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples*; equal texts cost no call, unclear answers are left out."""
        judge = Judge(self.model, self.sampling, self.seed)
        first, *others = [plain(text) for text in samples]
        verdicts: dict[str, bool | None] = {first: True}
        for text in others:
            if text not in verdicts:
                question = prompt("equivalence", task=self.task, first=first, second=text)
                verdicts[text] = judge.says(question)
        given = [verdicts[text] for text in others if verdicts[text] is not None]
        value = sum(map(bool, given)) / len(given) if given else None
        notes = judge.notes if given else (*judge.notes, "nothing to compare the sample with")
        return Confidence(self.name, value, calls=judge.calls, notes=notes)
