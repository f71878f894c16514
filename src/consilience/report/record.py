"""A verdict as plain data: what `--json` prints and the pages are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from consilience.interfaces.registry import interface
from consilience.judge import Verdict
from consilience.models import Usage
from consilience.report.reasons import reasons, trusted, walked
from consilience.report.saying import agreed, likeliest
from consilience.sandbox import Outcome, Status
from consilience.task import Candidate, Probe, Session, Stdin, Task, TestCase
from consilience.uncertainty import Entropy
from consilience.values import Value

SCHEMA = "consilience.verdict/1"
LONGEST_TEXT = 160
"""Characters shown of what a script reads."""
PRICE = 0.10
"""Dollars a million tokens, each way: the price that the CoTT paper reckons with."""


def record(
    verdict: Verdict, *, price: float = PRICE, entropy: Entropy | None = None
) -> dict[str, Any]:
    """Return *verdict* as JSON-ready data; undefined numbers are null.

    *entropy* is that of the candidates' texts, where it was asked for.
    """
    return {
        "schema": SCHEMA,
        "task": verdict.task.id,
        "entry_point": verdict.task.entry_point,
        "shape": verdict.task.shape,
        "title": interface(verdict.task).title(verdict.task),
        "prompt": verdict.task.prompt,
        "model": verdict.model,
        "preset": verdict.settings.preset,
        "method": verdict.settings.method,
        "tau": verdict.settings.tau,
        "isolation": verdict.isolation,
        "judged": verdict.judged,
        "winner": _winner(verdict),
        "ranked_by": verdict.ranked_by,
        "reason": reason(verdict) + _partial(verdict),
        "partial": verdict.suite.partial or None,
        "lead": lead(verdict),
        "ranking": _ranking(verdict),
        "deciding": deciding(verdict),
        "tests": [_test(verdict, index) for index in range(len(verdict.suite.tests))],
        "dropped": [
            {
                "call": call(verdict.task, item.probe),
                "reason": why,
                "got": [got(row[place]) for row in verdict.undecided if row],
            }
            for place, (item, why) in enumerate(verdict.suite.dropped)
        ],
        "usage": {stage: _usage(usage) for stage, usage in verdict.usage.items()},
        "cost": cost(verdict, price),
        "trust": trusted(verdict),
        "course": walked(verdict),
        "reasons": reasons(verdict),
        "candidates": [
            {"label": candidate.label, "code": candidate.code}
            for candidate in verdict.candidates
        ],
        "entropy": None if entropy is None else asdict(entropy),
    }


def reason(verdict: Verdict) -> str:
    """Say in a sentence why this candidate won, or why none did."""
    ranking, tests = verdict.ranking, verdict.suite.tests
    if not verdict.judged:
        return verdict.unjudged
    if verdict.course is not None and verdict.course.stopped != "tests":
        return f"{agreed(verdict)} {verdict.strain}".strip()
    if not tests:
        return "No test could be made, so nothing is known about the candidates."
    counts = [verdict.matrix.passed(place) for place in range(len(verdict.candidates))]
    if verdict.ranked_by == "trust" and ranking.leaders != _first(counts):
        return likeliest(verdict)
    return _tie(verdict) if verdict.winner is None else _won(verdict, verdict.winner, counts)


def _won(verdict: Verdict, winner: Candidate, counts: Sequence[int]) -> str:
    """Say what the winner passes, and what its lead rests on."""
    passed = counts[verdict.ranking.leaders[0]]
    score = f"{passed} of {len(verdict.suite.tests)} tests"
    told = f"{winner.label} passes {score}, more than any other."
    found = lead(verdict)
    if found is None:
        return told
    if found["confidence"] is None:
        return f"{told} No test separates it from {found['rival']}."
    trust = f"{found['confidence']:.2f}"
    count, belief = f"{found['for']} tests", f"their expected outputs have confidence {trust}"
    if found["for"] == 1:
        count, belief = "1 test", f"its expected output has confidence {trust}"
    against = f" against {found['against']} the other way" if found["against"] else ""
    mean = " on average" if found["for"] > 1 else ""
    return f"{told} Its lead over {found['rival']} rests on {count}{against}: {belief}{mean}."


def _first(counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(place for place, count in enumerate(counts) if count == max(counts))


def _partial(verdict: Verdict) -> str:
    """Say that less was asked than it takes, and why."""
    why = verdict.suite.partial
    return (
        f" This is partial: {why}, and what was not asked is left to induction." if why else ""
    )


def _tie(verdict: Verdict) -> str:
    """Say who ties, and whether it matters which of them one takes."""
    leaders = verdict.ranking.leaders
    told = f"No winner: {verdict.ranking.reason}."
    if not leaders:
        return told
    names = [verdict.candidates[place].label for place in leaders]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    told += f" In front: {', '.join(names[:3])}{more}."
    alike = any(set(leaders) <= set(group) for group in verdict.matrix.alike())
    if alike and len(leaders) > 1:
        told += " They gave the same outputs on every test: by these tests any of them will do."
    return told


def lead(verdict: Verdict) -> dict[str, Any] | None:
    """Say what the winner's lead over the next best candidate rests on."""
    best, order = verdict.ranking.best, verdict.ranking.places
    if best is None or len(order) < 2:
        return None
    rival = order[1]
    apart = verdict.matrix.separating(best, rival)
    favour = [place for place in apart if verdict.matrix.passes[best][place]]
    beliefs = [verdict.suite.tests[place].confidence for place in favour]
    return {
        "rival": verdict.candidates[rival].label,
        "for": len(favour),
        "against": len(apart) - len(favour),
        "confidence": round(sum(beliefs) / len(beliefs), 6) if beliefs else None,
    }


def deciding(verdict: Verdict) -> list[dict[str, Any]]:
    """List, for the winner against each rival, the tests that tell them apart."""
    best = verdict.ranking.best
    if best is None:
        return []
    return [
        {
            "rival": verdict.candidates[rival].label,
            "index": rival,
            "tests": list(verdict.matrix.separating(best, rival)),
        }
        for rival in range(len(verdict.candidates))
        if rival != best
    ]


def call(task: Task, probe: Probe) -> str:
    """Write a probe for people: long arguments are shortened."""
    shape = interface(task)
    if isinstance(probe, Session):
        return "; ".join(probe.steps)
    if isinstance(probe, Stdin):
        text = " \u23ce ".join(probe.text.strip("\n").split("\n"))
        return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    callee = shape.written(task, ()).removesuffix("()")
    return f"{callee}({', '.join(Value.of(arg).preview(60) for arg in probe)})"


def got(outcome: Outcome) -> str:
    """Say for people what a call did."""
    if outcome.ok and outcome.value is not None:
        return outcome.value.preview(60)
    if outcome.status == "load_raised" and outcome.error:
        return f"does not load: {outcome.error}"
    return _ENDS.get(outcome.status) or f"raised {outcome.error}"


_ENDS: dict[Status, str] = {
    "timeout": "took too long",
    "memory": "took too much memory",
    "exit": "ended the interpreter",
    "crash": "crashed",
    "too_large": "gave far too much",
    "tampered": "tampered with the harness",
    "skipped": "was not run",
    "protocol": "gave nothing readable",
    "load_raised": "does not load",
    "load_timeout": "takes too long to load",
    "load_crash": "crashes when loaded",
    "load_memory": "takes too much memory to load",
    "no_entry_point": "defines no such name",
    "infrastructure": "could not be run",
}


def cost(verdict: Verdict, price: float) -> dict[str, Any]:
    """Add up the tokens of all stages, and their price in dollars."""
    total = sum(verdict.usage.values(), Usage())
    tokens = total.prompt_tokens + total.completion_tokens
    return {
        "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens,
        "dollars": round(tokens * price / 1e6, 8),
        "dollars_per_million": price,
    }


def _winner(verdict: Verdict) -> dict[str, Any] | None:
    best = verdict.ranking.best
    return None if best is None else {"index": best, "label": verdict.candidates[best].label}


def _ranking(verdict: Verdict) -> list[dict[str, Any]]:
    total = len(verdict.suite.tests)
    rows = [
        {
            "rank": verdict.ranking.ranks[index],
            "index": index,
            "label": candidate.label,
            "passed": verdict.matrix.passed(index),
            "tests": total,
            "score": None if score is None else round(float(score), 6),
            "trust": None
            if verdict.trust is None or score is None
            else verdict.trust.probabilities[index],
        }
        for index, (candidate, score) in enumerate(
            zip(verdict.candidates, verdict.ranking.scores, strict=True)
        )
    ]
    return [rows[place] for place in verdict.ranking.places]


def _test(verdict: Verdict, index: int) -> dict[str, Any]:
    test: TestCase = verdict.suite.tests[index]
    return {
        "call": call(verdict.task, test.input.probe),
        "origin": test.input.origin,
        "expected": test.expected.preview(60),
        "route": test.route,
        "confidence": round(test.confidence, 6),
        "votes": test.votes,
        "total": test.total,
        "inductive_confidence": test.inductive_confidence,
        "reliable": test.reliable,
        "alternatives": [
            {"value": other.value.preview(60), "votes": other.count}
            for other in test.alternatives
        ],
        "passed": [row[index] for row in verdict.matrix.passes],
        "got": [got(row[index]) for row in verdict.outcomes],
        "status": [row[index].status for row in verdict.outcomes],
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "estimated": usage.estimated,
    }
