"""Tell which values are equal, and sort values into classes of equals."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from consilience.values.canonical import Form, Level, Number, form, is_nan, tidy
from consilience.values.plain import describe
from consilience.values.value import Value
from consilience.values.wire import Node, dump, load


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two numbers may lie apart where at least one of them is a float.

    |a - b| <= absolute + relative * max(|a|, |b|)
    """

    absolute: float = 1e-6
    relative: float = 1e-7


DEFAULT_TOLERANCE = Tolerance()
EXACT = Tolerance(0.0, 0.0)


def equal(
    a: Value, b: Value, level: Level = "py", tolerance: Tolerance = DEFAULT_TOLERANCE
) -> bool:
    """Tell whether two values are the same answer.

    A value that holds a function or a module equals nothing, itself included. Where *b* is what
    a task states in a doctest's words, *a* has to be what a prompt would show so.
    """
    if not (a.comparable and b.comparable):
        return False
    if a.payload == b.payload:
        return True
    if b.in_words:
        return _meets(load(a.payload), load(b.payload), level, tolerance)
    return _close(form(a.payload, level), form(b.payload, level), tolerance)


def classes(
    values: Sequence[Value], level: Level = "py", tolerance: Tolerance = DEFAULT_TOLERANCE
) -> list[int]:
    """Give each value the number of its class of equals.

    Closeness is not transitive, so classes grow around leaders: exact values, those that occur
    most often first, each join the first leader they are close to or become one. Classes are
    numbered by size. Nothing depends on the order of *values* but the numbers of those that
    equal nothing, which come last.
    """
    counts = Counter(value.payload for value in values if value.comparable)
    members = _group(counts, level, tolerance)
    members.sort(key=lambda payloads: (-sum(counts[p] for p in payloads), min(payloads)))
    numbers = {payload: i for i, payloads in enumerate(members) for payload in payloads}
    labels, alone = [], len(members)
    for value in values:
        labels.append(numbers.get(value.payload, alone))
        alone += not value.comparable
    return labels


def _meets(seen: Node, stated: Node, level: Level, tolerance: Tolerance) -> bool:
    """Tell whether what was *seen* is what is *stated* in words: echoed, or printed."""
    if not isinstance(stated, list) or stated[0] not in {"O", "W"}:
        return equal(Value(dump(seen)), Value(dump(stated)), level, tolerance)
    if stated[0] == "O":
        alike = isinstance(seen, list) and seen[0] == "O" and len(seen) == len(stated)
        pairs = zip(seen[1:], stated[1:], strict=True) if alike else ()  # type: ignore[index]
        return alike and all(_meets(*pair, level, tolerance) for pair in pairs)
    text = tidy(stated[1])
    if not text:  # nothing is stated of this step
        return True
    if isinstance(seen, list) and seen[0] in {"P", "p"}:
        return text in {tidy(seen[1]), tidy(f"{seen[1]}\n{_echoed(seen[2:])}")}
    if isinstance(seen, str) and text == tidy(seen):  # written without its quotes
        return True
    return len(stated) == 3 and _meets(seen, stated[2], level, tolerance)


def _echoed(nodes: Sequence[Node]) -> str:
    return "".join(map(describe, nodes))


def _group(counts: Counter[str], level: Level, tolerance: Tolerance) -> list[list[str]]:
    if len(counts) < 2:
        return [[payload] for payload in counts]
    exact: dict[Hashable, list[str]] = defaultdict(list)
    forms: dict[Hashable, Form] = {}
    for payload in counts:
        its = form(payload, level)
        exact[its.exact].append(payload)
        forms[its.exact] = its
    by_skeleton: dict[str, list[Hashable]] = defaultdict(list)
    for key in exact:
        by_skeleton[forms[key].skeleton].append(key)
    groups: list[list[Hashable]] = []
    for keys in by_skeleton.values():
        keys.sort(key=lambda key: (-sum(counts[p] for p in exact[key]), min(exact[key])))
        groups += _around_leaders(keys, forms, tolerance)
    return [[payload for key in group for payload in exact[key]] for group in groups]


def _around_leaders(
    keys: list[Hashable], forms: dict[Hashable, Form], tolerance: Tolerance
) -> list[list[Hashable]]:
    groups: list[list[Hashable]] = []
    for key in keys:
        for group in groups:
            if _close(forms[group[0]], forms[key], tolerance):
                group.append(key)
                break
        else:
            groups.append([key])
    return groups


def _close(a: Form, b: Form, tolerance: Tolerance) -> bool:
    return a.skeleton == b.skeleton and all(
        _near(x, y, tolerance) for x, y in zip(a.numbers, b.numbers, strict=True)
    )


def _near(a: Number, b: Number, tolerance: Tolerance) -> bool:
    if a == b:
        return True
    if isinstance(a, complex) or isinstance(b, complex):
        return _near(_real(a), _real(b), tolerance) and _near(_imag(a), _imag(b), tolerance)
    if is_nan(a) or is_nan(b):
        return is_nan(a) and is_nan(b)
    # Two integers, or two exact fractions, are as exact as they look: 10**20 is not 10**20 + 1.
    if not (isinstance(a, float) or isinstance(b, float)) or tolerance == EXACT:
        return False
    x, y = _float(a), _float(b)
    return math.isfinite(x) and math.isfinite(y) and _within(x, y, tolerance)


def _float(number: float | Fraction | Decimal) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _within(x: float, y: float, tolerance: Tolerance) -> bool:
    return abs(x - y) <= tolerance.absolute + tolerance.relative * max(abs(x), abs(y))


def _real(number: Number) -> Number:
    return number.real if isinstance(number, complex) else number


def _imag(number: Number) -> Number:
    return number.imag if isinstance(number, complex) else 0.0
