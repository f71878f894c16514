"""Evidence about each candidate, from the cheapest to the dearest: text, behaviour, tests.

Every figure is about agreement: of the other samples with this one, of the samples with each
other, of tests with the program. A share is one of the *other* samples, so that one sample
alone supports nothing: its shares are not 0 but unknown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from consilience.ranking import PassMatrix
from consilience.sandbox import Outcome
from consilience.stated import expected
from consilience.task import Task
from consilience.trust import Evidence
from consilience.uncertainty import Encoder, Partition
from consilience.uncertainty.clusters import numbered
from consilience.uncertainty.entropy import normalised
from consilience.uncertainty.fase import Fase
from consilience.uncertainty.structure import Structural, structural_distances
from consilience.uncertainty.text import Textual, plain
from consilience.values import classes
from consilience.voters import Voters, agrees

TEXT = {
    "same text": 1, "same syntax": 1, "same embedding": 1, "closeness": 1,
    "syntax entropy": -1, "embedding entropy": -1, "parses": 1, "samples": 0,
}  # fmt: skip
BEHAVIOUR = {
    "examples passed": 1, "same behaviour": 1, "agreement": 1, "lead": 1, "returns": 1,
    "confidence": 1, "behaviour entropy": -1, "forms": 1, "inputs": 0,
}  # fmt: skip
TESTS = {
    "tests passed": 1, "lead in tests": 1, "test confidence": 1, "reliable tests": 1,
    "voters": 0, "tests": 0,
}  # fmt: skip
"""The figures of each stage, and which way each may move trust: up, down, or either."""

Classes = Sequence[Sequence[int | None]]
"""A row a candidate, a column an input: equal numbers mean equal outputs, None none."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Which samples are alike as text."""

    text: tuple[int, ...]
    syntax: tuple[int, ...]
    embedding: tuple[int, ...]
    closeness: tuple[float | None, ...]
    unparsable: tuple[int, ...] = ()


def compare_texts(samples: Sequence[str], encoder: Encoder) -> Texts:
    """Group *samples* by text, by syntax and by FASE; nothing is run."""
    texts = [plain(sample) for sample in samples]
    syntax = Structural().partition(texts)
    return Texts(
        Textual().partition(texts).labels,
        syntax.labels,
        _fase(texts, encoder).labels,
        _closeness(texts),
        syntax.unparsable,
    )


def of_texts(texts: Texts) -> list[dict[str, float | None]]:
    """Return the evidence of `TEXT` about each sample."""
    count = len(texts.text)
    syntax_entropy, embedding_entropy = _entropy(texts.syntax), _entropy(texts.embedding)
    columns = {
        "same text": _others(texts.text),
        "same syntax": _others(texts.syntax),
        "same embedding": _others(texts.embedding),
        "closeness": texts.closeness,
        "syntax entropy": [syntax_entropy] * count,
        "embedding entropy": [embedding_entropy] * count,
        "parses": [float(place not in texts.unparsable) for place in range(count)],
        "samples": [math.log2(count)] * count,
    }
    return _rows(columns, count)


def of_behaviour(
    table: Classes, forms: Sequence[Hashable], examples: Sequence[float | None]
) -> list[dict[str, float | None]]:
    """Return the evidence of `BEHAVIOUR` about each sample.

    *forms* tells which samples are the same program in another dress: agreement of programs
    that were written differently says more. *examples* is the share of the task's own examples
    that each passes, None where it has none.
    """
    count, inputs = len(table), len(table[0]) if table else 0
    if not inputs:
        return _rows({"examples passed": examples}, count)
    # Programs that gave nothing back agree on nothing: each is a kind of its own.
    labels = numbered(
        tuple(row) if any(cell is not None for cell in row) else place
        for place, row in enumerate(table)
    )
    agreement = _agreement(table)
    confidence, entropy = _confidence(table), _entropy(labels)
    columns: dict[str, Sequence[float | None]] = {
        "examples passed": examples,
        "same behaviour": _others(labels),
        "agreement": agreement,
        "lead": lead(agreement, labels),
        "returns": [sum(c is not None for c in row) / inputs for row in table],
        "confidence": [confidence] * count,
        "behaviour entropy": [entropy] * count,
        "forms": _forms(labels, forms),
        "inputs": [math.log2(1 + inputs)] * count,
    }
    return _rows(columns, count)


def classes_of(columns: Sequence[Sequence[Outcome]], count: int) -> list[list[int | None]]:
    """Number the outputs in each of *columns*, one an input; give one row a sample."""
    named = [_named(column) for column in columns]
    return [[column[row] for column in named] for row in range(count)]


def share_of_examples(voters: Voters, task: Task) -> list[float | None]:
    """Return the share of the task's own examples that each program passes."""
    if not task.examples:
        return [None] * len(voters.sources)
    columns = voters.outcomes(example.probe for example in task.examples)
    stated = [expected(example) for example in task.examples]
    passed = [
        [agrees(outcome, want) for outcome in column]
        for column, want in zip(columns, stated, strict=True)
    ]
    return [sum(row) / len(row) for row in zip(*passed, strict=True)]


def of_tests(matrix: PassMatrix) -> list[dict[str, float | None]]:
    """Return the evidence of `TESTS` about each candidate; given tests are no part of it."""
    count = len(matrix.candidates)
    made = [place for place, test in enumerate(matrix.tests) if test.route != "given"]
    if not made:
        return [{} for _ in range(count)]
    weights = [matrix.tests[place].confidence for place in made]
    passed = [_share(row, made, weights) for row in matrix.passes]
    labels = numbered(tuple(row[place] for place in made) for row in matrix.passes)
    tests = [matrix.tests[place] for place in made]
    columns: dict[str, Sequence[float | None]] = {
        "tests passed": passed,
        "lead in tests": lead(passed, labels),
        "test confidence": [sum(weights) / len(made)] * count,
        "reliable tests": [sum(test.reliable for test in tests) / len(made)] * count,
        "voters": [math.log2(1 + sum(test.total for test in tests) / len(made))] * count,
        "tests": [math.log2(1 + len(made))] * count,
    }
    return _rows(columns, count)


def combined(*parts: Sequence[Evidence]) -> list[dict[str, float | None]]:
    """Put the evidence of several stages together, candidate by candidate."""
    return [
        {name: value for part in row for name, value in part.items()}
        for row in zip(*parts, strict=True)
    ]


def lead(scores: Sequence[float | None], labels: Sequence[Hashable]) -> list[float | None]:
    """Return each score less the best one of another class; None where there is no other."""
    best: dict[Hashable, float] = {}
    for score, label in zip(scores, labels, strict=True):
        if score is not None:
            best[label] = max(score, best.get(label, score))
    first = sorted(best.items(), key=lambda item: -item[1])[:2]
    if len(first) < 2:
        return [None] * len(scores)
    (leader, most), (_, second) = first
    return [
        None if score is None else score - (second if label == leader else most)
        for score, label in zip(scores, labels, strict=True)
    ]


def _named(column: Sequence[Outcome]) -> list[int | None]:
    values = [o.value for o in column if _answered(o) and o.value is not None]
    names = iter(classes(values))
    return [next(names) if _answered(outcome) else None for outcome in column]


def _answered(outcome: Outcome) -> bool:
    return outcome.ok and outcome.value is not None and not outcome.value.opaque


def _fase(texts: Sequence[str], encoder: Encoder) -> Partition:
    return Fase(encoder).partition(texts)


def _closeness(texts: Sequence[str]) -> tuple[float | None, ...]:
    if len(texts) < 2:
        return (None,) * len(texts)
    means = structural_distances(texts).sum(axis=1) / (len(texts) - 1)
    return tuple((1.0 - means).tolist())


def _others(labels: Sequence[Hashable]) -> list[float | None]:
    """Return the share of the other samples that are of the same class."""
    sizes = Counter(labels)
    if len(labels) < 2:
        return [None] * len(labels)
    return [(sizes[label] - 1) / (len(labels) - 1) for label in labels]


def _entropy(labels: Sequence[int]) -> float | None:
    return normalised(Counter(labels).values()) if len(labels) > 1 else None


def _agreement(table: Classes) -> list[float | None]:
    """Return the mean over inputs of the share of other samples that give the same output."""
    count, inputs = len(table), len(table[0])
    if count < 2:
        return [None] * count
    sizes = [Counter(column) for column in zip(*table, strict=True)]
    return [
        sum(sizes[x][label] - 1 for x, label in enumerate(row) if label is not None)
        / (inputs * (count - 1))
        for row in table
    ]


def _confidence(table: Classes) -> float | None:
    """Return the mean of c(x), failures counted; one sample alone agrees with nobody."""
    count = len(table)
    if count < 2:
        return None
    columns = [
        Counter(c for c in column if c is not None) for column in zip(*table, strict=True)
    ]
    return sum(max(column.values(), default=0) for column in columns) / (count * len(columns))


def _forms(labels: Sequence[int], forms: Sequence[Hashable]) -> list[float]:
    """Return log2 of how many differently written programs do the same."""
    found: dict[int, set[Hashable]] = {}
    for label, form in zip(labels, forms, strict=True):
        found.setdefault(label, set()).add(form)
    return [math.log2(len(found[label])) for label in labels]


def _share(
    row: Sequence[bool | None], places: Sequence[int], weights: Sequence[float]
) -> float | None:
    judged = [(w, row[p]) for p, w in zip(places, weights, strict=True) if row[p] is not None]
    total = math.fsum(w for w, _ in judged)
    return math.fsum(w for w, cell in judged if cell) / total if total else None


def _rows(
    columns: dict[str, Sequence[float | None]], count: int
) -> list[dict[str, float | None]]:
    return [{name: column[row] for name, column in columns.items()} for row in range(count)]
