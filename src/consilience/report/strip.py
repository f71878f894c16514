"""How sure the expected outputs are, as a picture: a dot a test, a lane a route."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.report.grid import ROUTES
from consilience.report.shapes import Test

WIDTH, LEFT, RIGHT = 640, 118, 616
STEP, HIGHEST, PAD = 12, 8, 14
SHAPES = {
    "given": "M-4.5 -4.5h9v9h-9Z",
    "inductive": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
    "transductive": "M0 -5.5L5.5 4.5H-5.5Z",
}
"""Route -> the outline of its dots, so that colour is never all there is."""
OTHER = "M0 -5.5L5.5 0L0 5.5L-5.5 0Z"


@dataclass(frozen=True, slots=True)
class Dot:
    """A test."""

    x: float
    y: float
    hollow: bool
    told: str


@dataclass(frozen=True, slots=True)
class More:
    """What a stack that is too high for the picture stands for."""

    x: float
    y: float
    count: int


@dataclass(frozen=True, slots=True)
class Lane:
    """The tests of one route."""

    route: str
    shape: str
    base: float
    dots: tuple[Dot, ...]
    more: tuple[More, ...]


@dataclass(frozen=True, slots=True)
class Strip:
    """The whole picture."""

    lanes: tuple[Lane, ...]
    height: float
    ticks: tuple[tuple[float, str], ...]
    tau: float | None
    """Where the line of the gate stands; None where there was none."""
    told: str


def strip(tests: Sequence[Test], tau: float | None) -> Strip:
    """Place the tests by their confidence, those of equal confidence on one another."""
    lanes, base = [], 8.0
    for route in [name for name in ROUTES if any(t.route == name for t in tests)]:
        stacks = _stacks([(i, t) for i, t in enumerate(tests) if t.route == route])
        base += PAD + STEP * min(HIGHEST, max(map(len, stacks.values())))
        lanes.append(_lane(route, base, stacks))
        base += PAD
    ticks = tuple((at(step / 5), f"{step / 5:g}") for step in range(6))
    gate = tau if any(t.inductive_confidence is not None for t in tests) else None
    return Strip(
        tuple(lanes), base + 40, ticks, None if gate is None else at(gate), _told(tests)
    )


def at(confidence: float) -> float:
    """Return the place of a confidence from left to right."""
    return round(LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, confidence)), 1)


def _stacks(tests: Sequence[tuple[int, Test]]) -> dict[float, list[tuple[int, Test]]]:
    stacks: dict[float, list[tuple[int, Test]]] = {}
    for place, test in tests:
        stacks.setdefault(round(test.confidence * 40) / 40, []).append((place, test))
    return stacks


def _lane(route: str, base: float, stacks: dict[float, list[tuple[int, Test]]]) -> Lane:
    dots, more = [], []
    for confidence, stack in sorted(stacks.items()):
        room = HIGHEST if len(stack) <= HIGHEST else HIGHEST - 1
        for height, (place, test) in enumerate(stack[:room]):
            told = f"test {place + 1}: {test.call} should be {test.expected}, {votes(test)}"
            y = base - STEP * height - STEP / 2
            dots.append(Dot(at(confidence), y, not test.reliable, told))
        if stack[room:]:
            y = base - STEP * room - 2
            more.append(More(at(confidence), y, len(stack) - room))
    return Lane(route, SHAPES.get(route, OTHER), base, tuple(dots), tuple(more))


def votes(test: Test) -> str:
    """Say how many votes stand behind an expectation."""
    if test.route == "given":
        return "given by the task"
    return f"{test.votes} of {test.total} votes"


def _told(tests: Sequence[Test]) -> str:
    parts = []
    for route in ROUTES:
        own = [test for test in tests if test.route == route]
        if own:
            mean = sum(test.confidence for test in own) / len(own)
            parts.append(f"{len(own)} {route}, mean confidence {mean:.2f}")
    return "; ".join(parts) or "no tests"
