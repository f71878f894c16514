"""Cases to calibrate trust on: the samples of one source for one task, with what is right.

Up to ten samples of a source are candidates and voters at once; for the stage of tests, voters
of other models write the tests. Everything is counted from `observations`: no program is run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from consilience.bench.observations import Column, Observed, Sample
from consilience.ranking import PassMatrix
from consilience.store import digest
from consilience.task import Alternative, Candidate, TestCase, TestInput
from consilience.trust import Evidence
from consilience.trust.evidence import (
    Texts,
    combined,
    compare_texts,
    of_behaviour,
    of_tests,
    of_texts,
)
from consilience.uncertainty import Encoder, Partition
from consilience.uncertainty.clusters import join
from consilience.uncertainty.entropy import normalised
from consilience.values import Value

MOST = 10
"""Samples of a case."""
INPUTS = 30
"""Inputs of a case, of those on which most of its own programs return something."""
GPT4 = (
    "GPT4",
    "gpt-4-1106-preview",
    "humaneval",
    "reflexion",
    "reflexion_humaneval_py_pass_at_1",
)
SOURCES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "humaneval": {
        "codegen-16b": ("codegen-16b-mono",),
        "chatgpt": ("ChatGPT",),
        "gpt-4": GPT4,
        "gemini": ("Gemini",),
        "qwen-480b": ("QwenCoder480b",),
        "qwen-turbo": ("QwenCoderTurbo",),
        "five models": (
            "codellama", "gpt-3.5-turbo-0613", "gpt-4-1106-preview", "reflexion", "starcoder",
        ),
    },
    "mbpp+": {
        "chatgpt": ("ChatGPT",),
        "gpt-4": ("GPT4",),
        "qwen-480b": ("QwenCoder480b",),
        "qwen-turbo": ("QwenCoderTurbo",),
        "three models": ("codellama", "gpt-3.5-turbo-0613", "starcoder"),
        "mixed": ("ChatGPT", "GPT4", "QwenCoder480b", "QwenCoderTurbo", "codellama",
                  "gpt-3.5-turbo-0613", "starcoder"),
    },
}  # fmt: skip
"""By dataset: which models make a source. Several models in one source sample in turn."""


@dataclass(frozen=True, slots=True)
class Case:
    """The candidates of one source for one task."""

    dataset: str
    source: str
    task_id: str
    voters: str | None
    """Whose programs wrote the tests; None where no tests were written."""
    places: tuple[int, ...]
    """The distinct program of each candidate, as `Observed` numbers them."""
    evidence: tuple[Evidence, ...]
    right: tuple[bool | None, ...]
    inputs: int
    """Synthesised inputs that the candidates were run on."""
    passed: tuple[float | None, ...] = ()
    """The share of the tests that each passes, where there are tests."""


def cases(observed: Iterable[Observed], encoder: Encoder) -> list[Case]:
    """Make the cases of every task and source."""
    return [case for each in observed for case in cases_of(each, encoder)]


def cases_of(observed: Observed, encoder: Encoder) -> Iterator[Case]:
    """Make the cases of one task: each source alone, and with tests by another one."""
    chosen = {
        name: dealt(observed.samples, models)[:MOST]
        for name, models in SOURCES[observed.dataset].items()
    }
    for source, samples in chosen.items():
        if len(samples) < 2:
            continue
        places = [sample.program for sample in samples]
        bare = _bare(observed, source, places, encoder)
        yield bare
        for voters, others in _strangers(observed.task_id, samples, chosen):
            tested = with_tests(observed, bare, voters, [s.program for s in others])
            if tested is not None:
                yield tested


def _strangers(
    task_id: str, samples: Sequence[Sample], chosen: Mapping[str, Sequence[Sample]]
) -> list[tuple[str, Sequence[Sample]]]:
    """Draw, by a digest of the task, one source of three samples or more by other models."""
    mine = {sample.model for sample in samples}
    others = [
        (name, each)
        for name, each in chosen.items()
        if len(each) > 2 and not mine & {sample.model for sample in each}
    ]
    return sorted(others, key=lambda other: digest(task_id, other[0]))[:1]


def dealt(samples: Sequence[Sample], models: Sequence[str]) -> list[Sample]:
    """Return the samples of *models*, one of each model in turn."""
    turns: list[tuple[int, int, Sample]] = []
    for place, model in enumerate(models):
        mine = [sample for sample in samples if sample.model == model]
        turns += [(turn, place, sample) for turn, sample in enumerate(mine)]
    return [sample for _, _, sample in sorted(turns, key=lambda each: each[:2])]


def _bare(observed: Observed, source: str, places: list[int], encoder: Encoder) -> Case:
    texts = compare_texts([observed.programs[place] for place in places], encoder)
    used = usable(observed.columns, places, INPUTS)
    classes = [[column.classes[place] for column in used] for place in places]
    behaviour = of_behaviour(classes, texts.syntax, examples(observed.columns, places))
    union = {"union entropy": united(texts)}
    return Case(
        observed.dataset,
        source,
        observed.task_id,
        None,
        tuple(places),
        tuple(combined(of_texts(texts), behaviour, [union] * len(places))),
        tuple(observed.right[place] for place in places),
        len(used),
    )


def united(texts: Texts) -> float:
    """Return the entropy of FASE's classes joined with the structural ones, for comparison."""
    joined = join(Partition("fase", texts.embedding), Partition("structural", texts.syntax))
    return normalised(Counter(joined.labels).values())


def usable(columns: Iterable[Column], places: Sequence[int], most: int) -> list[Column]:
    """Return the synthesised inputs on which at least half of the programs return something."""
    alive = [p for p in dict.fromkeys(places) if any(c.classes[p] is not None for c in columns)]
    rows = [place for place in places if place in alive]
    kept = [
        column
        for column in columns
        if column.origin != "example"
        and 2 * sum(column.classes[place] is None for place in rows) <= len(rows)
    ]
    return kept[:most]


def examples(columns: Iterable[Column], places: Sequence[int]) -> list[float | None]:
    """Return the share of the task's own examples that each program passes."""
    stated = [column for column in columns if column.origin == "example"]
    if not stated:
        return [None] * len(places)
    return [
        sum(column.classes[place] == column.expected for column in stated) / len(stated)
        for place in places
    ]


def with_tests(
    observed: Observed, bare: Case, voters: str, programs: Sequence[int]
) -> Case | None:
    """Add the evidence of tests that the *programs* of other models vote for."""
    passed = examples(observed.columns, programs)
    believed = [p for p, share in zip(programs, passed, strict=True) if share in {None, 1.0}]
    believed = believed or list(programs)
    used = usable(observed.columns, believed, INPUTS)
    made = [(column, test) for column in used if (test := _voted(column, believed))]
    if not made:
        return None
    matrix = PassMatrix(
        tuple(Candidate(bare.task_id, "", place) for place in range(len(bare.places))),
        tuple(
            tuple(column.classes[place] == label for column, (label, _) in made)
            for place in bare.places
        ),
        tests=tuple(test for _, (_, test) in made),
    )
    evidence = of_tests(matrix)
    return Case(
        bare.dataset,
        bare.source,
        bare.task_id,
        voters,
        bare.places,
        tuple(combined(bare.evidence, evidence)),
        bare.right,
        bare.inputs,
        tuple(row["tests passed"] for row in evidence),
    )


def _voted(column: Column, programs: Sequence[int]) -> tuple[int, TestCase] | None:
    """Make a test of the majority's output; a tie makes none."""
    counts: dict[int, int] = {}
    for place in programs:
        label = column.classes[place]
        if label is not None:
            counts[label] = counts.get(label, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    label, count = ranked[0]
    total = len(programs)
    others = tuple(Alternative(Value.of(other), n) for other, n in ranked[1:])
    expected = Value.of(label)
    test = TestCase(
        TestInput((), "mutation"), expected, "inductive", count / total, count, total, others
    )
    return label, test
