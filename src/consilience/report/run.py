"""Several verdicts together: how many have a winner, what they rest on, what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.report.shapes import Shown, Spent


@dataclass(frozen=True, slots=True)
class Brief:
    """One verdict in a line."""

    task: str
    winner: str | None
    passed: int
    """Tests that the best candidate passes."""
    tests: int
    candidates: int
    telling: int
    """Tests that some candidates pass and some fail."""
    routes: dict[str, int]
    doubtful: int
    confidence: float | None
    """Mean confidence of the tests that were not given; None without any."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Run:
    """What a run came to."""

    briefs: tuple[Brief, ...]
    decided: int
    tied: int
    untested: int
    routes: dict[str, int]
    usage: dict[str, Spent]
    tokens: int
    most: int
    """Tokens of the dearest stage."""
    dollars: float
    models: tuple[str, ...]
    """Who wrote the tests; nobody where they came from a file."""
    settings: tuple[str, ...]
    isolation: tuple[str, ...]


def summed(verdicts: Sequence[Shown]) -> Run:
    """Sum up *verdicts*, in their order."""
    briefs = tuple(map(brief, verdicts))
    routes: Counter[str] = Counter()
    for each in briefs:
        routes.update(each.routes)
    usage = _usage(verdicts)
    spent = [each.prompt_tokens + each.completion_tokens for each in usage.values()]
    return Run(
        briefs,
        decided=sum(each.winner is not None for each in briefs),
        tied=sum(each.winner is None and each.tests > 0 for each in briefs),
        untested=sum(not each.tests for each in briefs),
        routes=dict(sorted(routes.items())),
        usage=usage,
        tokens=sum(spent),
        most=max(spent, default=0),
        dollars=sum(each.cost.dollars for each in verdicts),
        models=_distinct(each.model or "" for each in verdicts),
        settings=_distinct(f"{each.preset}, {each.method}" for each in verdicts),
        isolation=_distinct(each.isolation for each in verdicts),
    )


def brief(verdict: Shown) -> Brief:
    """Put one verdict in a line."""
    first = verdict.ranking[0] if verdict.ranking else None
    made = [test.confidence for test in verdict.tests if test.route != "given"]
    return Brief(
        task=verdict.task,
        winner=verdict.winner.label if verdict.winner else None,
        passed=first.passed if first else 0,
        tests=len(verdict.tests),
        candidates=len(verdict.ranking),
        telling=sum({True, False} <= set(test.passed) for test in verdict.tests),
        routes=dict(Counter(test.route for test in verdict.tests)),
        doubtful=sum(not test.reliable for test in verdict.tests),
        confidence=sum(made) / len(made) if made else None,
        tokens=verdict.cost.prompt_tokens + verdict.cost.completion_tokens,
    )


def _usage(verdicts: Sequence[Shown]) -> dict[str, Spent]:
    found: dict[str, Spent] = {}
    for verdict in verdicts:
        for stage, spent in verdict.usage.items():
            old = found.get(stage, Spent(0, 0))
            found[stage] = Spent(
                old.prompt_tokens + spent.prompt_tokens,
                old.completion_tokens + spent.completion_tokens,
                old.estimated or spent.estimated,
            )
    return found


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
