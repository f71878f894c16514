"""SYNTRA: find the right outputs by asking which hypothesis is right (Lee et al. 2025).

A hypothesis is a tuple of outputs, one an input, that at least one general program gave. The
model is asked about the input that eliminates most hypotheses whatever it answers (maximin),
and picks among the outputs of those that survive; the others are eliminated. Few queries settle
many inputs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.models import ChatModel, Sampling
from consilience.models.prompts import render
from consilience.oracles import Prediction
from consilience.oracles.chain_of_thought import answer_text, concluded
from consilience.sampling import present, probe_text
from consilience.sandbox import Outcome
from consilience.settings import Settings
from consilience.task import Alternative, Task, TestInput
from consilience.values import Value, classes, equal
from consilience.voters import Voters
from consilience.votes import Votes, count_votes

Hypothesis = tuple[int | None, ...]
"""For each input, the number of the output among the distinct ones; None: no output."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Query:
    """What the model was asked, and what it picked."""

    place: int
    """Of the input."""
    options: tuple[int, ...]
    picked: int | None
    """None where the answer named none of them: nothing was eliminated."""


class Syntra:
    """General programs make hypotheses, and *model* chooses among them."""

    def __init__(
        self, task: Task, model: ChatModel, voters: Voters, settings: Settings
    ) -> None:
        self._task = task
        self._model = model
        self._voters = voters
        self._settings = settings
        self.queries: list[Query] = []
        """Of the latest prediction."""

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict every input by the hypothesis that survives."""
        columns = self._voters.outcomes(item.probe for item in inputs)
        tables = [_distinct(column) for column in columns]
        rows = Counter(zip(*(table.labels for table in tables), strict=True))
        left, self.queries = eliminate(
            rows, lambda place, options: self._pick(inputs[place], tables[place], options)
        )
        best = _heaviest(left)
        return [
            self._prediction(table, None if best is None else best[place], column)
            for place, (table, column) in enumerate(zip(tables, columns, strict=True))
        ]

    def _pick(self, item: TestInput, table: _Table, options: Sequence[int]) -> int | None:
        """Ask which of the outputs *options* is right for *item*."""
        shown = [table.values[option].preview(200) for option in options]
        prompt = render(
            "choice",
            task=present(self._task),
            call=probe_text(self._task, item.probe),
            options="\n".join(f"{number}. {text}" for number, text in enumerate(shown, 1)),
        )
        sampling = Sampling(0.0, 1.0, self._settings.reasoning_tokens)
        seed = self._settings.seed
        [reply] = self._model.complete(prompt, sampling=sampling, seed=seed)
        text = concluded(self._model, prompt, reply, seed=seed)
        return picked(text, options, shown)

    def _prediction(
        self, table: _Table, chosen: int | None, column: Sequence[Outcome]
    ) -> Prediction:
        votes = count_votes(column, failures=self._settings.failures)
        if chosen is None:
            reason = "the surviving hypothesis has no output here"
            return Prediction(None, "inductive", votes, reliable=False, reason=reason)
        value = table.values[chosen]
        return Prediction(value, "inductive", _for(value, table.labels.count(chosen), votes))


def eliminate(
    hypotheses: Mapping[Hypothesis, int],
    pick: Callable[[int, tuple[int, ...]], int | None],
) -> tuple[dict[Hypothesis, int], list[Query]]:
    """Query until one hypothesis is left, or no input tells the remaining ones apart.

    *hypotheses* maps each to the number of programs that gave it. *pick* is given the place of
    an input and the outputs of the survivors there. An answer that names none of them
    eliminates nothing, and its input is not asked about again.
    """
    left, queries = dict(hypotheses), []
    asked: set[int] = set()
    while (place := most_telling(list(left), asked)) is not None:
        asked.add(place)
        options = tuple(sorted({o for row in left if (o := row[place]) is not None}))
        query = Query(place, options, pick(place, options))
        queries.append(query)
        if query.picked is not None:
            left = {row: n for row, n in left.items() if row[place] == query.picked}
    return left, queries


def most_telling(rows: Sequence[Hypothesis], asked: set[int]) -> int | None:
    """Return the input whose largest group of like answers is smallest; the first of several.

    Whatever the answer, at least the others are eliminated. Inputs without two different
    outputs to choose between tell nothing.
    """
    sizes = {}
    for place in range(len(rows[0]) if rows else 0):
        groups = Counter(row[place] for row in rows)
        outputs = len(groups) - (None in groups)
        if place not in asked and outputs > 1:
            sizes[place] = max(groups.values())
    return min(sizes, key=lambda place: (sizes[place], place)) if sizes else None


def picked(reply: str, options: Sequence[int], shown: Sequence[str]) -> int | None:
    """Read which option a reply names: by its number, or by its text."""
    text = answer_text(reply)
    if text in shown:
        return options[shown.index(text)]
    number = _NUMBER.search(text)
    place = int(number.group()) - 1 if number and len(number.group()) < 4 else -1
    return options[place] if 0 <= place < len(options) else None


@dataclass(frozen=True, slots=True)
class _Table:
    """The distinct outputs on one input, and which of them each program gave."""

    values: tuple[Value, ...]
    labels: tuple[int | None, ...]


def _distinct(column: Sequence[Outcome]) -> _Table:
    given = [outcome.value if outcome.ok else None for outcome in column]
    usable = [value for value in given if value is not None and not value.opaque]
    numbers = iter(classes(usable))
    labels = [
        next(numbers) if value is not None and not value.opaque else None for value in given
    ]
    first: dict[int, Value] = {}
    for label, value in zip(labels, given, strict=True):
        if label is not None and value is not None:
            first.setdefault(label, value)
    return _Table(tuple(first[label] for label in sorted(first)), tuple(labels))


def _heaviest(left: Mapping[Hypothesis, int]) -> Hypothesis | None:
    return max(left, key=lambda row: left[row]) if left else None


def _for(value: Value, count: int, votes: Votes) -> Votes:
    """Return the programs' votes with *value* as the winner, whatever the majority said."""
    ranked = list(votes.alternatives)
    if votes.winner is not None:
        ranked.insert(0, Alternative(votes.winner, votes.count))
    others = tuple(other for other in ranked if not equal(other.value, value))
    return replace(votes, winner=value, count=count, tie=False, alternatives=others)
