"""Label the inputs of a record by each method: no model is asked, no program is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from consilience.bench.cott import InputRow, Labels, Stated, TaskRow
from consilience.oracles import Prediction, decide
from consilience.oracles.gate import choose, is_open, keep
from consilience.ranking import PassMatrix
from consilience.sandbox import Outcome
from consilience.task import Candidate, TestCase, TestInput
from consilience.values import Value
from consilience.votes import Votes, count_votes

FAILED = Outcome("raised")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a method may choose after everything was seen."""

    tau: float = 0.8
    failures: Literal["count", "ignore"] = "count"
    examples: bool = True
    """Whether the task's own examples choose the voters and join the tests."""


PLAIN = Rule()


@dataclass(frozen=True, slots=True)
class Label:
    """What a method expects of one input."""

    number: int | None
    """Of the output; None where the method abstains, and the input becomes no test."""
    route: str = ""
    reliable: bool = True
    confidence: float = 1.0


Method = Callable[[TaskRow, Rule], list[Label]]


def label(method: str, task: TaskRow, rule: Rule = PLAIN) -> list[Label]:
    """Label the inputs of *task* by *method*, a name of `METHODS`."""
    return METHODS[method](task, rule)


def available(rows: Sequence[TaskRow]) -> list[str]:
    """List the methods that a record has what they need: all of them, if all parts were run."""
    inputs = [row for task in rows for row in task.inputs]
    seen = {
        "cot": any(row.cot for row in inputs),
        "sol-ver": any(row.sol_ver for row in inputs),
        "syntra": any(row.syntra is not None for row in inputs),
        "tt": any(row.transductive for row in inputs),
        "cott": any(row.transductive for row in inputs),
    }
    return [method for method in METHODS if seen.get(method, True)]


def matrix(method: str, task: TaskRow, rule: Rule = PLAIN) -> PassMatrix:
    """Tell which candidate passes which test of *method*; given tests come first.

    For `true` a candidate passes where the benchmark's own rule accepts its output.
    """
    tests: list[tuple[Stated | InputRow, Label]] = [
        (row, Label(row.expected, "given")) for row in task.given if rule.examples
    ]
    tests += [
        (row, found)
        for row, found in zip(task.inputs, label(method, task, rule), strict=True)
        if found.number is not None
    ]
    columns = [_passes(row, found, by_rule=method == "true") for row, found in tests]
    rows = tuple(zip(*columns, strict=True)) or tuple(() for _ in task.candidates)
    classes = tuple(zip(*(row.candidates for row, _ in tests), strict=True))
    return PassMatrix(
        tuple(Candidate(task.task_id, "", i, name) for i, name in enumerate(task.candidates)),
        rows,
        classes or tuple(() for _ in task.candidates),
        tuple(_test(row.values, found) for row, found in tests),
    )


def inductive(task: TaskRow, row: InputRow, rule: Rule = PLAIN) -> Votes:
    """Count the votes of the general programs (CoTT, Eq. 1)."""
    trusted = [
        number
        for number, believed in zip(row.voters, task.believing, strict=True)
        if believed or not rule.examples
    ]
    return cast(row.values, trusted, rule)


def transductive(row: InputRow, rule: Rule = PLAIN) -> Votes:
    """Count the votes of the programs for this input (CoTT, Eq. 3)."""
    return cast(row.values, row.transductive, rule)


def cast(values: Sequence[str], numbers: Labels | Sequence[int | None], rule: Rule) -> Votes:
    """Count *numbers* as votes for the outputs they stand for."""
    outcomes = [FAILED if n is None else Outcome("ok", Value(values[n])) for n in numbers]
    return count_votes(outcomes, failures=rule.failures)


def _passes(row: Stated | InputRow, found: Label, *, by_rule: bool) -> tuple[bool, ...]:
    return tuple(
        number is not None and (row.right[number] if by_rule else number == found.number)
        for number in row.candidates
    )


def _voting(votes: Callable[[TaskRow, InputRow, Rule], Votes], route: str) -> Method:
    """Make the method that takes the majority of *votes*."""

    def labels(task: TaskRow, rule: Rule) -> list[Label]:
        return [
            _label(row, decide(votes(task, row, rule), "predicted"), route)
            for row in task.inputs
        ]

    return labels


def _gate(task: TaskRow, rule: Rule) -> list[Label]:
    """Believe induction where it is confident, else transduction (CoTT, Eq. 4)."""
    labels = []
    for row in task.inputs:
        votes = inductive(task, row, rule)
        if not is_open(votes, rule.tau):
            labels.append(_label(row, keep(votes)))
            continue
        second = decide(transductive(row, rule), "transductive")
        labels.append(_label(row, choose(votes, second)))
    return labels


def _label(row: InputRow, prediction: Prediction, route: str = "") -> Label:
    value = prediction.value
    number = None if value is None else row.values.index(value.payload)
    return Label(
        number,
        route or prediction.route,
        prediction.reliable,
        prediction.votes.confidence,
    )


def _syntra(task: TaskRow, _: Rule) -> list[Label]:
    return [Label(row.syntra, "syntra") for row in task.inputs]


def _bound(task: TaskRow, rule: Rule) -> list[Label]:
    """Gate as CoTT does, with transduction that is always right: its upper bound."""
    labels = []
    for row in task.inputs:
        votes = inductive(task, row, rule)
        opened = is_open(votes, rule.tau)
        labels.append(Label(row.truth, "reference") if opened else _label(row, keep(votes)))
    return labels


def _true(task: TaskRow, _: Rule) -> list[Label]:
    return [Label(row.truth, "reference") for row in task.inputs]


def _random(task: TaskRow, _: Rule) -> list[Label]:
    """Label with nothing: every candidate ties, unless the task's examples tell them apart."""
    return [Label(None) for _ in task.inputs]


def _test(values: Sequence[str], found: Label) -> TestCase:
    number = found.number or 0
    return TestCase(
        TestInput(()),
        Value(values[number]),
        "predicted",
        found.confidence,
        reliable=found.reliable,
    )


METHODS: Mapping[str, Method] = {
    "random": _random,
    "cot": _voting(lambda _, row, rule: cast(row.values, row.cot, rule), "cot"),
    "sol-ver": _voting(lambda _, row, rule: cast(row.values, row.sol_ver, rule), "sol-ver"),
    "syntra": _syntra,
    "rstar": _voting(inductive, "inductive"),
    "tt": _voting(lambda _, row, rule: transductive(row, rule), "transductive"),
    "cott": _gate,
    "bound": _bound,
    "true": _true,
}
"""The six of the paper's table, between chance and what outputs of the benchmark reach."""
