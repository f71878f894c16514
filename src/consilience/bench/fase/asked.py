"""What a model says about samples: entailment classes, P(True), and a vote, with their price.

Each measure is asked apart and its cost kept apart: wall seconds, calls, tokens, and the CPU
seconds of the process that serves the model, where that is known. Wall seconds mean something
only on a machine that does nothing else.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from consilience.backends.local import Threads
from consilience.models import ChatModel, Ledger, Sampling, Usage
from consilience.models.stored import StoredModel
from consilience.sampling import present
from consilience.store import Store
from consilience.task import Task
from consilience.uncertainty.asking import prompt, verdict
from consilience.uncertainty.entailment import Entailment
from consilience.uncertainty.self_evaluation import probability_of_true
from consilience.uncertainty.text import plain

ASKED = "consilience.bench.fase.asked/1"
VOTERS = 3
MOST_DISTINCT = 6
"""Distinct programs asked about for each task: samples of further ones are left out."""
_ANSWER = Sampling(temperature=0.5, top_p=0.95, max_tokens=8, logprobs=20)


Question = Callable[[StoredModel, str, Sequence[str], int], dict[str, Any]]


def chosen(samples: Sequence[str], most: int = MOST_DISTINCT) -> list[int]:
    """Return the places of the samples whose text is among the first *most* distinct ones."""
    texts = [plain(sample) for sample in samples]
    kept = set(list(dict.fromkeys(texts))[:most])
    return [place for place, text in enumerate(texts) if text in kept]


@dataclass(slots=True)
class Asker:
    """Asks one model about the samples of tasks."""

    model: ChatModel
    store: Store
    seed: int = 0
    server: int | None = None
    """The process that serves the model: its CPU time is read where it is given."""
    most: int = MOST_DISTINCT

    def row(self, task: Task, samples: Sequence[str]) -> dict[str, Any]:
        """Ask everything about the samples of one task: values, classes and costs."""
        places = chosen(samples, self.most)
        texts = [plain(samples[place]) for place in places]
        shown = present(task)
        return {
            "task_id": task.id,
            "samples": places,
            "distinct": len(set(texts)),
            "entailment": self._priced(_entailment, shown, texts),
            "p_true": self._priced(_p_true, shown, texts),
            "vote": self._priced(_vote, shown, texts),
        }

    def _priced(self, ask: Question, task: str, texts: Sequence[str]) -> dict[str, Any]:
        """Add to what *ask* finds what it cost; null where replies came from the store."""
        ledger = Ledger()
        model = StoredModel(self.model, self.store, ledger)
        wall, cpu = time.monotonic(), self._server_seconds()
        found = ask(model, task, texts, self.seed)
        wall, after = time.monotonic() - wall, self._server_seconds()
        fresh = ledger.total(replayed=True) == Usage()
        paid = ledger.total() + ledger.total(replayed=True)
        spent = None if cpu is None or after is None else round(after - cpu, 2)
        return found | {
            "seconds": round(wall, 2) if fresh else None,
            "server_cpu_seconds": spent if fresh else None,
            "prompt_tokens": paid.prompt_tokens,
            "completion_tokens": paid.completion_tokens,
        }

    def _server_seconds(self) -> float | None:
        """Return the CPU seconds that the serving process has used so far."""
        if self.server is None:
            return None
        fields = Path(f"/proc/{self.server}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _entailment(model: ChatModel, task: str, texts: Sequence[str], seed: int) -> dict[str, Any]:
    """Group by both directions against one representative, a no ending the pair."""
    measure = Entailment(model, task, against="representative", seed=seed)
    found = measure.partition(texts)
    return {"labels": list(found.labels), "calls": found.calls, "notes": list(found.notes)}


def _p_true(model: ChatModel, task: str, texts: Sequence[str], seed: int) -> dict[str, Any]:
    """Ask once a distinct text: the sampled answer, and the weight of True at its token."""
    said, weight = {}, {}
    for text in dict.fromkeys(texts):
        question = prompt("correctness", task=task, program=text)
        (reply,) = model.complete(question, n=1, sampling=_ANSWER, seed=seed)
        answer = verdict(reply.text)
        said[text] = None if answer is None else float(answer)
        found = probability_of_true(reply)
        weight[text] = None if found is None else round(found, 6)
    return {
        "sampled": [said[text] for text in texts],
        "probability": [weight[text] for text in texts],
        "calls": len(said),
    }


def _vote(model: ChatModel, task: str, texts: Sequence[str], seed: int) -> dict[str, Any]:
    """Let three further answers of the model vote; a tie is no majority."""
    votes = {}
    for text in dict.fromkeys(texts):
        question = prompt("correctness", task=task, program=text)
        asked = replace(_ANSWER, logprobs=0)
        replies = model.complete(question, n=VOTERS, sampling=asked, seed=seed + 1)
        given = [answer for reply in replies if (answer := verdict(reply.text)) is not None]
        votes[text] = float(2 * sum(given) > len(given)) if given else None
    return {"majority": [votes[text] for text in texts], "calls": VOTERS * len(votes)}


def ask_all(
    asker: Asker,
    tasks: Sequence[tuple[Task, Sequence[str]]],
    seconds: float,
    workers: int = 1,
) -> Iterator[dict[str, Any]]:
    """Yield a row a task; after *seconds* no further task is begun.

    With several *workers* tasks are asked about side by side: quicker where the server is
    shared, but the seconds of a task are then those of a busy server.
    """
    end = time.monotonic() + seconds
    timely = itertools.takewhile(lambda _: time.monotonic() < end, tasks)
    yield from Threads(workers).map(lambda pair: asker.row(*pair), timely)
