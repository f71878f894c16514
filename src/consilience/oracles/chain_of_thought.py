"""Predict an output by thinking it through: the model states the value, and nothing is run.

One greedy answer an input is the baseline CoT; several samples and their majority are the part
of SOL-VER (Lin et al. 2025) that labels inputs: self-consistency on values. Reasoning that was
cut off before its answer is given back with the request to conclude, as zero-shot chain of
thought asks in two steps (Kojima et al. 2022): else a short budget would count as failure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from consilience.backends.local import Threads
from consilience.code import read_literal
from consilience.models import ChatModel, Reply, Sampling
from consilience.models.prompts import render
from consilience.oracles import Prediction, decide
from consilience.oracles.stopping import is_settled, stages
from consilience.sampling import present, probe_text
from consilience.sandbox import Outcome
from consilience.settings import Settings
from consilience.task import Task, TestInput
from consilience.values import Value
from consilience.votes import Votes, count_votes

ANSWER_TOKENS = 96
"""Of an answer without its reasoning."""

_ANSWER = re.compile(r"^\W*(?:final )?answer\W*?:[ \t*]*(.*)$", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"^\s*`{3,}.*$", re.MULTILINE)
_CALL_IS = re.compile(r"^(?:assert\s+)?\w+\(.*\)\s*(?:==|=>|->)\s*(.+)$")


@dataclass(frozen=True, slots=True)
class Answers:
    """How many answers to draw for an input, and how."""

    n: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    sequential: bool = True
    """Stop once the leader cannot be overtaken."""


class ChainOfThought:
    """Ask *model* for the value itself, one input at a time, several at once."""

    def __init__(
        self,
        task: Task,
        model: ChatModel,
        settings: Settings,
        answers: Answers,
        *,
        workers: int = 3,
        done: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Report each input to *done*; think about at most *workers* inputs at once."""
        self._task = task
        self._model = model
        self._settings = settings
        self._answers = answers
        self._workers = workers
        self._done = done

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict the value that most answers state."""
        predictions = []
        for votes in Threads(self._workers).map(self.votes, inputs):
            predictions.append(decide(votes, "predicted"))
            self._done(len(predictions), len(inputs))
        return predictions

    def votes(self, item: TestInput) -> Votes:
        """Count the values that the answers state; one that cannot be read is a failure."""
        return count_votes(self.outcomes(item), failures=self._settings.failures)

    def outcomes(self, item: TestInput) -> list[Outcome]:
        """Return what the answers state; stop drawing when none can change the winner."""
        total = self._answers.n
        outcomes: list[Outcome] = []
        for drawn in stages(total, total // 2 + 1 if self._answers.sequential else total, 0):
            outcomes = self._stated(item, drawn)
            if is_settled(count_votes(outcomes), total - drawn):
                break
        return outcomes

    def _stated(self, item: TestInput, n: int) -> list[Outcome]:
        prompt = render(
            "output",
            task=present(self._task),
            call=probe_text(self._task, item.probe),
        )
        sampling = Sampling(
            self._answers.temperature, self._answers.top_p, self._settings.reasoning_tokens
        )
        seed = self._settings.seed
        replies = self._model.complete(prompt, n=n, sampling=sampling, seed=seed)
        conclude = partial(concluded, self._model, prompt, seed=seed)
        return [outcome(text) for text in Threads(n).map(conclude, replies)]


def concluded(model: ChatModel, prompt: str, reply: Reply, *, seed: int) -> str:
    """Return the text of *reply*; where it was cut off before its answer, ask for that."""
    if not reply.truncated or _ANSWER.search(reply.text):
        return reply.text
    asked = render("conclusion", question=prompt.strip(), reasoning=reply.text.strip())
    [last] = model.complete(asked, sampling=Sampling(0.0, 1.0, ANSWER_TOKENS), seed=seed)
    return last.text


def outcome(reply: str) -> Outcome:
    """Read the value that a reply ends with."""
    text = answer_text(reply)
    try:
        return Outcome("ok", Value.of(read_literal(text)))
    except ValueError:
        return Outcome("protocol", message="the answer states no value that can be read")


def answer_text(reply: str) -> str:
    """Return what follows the last "Answer:", else the last line; fences and asserts taken off.

    The value may stand on the lines after the word, and the call may be repeated before it.
    """
    plain = _FENCE.sub("", reply)
    found = list(_ANSWER.finditer(plain))
    if found:
        text = found[-1].group(1).strip() or plain[found[-1].end() :].strip()
    else:
        text = plain.strip().rpartition("\n")[2].strip()
    text = text.strip("`* ").removesuffix(".").strip("`* ")
    call = _CALL_IS.match(text)
    return call.group(1).strip("` ") if call else text
