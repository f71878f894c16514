"""What charts are made of: lines with their bands, bars with whiskers, boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience.bench.frame import Frame, box, px, stroke, text

BAR = 15
"""Thickness of a bar."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart."""

    name: str
    points: Sequence[tuple[float, float | None]]
    """(x, y) from left to right; None, where y is undefined, breaks the line."""
    band: Sequence[tuple[float, float] | None] = ()
    """For each point the low and high end of its interval; drawn as a shade."""
    dash: str = ""
    """A dash pattern, such as "5 3"."""
    colour: str = ""
    """Of the house's own by place where none is given."""
    marked: bool = False
    """Draw a dot at every point, and the intervals as whiskers instead of a shade."""
    line: bool = True
    """False leaves dots alone."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its interval."""

    label: str
    value: float | None
    """None is written as "undefined"."""
    low: float | None = None
    high: float | None = None
    group: str = ""
    """Bars of a group share a colour, and the legend names it."""
    note: str = ""
    """Written after the bar instead of its value."""


@dataclass(slots=True)
class _Pieces:
    """A path that is broken where a point is missing."""

    path: str = ""
    pen: bool = False

    def go(self, x: float, y: float) -> None:
        self.path += f"{'L' if self.pen else 'M'}{px(x)} {px(y)}"
        self.pen = True


@dataclass(frozen=True, slots=True)
class Box:
    """Quartiles and tails of some values."""

    label: str
    marks: Sequence[float]
    """The 5th, 25th, 50th, 75th and 95th percentile; empty where there are no values."""
    count: int
    group: str = ""
    """Boxes of a group share a colour, and the legend names it."""

    @classmethod
    def of(cls, label: str, values: Sequence[float], group: str = "") -> Box:
        """Take the percentiles of *values*."""
        marks = np.percentile(values, [5, 25, 50, 75, 95]).tolist() if len(values) else []
        return cls(label, marks, len(values), group)


def draw_line(frame: Frame, series: Series, colour: str) -> list[str]:
    """Draw a line, its dots, and its band or whiskers."""
    parts = _whiskers(frame, series, colour) if series.marked else _shade(frame, series, colour)
    pieces = _Pieces()
    for x, y in series.points:
        if y is None or not math.isfinite(y):
            pieces.pen = False
            continue
        pieces.go(frame.at_x(x), frame.at_y(y))
        if series.marked:
            at = f'cx="{px(frame.at_x(x))}" cy="{px(frame.at_y(y))}"'
            parts.append(f'<circle {at} r="3" fill="{colour}"/>')
    if series.line and pieces.path:
        parts.append(stroke(pieces.path, colour, dash=series.dash))
    return parts


def _shade(frame: Frame, series: Series, colour: str) -> list[str]:
    known = [
        (x, *ends)
        for (x, _), ends in zip(series.points, series.band, strict=bool(series.band))
        if ends is not None
    ]
    if not known:
        return []
    upper = [f"{px(frame.at_x(x))} {px(frame.at_y(high))}" for x, _, high in known]
    lower = [f"{px(frame.at_x(x))} {px(frame.at_y(low))}" for x, low, _ in reversed(known)]
    path = "M" + "L".join([*upper, *lower]) + "Z"
    return [f'<path d="{path}" fill="{colour}" fill-opacity="0.16"/>']


def _whiskers(frame: Frame, series: Series, colour: str) -> list[str]:
    pairs = zip(series.points, series.band, strict=bool(series.band))
    return [
        stroke(
            f"M{px(frame.at_x(x))} {px(frame.at_y(ends[0]))}V{px(frame.at_y(ends[1]))}",
            colour,
            width=1.2,
        )
        for (x, _), ends in pairs
        if ends is not None
    ]


def draw_bar(frame: Frame, bar: Bar, at: tuple[float, float], colour: str) -> list[str]:
    """Draw a bar that begins *at* (left, top), with its label, whisker and value."""
    start, y = at
    parts = [text(frame.left - 8, y + 12, bar.label, "ink", "end")]
    if bar.value is None:
        return [*parts, text(start + 4, y + 12, bar.note or "undefined", "soft")]
    stop = frame.at_x(bar.value)
    told = bar.note or f"{bar.value:.3g}"
    tip = f"{bar.label}: {told}"
    parts.append(box(min(start, stop), y, abs(stop - start), BAR, colour, tip))
    end = stop
    if bar.low is not None and bar.high is not None:
        low, end = frame.at_x(bar.low), frame.at_x(bar.high)
        middle = px(y + BAR / 2)
        parts.append(
            f'<path class="whisker" d="M{px(low)} {middle}H{px(end)}" stroke-width="1.4"/>'
        )
    parts.append(text(max(stop, end, start) + 5, y + 12, told, "soft"))
    return parts


def draw_box(frame: Frame, given: Box, y: float, colour: str) -> list[str]:
    """Draw quartiles, median and whiskers with their upper edge at *y*."""
    if not given.marks:
        return [text(frame.left + 4, y + 12, "none", "soft")]
    low, first, median, third, high = (frame.at_x(value) for value in given.marks)
    middle = px(y + BAR / 2)
    tip = "5, 25, 50, 75, 95 %: " + ", ".join(f"{value:.3g}" for value in given.marks)
    return [
        stroke(f"M{px(low)} {middle}H{px(first)}M{px(third)} {middle}H{px(high)}", colour),
        box(first, y, max(third - first, 1.0), BAR, colour, tip),
        f'<path class="page" d="M{px(median - 1)} {px(y)}h2v{BAR}h-2Z"/>',
    ]
