"""How right a model says its programs are: P(True), and the vote of other models.

Baselines of the FASE paper. A small model's P(True) carries no signal (measured: .553 for wrong
and .579 for right programs of a 0.5B model), so nothing of ours rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from consilience.models import ChatModel, Reply, Sampling
from consilience.uncertainty import Confidence
from consilience.uncertainty.asking import Judge, prompt
from consilience.uncertainty.text import plain

_SAMPLING = Sampling(temperature=0.5, top_p=0.95, max_tokens=8)
_ALTERNATIVES = 20


@dataclass(frozen=True, slots=True)
class PTrue:
    """The model's own verdict on each sample, and its mean.

    *sampled*: one sampled answer, 1 or 0, as the paper counts. *probability*: the weight of
    True against False in the first token, as P(True) was first defined; needs
    log-probabilities.
    """

    model: ChatModel
    task: str
    by: Literal["sampled", "probability"] = "sampled"
    sampling: Sampling = _SAMPLING
    seed: int | None = 0
    name: str = "p-true"

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples*; equal texts are asked about once, unclear answers are left out."""
        asked = replace(
            self.sampling, logprobs=_ALTERNATIVES if self.by == "probability" else 0
        )
        judge = Judge(self.model, asked, self.seed)
        texts = [plain(text) for text in samples]
        found = {text: self._ask(judge, text) for text in dict.fromkeys(texts)}
        return _mean(self.name, [found[text] for text in texts], judge.calls, judge.notes)

    def _ask(self, judge: Judge, text: str) -> float | None:
        question = prompt("correctness", task=self.task, program=text)
        if self.by == "probability":
            return probability_of_true(judge.reply(question))
        said = judge.says(question)
        return None if said is None else float(said)


def probability_of_true(reply: Reply) -> float | None:
    """Return P(True) / (P(True) + P(False)) at the first token; None if neither is there."""
    if not reply.logprobs:
        return None
    first = reply.logprobs[0]
    options = first.top or ((first.token, first.logprob),)
    weight = {True: 0.0, False: 0.0}
    for token, logprob in options:
        word = token.strip().lower()
        if word in {"true", "false"}:
            weight[word == "true"] += math.exp(logprob)
    total = weight[True] + weight[False]
    return weight[True] / total if total > 0 else None


@dataclass(frozen=True, slots=True)
class MajorityVote:
    """Share of the samples that a strict majority of other models calls right."""

    models: Sequence[ChatModel]
    task: str
    sampling: Sampling = _SAMPLING
    seed: int | None = 0
    name: str = "majority-vote"

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Score *samples*; unclear answers do not vote, a tie is no majority."""
        judges = [Judge(model, self.sampling, self.seed) for model in self.models]
        texts = [plain(text) for text in samples]
        found = {text: self._vote(judges, text) for text in dict.fromkeys(texts)}
        notes = tuple(note for judge in judges for note in judge.notes)
        calls = sum(judge.calls for judge in judges)
        return _mean(self.name, [found[text] for text in texts], calls, notes)

    def _vote(self, judges: Sequence[Judge], text: str) -> float | None:
        question = prompt("correctness", task=self.task, program=text)
        said = [verdict for judge in judges if (verdict := judge.says(question)) is not None]
        return float(sum(said) * 2 > len(said)) if said else None


def _mean(
    name: str, values: Sequence[float | None], calls: int, notes: tuple[str, ...]
) -> Confidence:
    given = [value for value in values if value is not None]
    if not given:
        notes = (*notes, "no answer could be read")
    mean = math.fsum(given) / len(given) if given else None
    return Confidence(name, mean, tuple(values), calls, notes)
