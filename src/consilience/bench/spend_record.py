"""Replay levers from recorded votes: no model is asked and no program is run.

A row of CoTT's experiment holds what every voter, every transductive program and every
candidate gave on every input. The oracles below hand those labels to the product's own gate,
stakes and stops: what is measured is the code that runs, on votes that were really cast.
Tokens: a request reads its prompt once, and a sample costs the mean of its input's recorded
ones. Where a variant asks for programs that the experiment did not draw, since the leader could
no longer be overtaken, they are charged for, and the leader stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from consilience.bench.cott import InputRow, Labels, TaskRow
from consilience.bench.metrics import bottom1, spearman, top1
from consilience.errors import InputError, ModelError
from consilience.oracles import Oracle, Prediction, decide
from consilience.oracles.gate import is_open
from consilience.oracles.sparing import gated
from consilience.oracles.stakes import Stakes
from consilience.oracles.stopping import is_settled, stages
from consilience.sandbox import Outcome
from consilience.settings import Settings
from consilience.task import TestInput
from consilience.values import Value
from consilience.votes import Votes, count_votes

FAILED = Outcome("raised", error="Exception")


@dataclass(slots=True)
class RecordedVotes:
    """Rows of the experiment, judged again by any settings."""

    tasks: Sequence[TaskRow]
    settings: Settings

    @property
    def source(self) -> Mapping[str, Any]:
        """Say whose votes these are, and how they are replayed."""
        return {"model": self.tasks[0].model, "replay": "recorded votes, no program run"}

    @property
    def names(self) -> list[str]:
        """The tasks' ids."""
        return [row.task_id for row in self.tasks]

    def rows(self, changes: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Judge every task with *changes* to the settings; score and count.

        Raises:
            ModelError: a sample is asked for that was not drawn.
        """
        settings = replace(self.settings, **changes)
        return [judged(row, settings) for row in self.tasks]


@dataclass(slots=True)
class Voting:
    """Recorded general programs: the first so many of those that may vote."""

    columns_by_place: Sequence[Sequence[Outcome]]
    settings: Settings

    def columns(self, inputs: Sequence[TestInput]) -> list[Sequence[Outcome]]:
        """Return what each program did, a column an input."""
        return [self.columns_by_place[item.args[0]] for item in inputs]

    def votes(self, inputs: Sequence[TestInput]) -> list[Votes]:
        """Count the votes on each input."""
        return [count(column, self.settings) for column in self.columns(inputs)]

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict the majority."""
        return [decide(votes, "inductive") for votes in self.votes(inputs)]


@dataclass(slots=True)
class Drawing:
    """Recorded transductive programs, drawn again in stages; counts what that costs."""

    inputs: Sequence[InputRow]
    settings: Settings
    cost: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """Tokens read and written."""

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict the majority of the programs written for each input."""
        return [decide(self._votes(self.inputs[i.args[0]]), "transductive") for i in inputs]

    def programs(self, *, apart_from: TestInput) -> list[str]:
        """Lend nothing: what a program does on other inputs was not recorded."""
        return []

    def _votes(self, row: InputRow) -> Votes:
        plan = _stages(self.settings)
        votes = Votes(None, 0, 0)
        for drawn in plan:
            votes = count(outcomes(row.transductive[:drawn]), self.settings)
            if is_settled(votes, plan[-1] - drawn, self.settings.doubt):
                break
        self._charge(row, plan.index(drawn) + 1, drawn)
        return votes

    def _charge(self, row: InputRow, requests: int, drawn: int) -> None:
        if not row.transductive:
            message = f"No program was drawn for {row.call}."
            raise ModelError(message)
        read, written = row.tokens["transduction"]
        recorded = 1 if len(row.transductive) == _stages(_as_recorded(self.settings))[0] else 2
        self.cost[0] += requests * read / recorded
        self.cost[1] += drawn * written / len(row.transductive)


def opened(rows: Sequence[TaskRow]) -> RecordedVotes:
    """Take the settings of the experiment from its rows.

    Raises:
        InputError: there are no rows.
    """
    if not rows:
        raise InputError("The record holds no task.")
    names = {each.name for each in fields(Settings)}
    given: dict[str, Any] = {k: v for k, v in rows[0].settings.items() if k in names}
    settings = Settings(**given)
    if not any(one.transductive for row in rows for one in row.inputs):
        # A pool's samples as voters: only what induction spends can be replayed.
        most = max(len(row.believing) for row in rows)
        settings = replace(settings, method="rstar", n_inductive=most)
    return RecordedVotes(rows, settings)


def judged(row: TaskRow, settings: Settings) -> dict[str, Any]:
    """Label the inputs of *row* by *settings*; rank its candidates; compare with the truth."""
    panel, drawn, requests = _panel(row, settings)
    drawing = Drawing(row.inputs, settings)
    items = [TestInput((place,)) for place in range(len(row.inputs))]
    voting = Voting(panel, settings)
    oracle = _oracle(row, settings, voting, drawing)
    made = oracle.predict(items)
    labels = [_number(prediction.value) for prediction in made]
    given = [stated for stated in row.given if settings.examples]
    passes = [
        sum(one.candidates[place] == one.expected for one in given)
        + sum(
            label is not None and one.candidates[place] == label
            for one, label in zip(row.inputs, labels, strict=True)
        )
        for place in range(len(row.candidates))
    ]
    return {
        "task_id": row.task_id,
        **_scored(passes, len(given) + sum(label is not None for label in labels), row.truth),
        "labels": _right(row.inputs, made),
        "programs": round(drawn * len(row.believing)),
        "inputs": len(items),
        "gated": sum(is_open(votes, settings.tau) for votes in voting.votes(items)),
        "tokens": _tokens(row, (drawn, requests), drawing.cost),
        "drawn_live": 0,
    }


def count(column: Sequence[Outcome], settings: Settings) -> Votes:
    """Count outcomes as the settings say."""
    return count_votes(column, failures=settings.failures, exceptions=settings.exceptions)


def outcomes(labels: Labels) -> list[Outcome]:
    """Turn labels into outcomes again: equal numbers are equal values."""
    return [FAILED if n is None else Outcome("ok", Value.of(n)) for n in labels]


def _panel(row: TaskRow, settings: Settings) -> tuple[list[list[Outcome]], float, int]:
    """Return the columns of those who vote, the share of programs drawn, and the requests."""
    total = min(settings.n_inductive, len(row.believing))
    columns: list[list[Outcome]] = []
    plan = list(stages(total, settings.first_inductive or total, settings.batch))
    for drawn in plan:
        chosen = _voting(row, drawn, settings)
        columns = [outcomes(tuple(one.voters[i] for i in chosen)) for one in row.inputs]
        found = [count(column, settings) for column in columns]
        if all(
            not is_open(votes, settings.tau)
            and is_settled(votes, total - drawn, settings.doubt)
            for votes in found
        ):
            break
    return columns, drawn / total, plan.index(drawn) + 1


def _voting(row: TaskRow, drawn: int, settings: Settings) -> list[int]:
    """Choose those of the first *drawn* that pass the examples, or all where none does."""
    rights = [
        all(stated.voters[place] == stated.expected for stated in row.given)
        for place in range(drawn)
    ]
    kept = [place for place in range(drawn) if rights[place]]
    return kept if settings.examples and kept else list(range(drawn))


def _oracle(row: TaskRow, settings: Settings, voting: Voting, drawing: Drawing) -> Oracle:
    if settings.method == "rstar":
        return voting
    if settings.method == "tt":
        return drawing
    given = [
        sum(stated.candidates[place] == stated.expected for stated in row.given)
        if settings.examples
        else 0
        for place in range(len(row.candidates))
    ]
    items = [TestInput((place,)) for place in range(len(row.inputs))]
    stakes = Stakes(items, [outcomes(one.candidates) for one in row.inputs], given)
    return gated(voting, drawing, settings, stakes)


def _stages(settings: Settings) -> list[int]:
    total = settings.n_transductive
    if not settings.sequential:
        return [total]
    return list(stages(total, settings.first or total // 2 + 1, settings.batch))


def _as_recorded(settings: Settings) -> Settings:
    return replace(settings, first=0, batch=0, sequential=True)


def _number(value: Value | None) -> int | None:
    found = None if value is None else value.python()
    return found if isinstance(found, int) else None


def _scored(passes: Sequence[int], tests: int, truth: Sequence[float]) -> dict[str, Any]:
    scores = [passed / tests if tests else 0.0 for passed in passes]
    leaders = [place for place, score in enumerate(scores) if score == max(scores)]
    return {
        "scores": [round(score, 6) for score in scores],
        "winner": leaders[0] if len(leaders) == 1 and any(scores) else None,
        "top1": top1(scores, truth).value,
        "bottom1": bottom1(scores, truth).value,
        "rho": spearman(scores, truth).value,
    }


def _right(inputs: Sequence[InputRow], made: Sequence[Prediction]) -> dict[str, dict[str, int]]:
    """Count the labels by route, and those that the reference solution shares."""
    found: dict[str, dict[str, int]] = {}
    for row, prediction in zip(inputs, made, strict=True):
        label = _number(prediction.value)
        if label is None:
            continue
        route = prediction.route + ("" if prediction.reliable else " (unreliable)")
        counts = found.setdefault(route, {"tests": 0, "right": 0, "invalid": 0})
        counts["tests"] += 1
        counts["right"] += row.right[label]
        counts["invalid"] += row.truth is None
    return dict(sorted(found.items()))


def _tokens(
    row: TaskRow, panel: tuple[float, int], cost: Sequence[float]
) -> dict[str, list[int]]:
    spent = {stage: list(counts) for stage, counts in row.tokens.items() if stage != "syntra"}
    if "induction" in spent:
        read, written = spent["induction"]
        spent["induction"] = [read * panel[1], round(written * panel[0])]
    if any(cost):
        spent["transduction"] = [round(cost[0]), round(cost[1])]
    return spent
