"""Number the outputs of one input: what candidates, voters, answers and the reference gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from consilience.bench.cott import Cost, InputRow, Labels, Stated
from consilience.bench.ranking_tasks import RankingTask
from consilience.errors import InputError
from consilience.formats import accepts
from consilience.judge import Judge
from consilience.sampling import probe_text
from consilience.sandbox import Limits, Outcome
from consilience.store import digest
from consilience.task import Reference, TestInput
from consilience.values import Value, classes
from consilience.voters import Voters

if TYPE_CHECKING:
    from consilience.bench.cott.experiment import Said

LONGEST = 200
"""Characters of an output or a call that a record keeps."""
REFERENCE_SECONDS = 10.0
"""CPU time of a call of the reference solution."""


class Numbering:
    """The distinct outputs on one input, in the order of their first appearance."""

    def __init__(self, groups: Sequence[Sequence[Outcome]], more: Sequence[Value]) -> None:
        given = [value for group in groups for value in map(usable, group) if value is not None]
        everything = [*given, *more]
        self.values: list[Value] = []
        self._numbers: dict[str, int] = {}
        seen: dict[int, int] = {}
        for value, group in zip(everything, classes(everything), strict=True):
            if group not in seen:
                seen[group] = len(self.values)
                self.values.append(value)
            self._numbers[value.payload] = seen[group]

    def labels(self, outcomes: Sequence[Outcome]) -> Labels:
        """Number outcomes; None where there is no value to compare."""
        return tuple(self.label(usable(outcome)) for outcome in outcomes)

    def label(self, value: Value | None) -> int | None:
        """Return the number of an output that was given to the constructor."""
        return None if value is None else self._numbers[value.payload]


def kept(payload: str) -> str:
    """Return what a record keeps of an output: all of it, or the digest of a long one."""
    if len(payload) <= LONGEST:
        return payload
    return Value.of(f"({len(payload)} characters, SHA-256 {digest(payload)[:16]})").payload


def told(call: str) -> str:
    """Shorten a call for the eye; it is not run again."""
    return call if len(call) <= LONGEST else f"{call[:LONGEST]}... ({len(call)} characters)"


def usable(outcome: Outcome) -> Value | None:
    """Return the value of an outcome that can be compared with others."""
    value = outcome.value if outcome.ok else None
    return None if value is None or value.opaque else value


def input_rows(
    posed: RankingTask,
    inputs: Sequence[TestInput],
    voters: Voters,
    chosen: Sequence[Value | None],
    asked: Sequence[tuple[Said, Cost]],
    judge: Judge,
) -> tuple[InputRow, ...]:
    """Put together what everything gave on each input; *chosen* is SYNTRA's."""
    args = [item.args for item in inputs]
    ran = _columns(posed, voters, args, judge)
    rows = []
    for item, (truth, candidates, general), value, (said, tokens) in zip(
        inputs, ran, chosen, asked, strict=True
    ):
        parts = [said.get(part, ()) for part in ("transduction", "cot", "sol-ver")]
        table = Numbering([[truth], candidates, general, *parts], [value] if value else [])
        rows.append(
            InputRow(
                call=told(probe_text(posed.task, item.probe)),
                origin=item.origin,
                values=tuple(kept(value.payload) for value in table.values),
                right=_right(posed, item.args, truth, table),
                truth=table.label(usable(truth)),
                candidates=table.labels(candidates),
                voters=table.labels(general),
                transductive=table.labels(parts[0]),
                cot=table.labels(parts[1]),
                sol_ver=table.labels(parts[2]),
                syntra=table.label(value),
                tokens=tokens,
            )
        )
    return tuple(rows)


def stated_rows(posed: RankingTask, voters: Voters, judge: Judge) -> tuple[Stated, ...]:
    """Put together what candidates and voters gave on the task's own examples."""
    examples = posed.task.examples
    ran = _columns(posed, voters, [example.args for example in examples], judge)
    rows = []
    for example, (truth, candidates, general) in zip(examples, ran, strict=True):
        expected = Value.of(example.expected)
        table = Numbering([[truth], candidates, general], [expected])
        label = table.label(expected)
        if label is None:
            continue  # the example's value cannot be compared
        rows.append(
            Stated(
                call=told(probe_text(posed.task, example.probe)),
                expected=label,
                values=tuple(kept(value.payload) for value in table.values),
                right=_right(posed, example.args, truth, table),
                candidates=table.labels(candidates),
                voters=table.labels(general),
            )
        )
    return tuple(rows)


def _columns(
    posed: RankingTask, voters: Voters, args: list[tuple[Any, ...]], judge: Judge
) -> list[tuple[Outcome, list[Outcome], list[Outcome]]]:
    """Run the reference, the candidates and the voters: a triple an input."""
    if not args:
        return []
    name, run = posed.task.entry_point, judge.sandbox.run
    [truth] = run([_reference(posed).solution], name, args, Limits(REFERENCE_SECONDS))
    limits = Limits(cpu_seconds=judge.settings.cpu_seconds)
    rows = run([candidate.code for candidate in posed.candidates], name, args, limits)
    columns = [[row[place] for row in rows] for place in range(len(args))]
    return list(zip(truth, columns, voters.outcomes(args), strict=True))


def _right(
    posed: RankingTask, args: tuple[Any, ...], truth: Outcome, table: Numbering
) -> tuple[bool, ...]:
    """Tell which outputs the benchmark's own rule accepts; none where its solution fails."""
    expected = usable(truth)
    if expected is None:
        return (False,) * len(table.values)
    return tuple(accepts(_reference(posed), args, each, expected) for each in table.values)


def _reference(posed: RankingTask) -> Reference:
    if posed.task.reference is None:
        message = f"Task {posed.task.id} has no reference to score against."
        raise InputError(message, hint="Use a dataset with solutions, such as HumanEval+.")
    return posed.task.reference
