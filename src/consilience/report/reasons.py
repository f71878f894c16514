"""Why this candidate, as data: what decides against each rival, and what speaks for doubt."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from consilience.code import normalise
from consilience.judge import Verdict
from consilience.models import Usage
from consilience.report.saying import deeds, kinds, sentence
from consilience.task import Candidate, TestCase
from consilience.uncertainty.text import text_distances

DIFF_LINES = 30
"""Lines of a diff that are kept; where programs differ wholly, more tell nothing."""
WIDTH = 88
"""Characters of a line that are kept in it."""
TELLING = 0.15
"""Log-odds below which a figure is not worth a sentence."""

Deeds = tuple[int | None, ...]
"""What a candidate did on every input, numbered."""


def reasons(verdict: Verdict) -> dict[str, Any]:
    """Return what decided against each rival, what else moved trust, and what disagrees.

    Candidates and tests are named by their places.
    """
    leaders = verdict.ranking.leaders
    chosen = leaders[0] if leaders else None
    return {
        "against": [] if chosen is None else _against(verdict, chosen),
        "moved": _moved(verdict),
        "disputed": disputed(verdict),
        "bridge": None if chosen is None else bridge(verdict, chosen),
    }


def _against(verdict: Verdict, chosen: int) -> list[dict[str, Any]]:
    """Say for each rival, best first, which test decides between it and the *chosen* one."""
    done, labels = deeds(verdict), kinds(verdict)
    return [
        _duel(verdict, done, labels, chosen, rival)
        for rival in verdict.ranking.places
        if rival != chosen
    ]


def _duel(
    verdict: Verdict, done: Sequence[Deeds], labels: Sequence[int], chosen: int, rival: int
) -> dict[str, Any]:
    tests, dropped = verdict.suite.tests, verdict.suite.dropped
    apart = verdict.matrix.separating(chosen, rival)
    favour = [place for place in apart if verdict.matrix.passes[chosen][place]]
    mine, theirs = done[chosen][len(tests) :], done[rival][len(tests) :]
    open_ = [place for place in range(len(mine)) if mine[place] != theirs[place]]
    return {
        "index": rival,
        "for": len(favour),
        "against": len(apart) - len(favour),
        "undecided": len(open_),
        "like": [labels.count(labels[place]) for place in (chosen, rival)],
        "same": bool(done[chosen]) and labels[chosen] == labels[rival],
        "test": min(favour, key=lambda place: _weakness(tests[place]), default=None),
        "dropped": min(open_, key=lambda p: len(repr(dropped[p][0].probe)), default=None),
    }


def _weakness(test: TestCase) -> tuple[object, ...]:
    """Order tests from the most telling: given ones, sure ones, then those short to read."""
    length = len(repr(test.input.probe))
    return test.route != "given", not test.reliable, -test.confidence, length, test.votes


def _moved(verdict: Verdict) -> list[dict[str, Any]]:
    """List the figures that moved trust, in words, the largest first."""
    if verdict.trust is None:
        return []
    told = [(each, sentence(each)) for each in verdict.trust.contributions]
    return [
        {"name": each.name, "value": each.value, "logit": round(each.logit, 3), "told": words}
        for each, words in told
        if words and abs(each.logit) >= TELLING
    ]


def disputed(verdict: Verdict) -> dict[str, Any] | None:
    """Return the input on which the candidates are most divided, and who gave the same there.

    It is a test's, or one of those that became none.
    """
    tests, dropped = verdict.suite.tests, verdict.suite.dropped
    inputs = [*(test.input for test in tests), *(item for item, _ in dropped)]
    columns = list(zip(*deeds(verdict), strict=True))
    divided = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    if not divided:
        return None

    def unity(place: int) -> tuple[int, int, int]:
        return max(Counter(columns[place]).values()), len(repr(inputs[place].probe)), place

    place = min(divided, key=unity)
    groups: dict[int | None, list[int]] = {}
    for index, label in enumerate(columns[place]):
        groups.setdefault(label, []).append(index)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0]))
    is_test = place < len(tests)
    return {
        "test": place if is_test else None,
        "dropped": None if is_test else place - len(tests),
        "groups": ordered,
    }


def bridge(verdict: Verdict, chosen: int) -> dict[str, Any] | None:
    """Find the two programs to read side by side: one like the chosen one, one unlike it.

    The other class is the largest of those that do something else (or, where nothing was run,
    are something else); of all such pairs, the two nearest as text show best what it turns on.
    """
    labels = kinds(verdict)
    sizes = Counter(label for label in labels if label != labels[chosen])
    if not sizes:
        return None
    rival = min(sizes, key=lambda label: (-sizes[label], labels.index(label)))
    mine = [place for place, label in enumerate(labels) if label == labels[chosen]]
    theirs = [place for place, label in enumerate(labels) if label == rival]
    codes = [candidate.code for candidate in verdict.candidates]
    apart = text_distances(codes)
    first, second = min(
        ((a, b) for a in mine for b in theirs), key=lambda pair: (apart[pair], pair)
    )
    return {
        "one": first,
        "other": second,
        "like_one": len(mine),
        "like_other": len(theirs),
        "diff": _diff(verdict.candidates[first], verdict.candidates[second]),
    }


def _diff(one: Candidate, other: Candidate) -> list[str]:
    lines = list(
        difflib.unified_diff(
            _lines(one.code), _lines(other.code), one.label, other.label, lineterm="", n=1
        )
    )
    left_out = len(lines) - DIFF_LINES
    return [*lines[:DIFF_LINES], f"... {left_out} more lines"] if left_out > 0 else lines


def _lines(code: str) -> Sequence[str]:
    # Comments, docstrings and layout decide nothing: they only hide where programs part.
    kept = (line.rstrip() for line in normalise(code).strip().splitlines())
    return [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in kept if line]


def trusted(verdict: Verdict) -> dict[str, Any] | None:
    """Return the probabilities and what they rest on; None where nobody asked."""
    trust = verdict.trust
    if trust is None:
        return None
    return {
        "value": verdict.confidence,
        "stage": trust.stage,
        "probabilities": list(trust.probabilities),
        "evidence": [dict(each) for each in trust.evidence],
        "calibration": trust.calibration,
        "notes": list(trust.notes),
    }


def walked(verdict: Verdict) -> dict[str, Any] | None:
    """Return what each stage cost and found; None where there was no cascade."""
    course = verdict.course
    if course is None:
        return None
    return {
        "stopped": course.stopped,
        "level": course.level,
        "settled": course.settled,
        "steps": [
            {"stage": step.stage, "trust": step.trust, **_cost(step.calls, step.usage)}
            for step in course.steps
        ],
        "ahead": None
        if course.ahead is None
        else {"stage": course.ahead.stage, **_cost(course.ahead.calls, course.ahead.usage)},
    }


def _cost(calls: int, usage: Usage) -> dict[str, int]:
    return {
        "calls": calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }
