"""Transduction: programs written for one exact input vote on its output (CoTT, Eq. 3).

The model does not state the answer: it writes a program for the call, and the program is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.backends.local import Threads
from consilience.interfaces.registry import interface
from consilience.models import ChatModel, Reply
from consilience.models.budget import BudgetError
from consilience.models.prompts import render
from consilience.oracles import Prediction, decide
from consilience.oracles.stopping import is_settled, stages
from consilience.sampling import asking, code_sampling, present, probe_text, read
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.settings import Settings
from consilience.task import Probe, Session, Stdin, Task, TestInput
from consilience.values import identity
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
        done: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Report each input to *done*; ask for at most `in_flight` samples at once."""
        self._task = task
        self._model = model
        self._sandbox = sandbox
        self._settings = settings
        self._done = done
        self._stages = _stages(settings)
        self._programs: dict[str, list[str]] = {}

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict argmax p_trans for every input."""
        # While the programs of some inputs run, those of others are written.
        workers = max(1, self._settings.in_flight // self._stages[0])
        predictions = []
        for prediction in Threads(workers).map(self._decide, inputs):
            predictions.append(prediction)
            self._done(len(predictions), len(inputs))
        return predictions

    def votes(self, item: TestInput) -> Votes:
        """Count the votes on one input."""
        return self._count(self.outcomes(item))

    def outcomes(self, item: TestInput) -> list[Outcome]:
        """Run programs for one input; stop drawing when more are unlikely to matter.

        Raises:
            BudgetError: no program could be paid for.
        """
        outcomes: list[Outcome] = []
        for drawn in self._stages:
            outcomes = self._drawn(item, drawn)
            remaining = self._stages[-1] - drawn
            if is_settled(self._count(outcomes), remaining, self._settings.doubt):
                break
        return outcomes

    def programs(self, *, apart_from: TestInput) -> list[str]:
        """Return what was written for all inputs but one, in an order of their own."""
        own = identity.key(apart_from.probe)
        others = sorted(key for key in self._programs if key != own)
        return [source for key in others for source in self._programs[key]]

    def _decide(self, item: TestInput) -> Prediction:
        try:
            return decide(self.votes(item), "transductive")
        except BudgetError as error:
            reason = f"no program was asked for: {error}"
            return Prediction(None, "transductive", Votes(None, 0, 0), False, reason)

    def _drawn(self, item: TestInput, n: int) -> list[Outcome]:
        # Samples are stored by index: asking for more repeats none of those already drawn.
        prompt = _prompt(self._task, item.probe)
        sampling = code_sampling(self._task, self._settings)
        try:
            replies: Sequence[Reply] = self._model.complete(
                prompt, n=n, sampling=sampling, seed=self._settings.seed
            )
        except BudgetError as error:
            if not error.replies:
                raise
            replies = error.replies
        sources = [extraction.code for extraction in read(self._task, replies)]
        self._programs[identity.key(item.probe)] = sources
        return self._run(sources, item)

    def _run(self, sources: Sequence[str], item: TestInput) -> list[Outcome]:
        limits = Limits(cpu_seconds=self._settings.cpu_seconds)
        written = [source for source in sources if source]
        target = interface(self._task).target(self._task)
        rows = iter(self._sandbox.run(written, target, [item.probe], limits))
        return [next(rows)[0] if source else NO_PROGRAM for source in sources]

    def _count(self, outcomes: Sequence[Outcome]) -> Votes:
        return count_votes(
            outcomes, failures=self._settings.failures, exceptions=self._settings.exceptions
        )


def _prompt(task: Task, probe: Probe) -> str:
    """Ask for a program for one exact probe, in words for its kind."""
    text = probe_text(task, probe)
    if isinstance(probe, Session):
        return render("session_program", **_asked(task), session=text)
    if isinstance(probe, Stdin):
        return render("stdin_program", **_asked(task), text=text.rstrip("\n"))
    return asking("input_program", task, call=text)


def _asked(task: Task) -> dict[str, str]:
    return {"task": present(task), "entry_point": task.entry_point}


def _stages(settings: Settings) -> list[int]:
    total = settings.n_transductive
    if not settings.sequential:
        return [total]
    return list(stages(total, settings.first or total // 2 + 1, settings.batch))
