"""What came of a repair, as plain data and for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from consilience.improve import Attempt, Improvement
from consilience.report.record import PRICE
from consilience.report.record import record as verdict_record
from consilience.report.visible import paragraphs

SCHEMA = "consilience.improvement/1"


def record(found: Improvement, *, price: float = PRICE) -> dict[str, Any]:
    """Return *found* as JSON-ready data."""
    verdict = verdict_record(found.verdict, price=price)
    return {
        "schema": SCHEMA,
        "task": verdict["task"],
        "entry_point": verdict["entry_point"],
        "model": verdict["model"],
        "isolation": verdict["isolation"],
        "original": found.original.label,
        "best": found.best.label,
        "improved": found.improved,
        "program": found.best.code,
        "reason": found.reason,
        "reliable": {
            "tests": len(found.trusted),
            "passed_before": found.passed(0),
            "passed_after": found.passed(-1),
        },
        "fixed": [_change(verdict["tests"][place]) for place in found.fixed],
        "lost": [_change(verdict["tests"][place]) for place in found.lost],
        "rounds": found.rounds,
        "attempts": [_attempt(attempt) for attempt in found.attempts],
        "unread": found.unread,
        "usage": verdict["usage"],
        "cost": verdict["cost"],
    }


def text(found: Improvement, *, price: float = PRICE) -> str:
    """Return what changed, what was tried, the program and the cost, in that order."""
    data = record(found, price=price)
    parts = [_head(data), _changes(data), _tried(data), _program(data), _cost(data)]
    return paragraphs(parts)


def summary(found: Improvement) -> str:
    """Say in one line what came of it."""
    count = len(found.trusted)
    told = f"{found.passed(0)} of {count} reliable tests"
    if found.improved:
        return f"{found.original.label}: {found.passed(-1)} instead of {told}"
    return f"{found.original.label}: stays at {told}"


def _head(data: dict[str, Any]) -> Iterator[str]:
    yield f"{data['task']}  ({data['entry_point'] or 'standard input'})"
    reliable = data["reliable"]
    of = f"{reliable['tests']} reliable tests"
    if data["improved"]:
        before, after = reliable["passed_before"], reliable["passed_after"]
        yield f"{data['original']} is repaired: it passes {after} of {of} instead of {before}."
    elif reliable["passed_before"] == reliable["tests"]:
        yield f"{data['original']} stays as it is: {data['reason']}."
    else:
        yield f"{data['original']} could not be repaired: {data['reason']}."
        yield f"It passes {reliable['passed_before']} of {of}."


def _changes(data: dict[str, Any]) -> Iterator[str]:
    for title, name in (("Now passes", "fixed"), ("No longer passes", "lost")):
        if data[name]:
            yield title
        for change in data[name]:
            yield f"  {change['call']} should be {change['expected']}  [{change['trust']}]"
            yield f"    before: {change['before']}   now: {change['now']}"


def _tried(data: dict[str, Any]) -> Iterator[str]:
    if not data["rounds"]:
        return
    kinds = Counter(attempt["kind"] for attempt in data["attempts"])
    counts = [f"{count} {kind}" for kind, count in sorted(kinds.items())]
    counts += [f"{data['unread']} without a program"] * (data["unread"] > 0)
    total = len(data["attempts"]) + data["unread"]
    yield f"Tried {_count(total, 'repair')} in {_count(data['rounds'], 'round')}: " + (
        ", ".join(counts) + "."
    )
    yield f"Ended: {data['reason']}."


def _program(data: dict[str, Any]) -> Iterator[str]:
    if data["improved"]:
        yield data["program"].strip("\n")


def _cost(data: dict[str, Any]) -> Iterator[str]:
    cost = data["cost"]
    tokens = cost["prompt_tokens"] + cost["completion_tokens"]
    yield f"Cost: {tokens:,} tokens, ${cost['dollars']:.5f}"
    for stage, usage in data["usage"].items():
        yield f"  {stage:<13} {usage['prompt_tokens'] + usage['completion_tokens']:>9,}"


def _change(test: dict[str, Any]) -> dict[str, Any]:
    votes = f"{test['votes']} of {test['total']} votes"
    return {
        "call": test["call"],
        "expected": test["expected"],
        "trust": "given by the task" if test["route"] == "given" else votes,
        "before": test["got"][0],
        "now": test["got"][-1],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "round": attempt.round,
        "label": attempt.candidate.label,
        "kind": "taken" if attempt.taken else _kind(attempt.gain),
        "fixed": len(attempt.fixed),
        "lost": len(attempt.lost),
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _kind(gain: int) -> str:
    return "better" if gain > 0 else "worse" if gain < 0 else "no better"
