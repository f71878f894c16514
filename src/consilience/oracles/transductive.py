"""Transduction: programs written for one exact input vote on its output (CoTT, Eq. 3).

The model does not state the answer: it writes a program for the call, and the program is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.backends.local import Threads
from consilience.models import ChatModel, Sampling
from consilience.models.prompts import render
from consilience.oracles import Prediction, decide
from consilience.sampling import STOP, call_text, present, read
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.settings import Settings
from consilience.task import Task, TestInput
from consilience.voters import NO_PROGRAM
from consilience.votes import Votes, count_votes


class Transductive:
    """Ask *model* for programs for one call at a time, several calls at once."""

    def __init__(
        self,
        task: Task,
        model: ChatModel,
        sandbox: Sandbox,
        settings: Settings,
        *,
        workers: int = 3,
        done: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Report each input to *done*; draw programs for at most *workers* inputs at once."""
        self._task = task
        self._model = model
        self._sandbox = sandbox
        self._settings = settings
        self._workers = workers
        self._done = done

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict argmax p_trans for every input."""
        predictions = []
        for votes in Threads(self._workers).map(self.votes, inputs):
            predictions.append(decide(votes, "transductive"))
            self._done(len(predictions), len(inputs))
        return predictions

    def votes(self, item: TestInput) -> Votes:
        """Count the votes on one input."""
        return self._votes(self.outcomes(item))

    def outcomes(self, item: TestInput) -> list[Outcome]:
        """Run programs for one input; stop drawing when none can change the winner."""
        total = self._settings.n_transductive
        drawn = total // 2 + 1 if self._settings.sequential else total
        outcomes = self._drawn(item, drawn)
        if drawn < total and not self._votes(outcomes).settled(total - drawn):
            outcomes = self._drawn(item, total)
        return outcomes

    def _drawn(self, item: TestInput, n: int) -> list[Outcome]:
        # Samples are stored by index: asking for more repeats none of those already drawn.
        prompt = render(
            "input_program",
            task=present(self._task),
            entry_point=self._task.entry_point,
            call=call_text(self._task.entry_point, item.args),
        )
        sampling = Sampling(
            self._settings.temperature, self._settings.top_p, self._settings.code_tokens, STOP
        )
        replies = self._model.complete(prompt, n=n, sampling=sampling, seed=self._settings.seed)
        return self._run([extraction.code for extraction in read(self._task, replies)], item)

    def _run(self, sources: Sequence[str], item: TestInput) -> list[Outcome]:
        limits = Limits(cpu_seconds=self._settings.cpu_seconds)
        written = [source for source in sources if source]
        rows = iter(self._sandbox.run(written, self._task.entry_point, [item.args], limits))
        return [next(rows)[0] if source else NO_PROGRAM for source in sources]

    def _votes(self, outcomes: Sequence[Outcome]) -> Votes:
        return count_votes(
            outcomes, failures=self._settings.failures, exceptions=self._settings.exceptions
        )
