"""A verdict for a terminal: plain text, nothing that a log would mangle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from consilience.judge import Verdict
from consilience.report.record import PRICE, record

SHOWN = 3
"""Deciding tests shown for each rival."""


def text(verdict: Verdict, *, price: float = PRICE, all_tests: bool = False) -> str:
    """Return the ranking, the reasons, the tests and the cost, in that order."""
    data = record(verdict, price=price)
    parts = [_head(data), _ranking(data), _reasons(data), _tests(data, all_tests), _cost(data)]
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part)


def _head(data: dict[str, Any]) -> Iterator[str]:
    yield f"{data['task']}  ({data['entry_point']})"
    winner = data["winner"]
    yield f"Trust {winner['label']}." if winner else "No candidate can be told to be the best."
    yield data["reason"]


def _ranking(data: dict[str, Any]) -> Iterator[str]:
    width = max((len(row["label"]) for row in data["ranking"]), default=0)
    yield "Ranking"
    for row in data["ranking"]:
        share = 0 if not row["tests"] else round(20 * row["passed"] / row["tests"])
        bar = "#" * share + "." * (20 - share)
        yield (
            f"  {_rank(row['rank']):>4}  {row['label']:<{width}}  {bar}"
            f"  {row['passed']}/{row['tests']}"
        )


def _reasons(data: dict[str, Any]) -> Iterator[str]:
    if data["winner"] is None:
        return
    best = data["winner"]
    yield "What decided"
    for rival in data["deciding"]:
        tests = rival["tests"]
        yield f"  against {rival['rival']}: {_count(len(tests), 'test')}"
        for index in tests[:SHOWN]:
            test = data["tests"][index]
            yield f"    {test['call']} should be {test['expected']}  [{_trust(test)}]"
            yield (
                f"      {best['label']}: {test['got'][best['index']]}"
                f"   {rival['rival']}: {test['got'][rival['index']]}"
            )
        if len(tests) > SHOWN:
            yield f"    and {len(tests) - SHOWN} more"


def _tests(data: dict[str, Any], all_tests: bool) -> Iterator[str]:
    routes = Counter(test["route"] for test in data["tests"])
    counts = ", ".join(f"{count} {route}" for route, count in sorted(routes.items()))
    yield f"Tests: {len(data['tests'])}" + (f" ({counts})" if counts else "")
    doubtful = sum(not test["reliable"] for test in data["tests"])
    if doubtful:
        yield f"  {_count(doubtful, 'expectation')} no route was sure of, marked ?"
    if data["dropped"]:
        yield f"  {_count(len(data['dropped']), 'input')} dropped: no output could be agreed on"
    if all_tests:
        for test in data["tests"]:
            mark = " " if test["reliable"] else "?"
            yield f"  {mark} {test['call']} == {test['expected']}  [{_trust(test)}]"


def _trust(test: dict[str, Any]) -> str:
    if test["route"] == "given":
        return "given by the task"
    votes = f"{test['votes']} of {test['total']} votes"
    return f"{test['route']}, {votes}, confidence {test['confidence']:.2f}"


def _cost(data: dict[str, Any]) -> Iterator[str]:
    cost = data["cost"]
    tokens = cost["prompt_tokens"] + cost["completion_tokens"]
    spent = f"{cost['prompt_tokens']:,} in, {cost['completion_tokens']:,} out"
    price = f"${cost['dollars']:.5f} at ${cost['dollars_per_million']:.2f} a million"
    yield f"Cost: {tokens:,} tokens ({spent}), {price}"
    for stage, usage in data["usage"].items():
        spent = usage["prompt_tokens"] + usage["completion_tokens"]
        about = " (estimated: the server reported none)" if usage["estimated"] else ""
        yield f"  {stage:<13} {spent:>9,}{about}"
    source = (
        f"model {data['model']}, preset {data['preset']}" if data["model"] else "tests given"
    )
    yield f"  {source}, sandbox {data['isolation']}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _rank(rank: float | None) -> str:
    return "-" if rank is None else f"{rank:g}"
