"""What the pools' programs do on inputs made without ground truth, and which are right.

All distinct programs of a task run once on inputs synthesised by `inputs.model_free`, and once
on the reference inputs (base, and evenly spaced plus inputs up to a cap), by which alone a
program counts as right. What is kept of an output is the number of its class of equals: a few
kilobytes a task, from which votes of any programs on any inputs can be counted again.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from consilience.bench.ranking_tasks import label
from consilience.code import normalise
from consilience.errors import InputError
from consilience.formats import accepts, load_tasks
from consilience.formats.samples import program_of
from consilience.inputs.disagreement import failing
from consilience.inputs.model_free import proposals
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.store import digest
from consilience.task import Reference, Task, TestInput
from consilience.values import Value, classes
from consilience.voters import Voters

POOLS = {
    "humaneval": ("HumanEvalPlus.jsonl.gz", "humaneval_pool_open_licence.jsonl.gz"),
    "mbpp+": ("MbppPlus.jsonl.gz", "mbppplus_pool_open_licence.jsonl.gz"),
}
PROPOSED = 60
"""Mutants a task."""
MOST_OF_A_SOURCE = 20
"""Samples of one model on one task; codegen has a hundred."""
LIMITS = Limits(cpu_seconds=0.25, total_seconds=60.0)
"""Tighter than a judge's: one in twenty of these programs never ends."""
FIRST = 8
"""Synthesised inputs after which a program that ran out of time on one is run no further."""
PARTS = (3, 10)
"""Reference inputs after which a program that failed one, so is wrong, is run no further."""
TYPING = "from typing import *\n"
"""What the pools' own harness put before a program: many leave the import to the prompt."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of the pool: who wrote it, and which distinct program it is."""

    source: str
    model: str
    temperature: float | None
    program: int


@dataclass(frozen=True, slots=True)
class Column:
    """What every distinct program did on one input."""

    args: str
    """The arguments as text, for people."""
    origin: str
    classes: tuple[int | None, ...]
    """Equal numbers mean equal outputs; None where none came back."""
    accepted: tuple[int, ...]
    """Classes that are right: those the reference solution shares."""
    valid: bool = True
    """Whether the reference solution returns anything here."""
    expected: int | None = None
    """For an example of the task: the class of the result that it states; -1 for none."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that was seen of one task."""

    dataset: str
    task_id: str
    programs: tuple[str, ...]
    right: tuple[bool | None, ...]
    """Whether a program gives every reference output; None where time ran out first."""
    samples: tuple[Sample, ...]
    columns: tuple[Column, ...]
    reference_inputs: int


STOPPED = frozenset({"timeout", "load_timeout", "skipped"})


def observe(
    data: Path,
    out: Path,
    sandbox: Sandbox,
    *,
    limit: int | None = None,
    done: Callable[[str], None] = lambda told: None,
) -> list[Observed]:
    """Observe every task of the pools in *data*; what *out* has already is not run again.

    Tasks come in an order that mixes the datasets, so that what a stopped run has is a sample
    of all; *limit* ends the run after so many new tasks.
    """
    known = {o.task_id: o for o in read(out)} if out.exists() else {}
    fresh = [
        (dataset, task, rows) for dataset, task, rows in _posed(data) if task.id not in known
    ]
    for dataset, task, rows in fresh[:limit]:
        found = known[task.id] = one(dataset, task, rows, sandbox)
        _append(out, found)
        done(f"{task.id}: {len(found.programs)} programs, {sum(map(bool, found.right))} right")
    return sorted(known.values(), key=lambda each: (each.dataset, each.task_id))


def _posed(data: Path) -> list[tuple[str, Task, Sequence[Mapping[str, Any]]]]:
    """List the tasks that have samples, in the order of a digest of their names."""
    posed = []
    for dataset, (tasks, pool) in POOLS.items():
        rows = _by_task(data / pool)
        posed += [(dataset, t, rows[t.id]) for t in load_tasks(data / tasks) if t.id in rows]
    return sorted(posed, key=lambda each: digest(each[1].id))


def read(path: Path) -> list[Observed]:
    """Read what `observe` wrote."""
    if not path.is_file():
        message = f"No observations at {path}."
        raise InputError(message, hint="Run `consilience bench observe` first.")
    with gzip.open(path, "rb") as file:
        return [msgspec.json.decode(line, type=Observed) for line in file]


def one(
    dataset: str, task: Task, rows: Sequence[Mapping[str, Any]], sandbox: Sandbox
) -> Observed:
    """Run all distinct programs among *rows* on the synthesised and on the reference inputs."""
    reference = task.reference
    if reference is None:
        message = f"Task {task.id} has no reference to tell right programs by."
        raise InputError(message, hint="Use a dataset with solutions, such as HumanEval+.")
    programs: dict[str, str] = {}
    samples = []
    for row in rows:
        code = with_typing(program_of(row["solution"], task))
        programs.setdefault(normalise(code), code)
        place = list(programs).index(normalise(code))
        samples.append(Sample(row["source"], row["model"], row["temperature"], place))
    sources = list(programs.values())
    voters = Voters(sources, task.entry_point, sandbox, LIMITS)
    right, count = _right(task, reference, sources, sandbox)
    inputs = [TestInput(example.args, "example") for example in task.examples]
    proposed = proposals(task, voters, count=PROPOSED)
    probes = Voters(_probes(samples, sources), task.entry_point, sandbox, LIMITS)
    useless = failing(probes.outcomes(item.args for item in proposed))
    inputs += [item for place, item in enumerate(proposed) if place not in useless]
    return Observed(
        dataset,
        task.id,
        tuple(sources),
        right,
        tuple(samples),
        tuple(_columns(task, reference, inputs, voters, sandbox)),
        count,
    )


def with_typing(code: str) -> str:
    """Import the names of typing where a program uses one and imports nothing from there."""
    used = re.search(r"\b(List|Dict|Tuple|Set|Optional|Any|Union|Callable|Iterable)\b", code)
    return TYPING + code if used and "typing" not in code else code


def _probes(samples: Sequence[Sample], sources: Sequence[str]) -> list[str]:
    """Choose one program of each model: inputs on which most of these fail are left out."""
    first: dict[str, int] = {}
    for sample in samples:
        first.setdefault(sample.model, sample.program)
    return [sources[place] for place in first.values()]


def _right(
    task: Task, reference: Reference, sources: Sequence[str], sandbox: Sandbox
) -> tuple[tuple[bool | None, ...], int]:
    """Judge by the reference inputs; who fails one of the first is not run on the rest."""
    suite, limits = label(task, reference, sandbox)
    right: dict[str, bool | None] = dict.fromkeys(sources, True)
    bounds = [0, *PARTS, len(suite.tests)]
    for start, stop in pairwise(bounds):
        tests = suite.tests[start:stop]
        left = [source for source, verdict in right.items() if verdict is not False]
        inputs = [test.input.args for test in tests]
        expected = [(test.input.args, test.expected) for test in tests]
        limits = replace(limits, total_seconds=LIMITS.total_seconds)
        rows = sandbox.run(left, task.entry_point, inputs, limits) if inputs else []
        for source, row in zip(left, rows, strict=bool(rows)):
            right[source] = _verdict(reference, expected, row) and right[source]
    return tuple(right[source] for source in sources), len(suite.tests)


def _verdict(
    reference: Reference,
    expected: Sequence[tuple[tuple[Any, ...], Value]],
    row: Sequence[Outcome],
) -> bool | None:
    """Tell whether a program is right; one wrong call is enough to be wrong."""
    unjudged = False
    for (args, want), outcome in zip(expected, row, strict=True):
        if outcome.status in {"skipped", "infrastructure"}:
            unjudged = True
        elif outcome.value is None or not accepts(reference, args, outcome.value, want):
            return False
    return None if unjudged else True


def _columns(
    task: Task,
    reference: Reference,
    inputs: Sequence[TestInput],
    voters: Voters,
    sandbox: Sandbox,
) -> Iterator[Column]:
    called = [item.args for item in inputs]
    (truths,) = sandbox.run([reference.solution], task.entry_point, called)
    stated = [Value.of(example.expected) for example in task.examples]
    columns = _outcomes(called, voters, task.entry_point, sandbox)
    for place, (item, truth, column) in enumerate(zip(inputs, truths, columns, strict=True)):
        want = stated[place] if place < len(stated) else None
        yield _column(reference, item, truth, column, want)


def _outcomes(
    inputs: Sequence[tuple[Any, ...]], voters: Voters, entry_point: str, sandbox: Sandbox
) -> list[list[Outcome]]:
    """Return a column an input; who ran out of time on one of the first is run no further."""
    first = voters.outcomes(inputs[:FIRST])
    late = {row for column in first for row, o in enumerate(column) if o.status in STOPPED}
    kept = [row for row in range(len(voters.sources)) if row not in late]
    quick = Voters([voters.sources[row] for row in kept], entry_point, sandbox, LIMITS)
    rest = [[Outcome("timeout")] * len(voters.sources) for _ in inputs[FIRST:]]
    for full, column in zip(rest, quick.outcomes(inputs[FIRST:]), strict=True):
        for row, outcome in zip(kept, column, strict=True):
            full[row] = outcome
    return first + rest


def _column(
    reference: Reference,
    item: TestInput,
    truth: Outcome,
    column: Sequence[Outcome],
    want: Value | None,
) -> Column:
    values = [o.value for o in column if o.ok and o.value is not None and not o.value.opaque]
    labels = classes([*values, want] if want is not None else values)
    names = iter(labels)
    found = tuple(
        next(names) if o.ok and o.value is not None and not o.value.opaque else None
        for o in column
    )
    accepted = {
        label
        for label, value in zip(labels, values, strict=False)
        if truth.value is not None and accepts(reference, item.args, value, truth.value)
    }
    expected = None if want is None else labels[-1]
    return Column(
        repr(item.args)[:300], item.origin, found, tuple(sorted(accepted)), truth.ok, expected
    )


def _by_task(path: Path) -> dict[str, list[Mapping[str, Any]]]:
    if not path.is_file():
        message = f"No pool at {path}."
        raise InputError(message, hint="Set CONSILIENCE_DATA to the data folder.")
    found: dict[str, list[Mapping[str, Any]]] = {}
    seen: dict[tuple[str, str], int] = {}
    for row in _rows(path):
        name = (row["task_id"], row["model"])
        seen[name] = seen.get(name, 0) + 1
        if seen[name] <= MOST_OF_A_SOURCE:
            found.setdefault(row["task_id"], []).append(row)
    return found


def _rows(path: Path) -> Iterable[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _append(out: Path, found: Observed) -> None:
    """Add one task; gzip members may follow one another, so a killed run keeps what it has."""
    out.parent.mkdir(parents=True, exist_ok=True)
    line = gzip.compress(msgspec.json.encode(found) + b"\n", mtime=0)
    with out.open("ab") as file:
        file.write(line)
