"""A verdict for a terminal: plain text, nothing that a log would mangle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from consilience.judge import Verdict
from consilience.report.record import PRICE, record
from consilience.report.saying import probability
from consilience.report.visible import paragraphs

FIGURES = 3
"""Figures shown that raised trust, and as many that lowered it."""
GROUPS = 4
"""Outcomes shown of the most disputed input."""
NAMES = 5
"""Candidates named where several did the same."""
SURE = 0.9
"""Trust from which what disagrees is not shown."""


def text(verdict: Verdict, *, price: float = PRICE, all_tests: bool = False) -> str:
    """Return the ranking, the reasons, the tests and the cost, in that order."""
    data = record(verdict, price=price)
    parts = [
        _head(data),
        _ranking(data),
        _reasons(data),
        _doubts(data),
        _tests(data, all_tests),
        _stages(data),
        _cost(data),
    ]
    return paragraphs(parts)


def _head(data: dict[str, Any]) -> Iterator[str]:
    yield f"{data['task']}  ({data['title']})"
    if not data["judged"]:
        yield "Not judged: nothing is known about the candidates."
        yield data["reason"]
        return
    winner, trust, course = data["winner"], data["trust"], data["course"]
    known = trust is not None and trust["value"] is not None
    chance = f"is right with probability {probability(trust['value'])}" if known else ""
    if course is not None and not course["settled"]:
        yield f"Abstain: no candidate reaches the trust asked for, {course['level']:.2f}."
        name = winner["label"] if winner else f"any of {_front(data)}"
        yield f"Best guess: {name}. It {chance}." if known else f"Best guess: {name}."
    elif winner:
        yield f"Trust {winner['label']}." + (f" It {chance}." if known else "")
    elif known:
        yield f"No single winner. Each of the leaders, {_front(data)}, {chance}."
    else:
        yield "No candidate can be told to be the best."
    yield data["reason"]


def _ranking(data: dict[str, Any]) -> Iterator[str]:
    width = max((len(row["label"]) for row in data["ranking"]), default=0)
    yield "Ranking"
    for row in data["ranking"]:
        share = 0 if not row["tests"] else round(20 * row["passed"] / row["tests"])
        bar = "#" * share + "." * (20 - share)
        passed = f"  {bar}  {row['passed']}/{row['tests']}" if row["tests"] else ""
        trust = f"  trust {probability(row['trust'])}" if row["trust"] is not None else ""
        place = _rank(row["rank"], data["ranking"])
        yield f"  {place:>4}  {row['label']:<{width}}{passed}{trust}"


def _reasons(data: dict[str, Any]) -> Iterator[str]:
    if not data["reasons"]["against"] or not data["tests"]:
        return
    best, labels = data["ranking"][0], _labels(data)
    yield f"What decided for {best['label']}"
    alike = [labels[duel["index"]] for duel in data["reasons"]["against"] if duel["same"]]
    if alike:
        yield f"  against {_names(alike)}: nothing, the same outputs on every input"
    for duel in data["reasons"]["against"]:
        if not duel["same"]:
            yield from _duel(data, best, duel, labels[duel["index"]])


def _duel(
    data: dict[str, Any], best: dict[str, Any], duel: dict[str, Any], rival: str
) -> Iterator[str]:
    """Show the most telling test between the winner and one rival."""
    other = f", {duel['against']} the other way" if duel["against"] else ""
    if duel["test"] is None and duel["dropped"] is not None:
        inputs = _count(duel["undecided"], "input")
        yield f"  against {rival}: no test{other}; without a majority they part on {inputs}:"
        found = data["dropped"][duel["dropped"]]
        mine, theirs = found["got"][best["index"]], found["got"][duel["index"]]
        yield f"    {found['call']}   {best['label']}: {mine}   {rival}: {theirs}"
        return
    if duel["test"] is None:
        mine, theirs = duel["like"]
        more = f"{mine} did what {best['label']} did, {theirs} what {rival} did"
        why = f"but {more}" if mine > theirs else "other evidence decided"
        yield f"  against {rival}: no test{other}; {why}"
        return
    yield f"  against {rival}: {_count(duel['for'], 'test')}{other}, such as"
    test = data["tests"][duel["test"]]
    yield f"    {test['call']} should be {test['expected']}  [{_trust(test)}]"
    yield (
        f"      {best['label']}: {test['got'][best['index']]}"
        f"   {rival}: {test['got'][duel['index']]}"
    )


def _doubts(data: dict[str, Any]) -> Iterator[str]:
    """Say what speaks for and against, and where the candidates part."""
    trust = data["trust"]
    if trust is None:
        return
    told = list(_moved(data))
    if trust["value"] is not None and trust["value"] < SURE:
        told += [*_disputed(data), *_bridge(data)]
    if told:
        yield "What trust rests on"
        yield from told


def _moved(data: dict[str, Any]) -> Iterator[str]:
    for sign, word in ((1, "for"), (-1, "against")):
        told = [each["told"] for each in data["reasons"]["moved"] if sign * each["logit"] > 0]
        for each in told[:FIGURES]:
            yield f"  {word:<8} {each}"


def _disputed(data: dict[str, Any]) -> Iterator[str]:
    found = data["reasons"]["disputed"]
    if found is None:
        return
    labels, is_test = _labels(data), found["test"] is not None
    each = data["tests"][found["test"]] if is_test else data["dropped"][found["dropped"]]
    expected = f"expected {each['expected']}  [{_trust(each)}]" if is_test else each["reason"]
    yield f"  most disputed: {each['call']}, {expected}"
    for group in found["groups"][:GROUPS]:
        yield f"    {each['got'][group[0]]}  from {_names([labels[place] for place in group])}"
    if len(found["groups"]) > GROUPS:
        yield f"    and {len(found['groups']) - GROUPS} other outcomes"


def _bridge(data: dict[str, Any]) -> Iterator[str]:
    found, labels = data["reasons"]["bridge"], _labels(data)
    if found is None:
        return
    one, other = labels[found["one"]], labels[found["other"]]
    kinds = [
        f"{name} (alone)" if count == 1 else f"{name} (one of {count} alike)"
        for name, count in ((one, found["like_one"]), (other, found["like_other"]))
    ]
    yield f"  read side by side: {' and '.join(kinds)}"
    for line in found["diff"]:
        yield f"    {line}"


def _tests(data: dict[str, Any], all_tests: bool) -> Iterator[str]:
    if not data["tests"] and data["course"] and data["course"]["stopped"] == "text":
        return
    routes = Counter(test["route"] for test in data["tests"])
    counts = ", ".join(f"{count} {route}" for route, count in sorted(routes.items()))
    yield f"Tests: {len(data['tests'])}" + (f" ({counts})" if counts else "")
    if data["course"] is not None and data["course"]["stopped"] == "behaviour":
        yield "  the candidates themselves voted: expected outputs are what most of them gave"
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


def _stages(data: dict[str, Any]) -> Iterator[str]:
    """Show what each stage found and cost, and what the next would have cost."""
    course = data["course"]
    if course is None:
        return
    asked = "" if course["level"] is None else f", until trust is {course['level']:.2f}"
    yield f"Stages{asked}"
    for step in course["steps"]:
        trust = "-" if step["trust"] is None else probability(step["trust"])
        yield f"  {step['stage']:<10} trust {trust}  {_spent(step)}"
    if course["ahead"] is not None:
        ahead = course["ahead"]
        yield f"  {ahead['stage']:<10} not run; it would cost about {_spent(ahead)} (estimate)"


def _spent(step: dict[str, Any]) -> str:
    tokens = step["prompt_tokens"] + step["completion_tokens"]
    spent = [f"{step['calls']:,} calls"] if step["calls"] else []
    spent += [f"{tokens:,} tokens"] if tokens else []
    return ", ".join(spent) or "nothing was run"


def _labels(data: dict[str, Any]) -> dict[int, str]:
    return {row["index"]: row["label"] for row in data["ranking"]}


def _front(data: dict[str, Any]) -> str:
    """Name the candidates that share the first place."""
    first = min((row["rank"] for row in data["ranking"] if row["rank"]), default=None)
    return _names([row["label"] for row in data["ranking"] if row["rank"] == first])


def _names(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - NAMES} more" if len(labels) > NAMES else ""
    return ", ".join(labels[:NAMES]) + more


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
    unasked = "no model was asked" if data["course"] is not None else "tests given"
    source = f"model {data['model']}, preset {data['preset']}" if data["model"] else unasked
    yield f"  {source}, sandbox {data['isolation']}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _rank(rank: float | None, rows: Sequence[dict[str, Any]]) -> str:
    """Write a place as in sports: equals share the best of their places."""
    if rank is None:
        return "-"
    shared = sum(row["rank"] == rank for row in rows)
    return f"{rank - (shared - 1) / 2:g}{'=' if shared > 1 else ''}"
