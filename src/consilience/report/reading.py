"""Verdicts read back from what `--json` printed, checked field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from consilience.errors import InputError
from consilience.formats.jsonl import read_rows
from consilience.report.record import SCHEMA
from consilience.report.shapes import Reasons, Shown
from consilience.uncertainty import Entropy

HINT = "Name a file that `consilience judge --json` or `consilience bench` wrote."


def shown(data: Mapping[str, Any], where: str = "verdict") -> Shown:
    """Check *data*, as `record` made it, and hold it in the form that pages are made of.

    Raises:
        InputError: it is no verdict, a field is missing or of the wrong kind, or the parts
            do not fit each other; *where* is named.
    """
    if data.get("schema") != SCHEMA:
        message = f"{where}: its schema is {data.get('schema')!r}, not {SCHEMA!r}."
        raise InputError(message, hint=HINT)
    try:
        found = msgspec.convert(data, Shown)
    except msgspec.ValidationError as error:
        message = f"{where}: not a whole verdict ({error})."
        raise InputError(message, hint=HINT) from error
    for fault in _misfits(found):
        message = f"{where}: {fault}."
        raise InputError(message, hint=HINT)
    return found


def read(path: Path) -> list[dict[str, Any]]:
    """Read a JSON document, or one a line, as the objects they are.

    Raises:
        InputError: the file cannot be read, or a line is no JSON object.
    """
    try:
        whole = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # no single document: lines, or a clear error
        rows = [dict(row.fields) for row in read_rows(path)]
        if rows:
            return rows
        message = f"{path}: it is empty."
        raise InputError(message, hint=HINT) from None
    if not isinstance(whole, dict):
        message = f"{path}: not a JSON object."
        raise InputError(message, hint=HINT)
    return [whole]


def _misfits(found: Shown) -> Iterable[str]:
    """Say what does not fit, so that no page is made of half of it."""
    count, tests = len(found.ranking), len(found.tests)
    places = set(range(count))
    if set(found.labels) != places:
        yield "its ranking does not hold each candidate once"
    if found.candidates and len(found.candidates) != count:
        yield f"it has {len(found.candidates)} programs, but {count} places in the ranking"
    if any(len(each) not in {0, count} for t in found.tests for each in (t.passed, t.got)):
        yield "a test has not one outcome a candidate"
    if any(not 0 <= place < tests for rival in found.deciding for place in rival.tests):
        yield "a deciding test is not among its tests"
    named = {rival.index for rival in found.deciding}
    if not named | ({found.winner.index} if found.winner else set()) <= places:
        yield "a winner or rival is not among its candidates"
    yield from _misfit_evidence(found, count, tests)


def _misfit_evidence(found: Shown, count: int, tests: int) -> Iterable[str]:
    if found.entropy is not None and not _fits(found.entropy, count):
        yield "its entropy is not that of its candidates"
    if found.trust is not None and len(found.trust.probabilities) != count:
        yield "it has not one probability a candidate"
    tried = sum(len(each.got) == count for each in found.dropped)
    if any(len(each.got) not in {0, count} for each in found.dropped):
        yield "a dropped input has not one outcome a candidate"
    if found.reasons is not None and not _based(found.reasons, count, tests, tried):
        yield "its reasons name a candidate or a test that it has not"


def _fits(entropy: Entropy, count: int) -> bool:
    ends = {end for edge in entropy.edges for end in (edge.first, edge.second)}
    members = sorted(index for each in entropy.classes for index in each.members)
    known = set(range(count))
    return (
        len(entropy.labels) == count
        and members == sorted(known)
        and {*ends, *entropy.unparsable} <= known
        and set(entropy.labels) <= set(range(len(entropy.classes)))
    )


def _based(reasons: Reasons, count: int, tests: int, tried: int) -> bool:
    places = [duel.index for duel in reasons.against]
    named = [duel.test for duel in reasons.against if duel.test is not None]
    if reasons.bridge is not None:
        places += [reasons.bridge.one, reasons.bridge.other]
    if reasons.disputed is not None:
        test, dropped = reasons.disputed.test, reasons.disputed.dropped
        if (test is None) == (dropped is None):
            return False
        if dropped is not None and not 0 <= dropped < tried:
            return False
        named += [] if test is None else [test]
        places += [place for group in reasons.disputed.groups for place in group]
    return set(places) <= set(range(count)) and set(named) <= set(range(tests))
