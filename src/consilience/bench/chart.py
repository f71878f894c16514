"""Charts as SVG text: lines with bands, bars, boxes, histograms, reliability, and grids.

They read on light and on dark pages, their text is text, and the same data give the same
bytes. Every function returns the whole SVG.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from consilience.bench.frame import COLOURS, Axis, Frame, box, document, number, px, rule, text
from consilience.bench.marks import BAR, Bar, Box, Series, draw_bar, draw_box, draw_line

__all__ = [
    "COLOURS",
    "Axis",
    "Bar",
    "Box",
    "Series",
    "bar_chart",
    "box_chart",
    "grid",
    "histogram",
    "line_chart",
    "reliability_chart",
    "stacked_chart",
]

_GAP = 8


def line_chart(
    series: Sequence[Series],
    *,
    title: str,
    x: str | Axis = "",
    y: str | Axis = "",
    width: float = 640,
    diagonal: bool = False,
) -> str:
    """Draw lines over a common x.

    Args:
        series: the lines, drawn in order.
        title: above the chart, and read out by screen readers.
        x: a label, or an `Axis` with fixed ends or a log scale.
        y: the same from bottom to top.
        width: in pixels.
        diagonal: draw y = x as well, as a reliability diagram needs it.
    """
    colours = [each.colour or COLOURS[i % len(COLOURS)] for i, each in enumerate(series)]
    frame = Frame(
        title,
        _axis(x).over(a for each in series for a, _ in each.points),
        _axis(y).over(b for each in series for b in _heights(each)),
        width,
        legend=[
            (each.name, colour, each.dash)
            for each, colour in zip(series, colours, strict=True)
            if each.name
        ],
    )
    frame.grid()
    low, high = frame.y.ends
    if low < 0 < high:
        frame.parts.append(rule(frame.left, frame.at_y(0), frame.right, frame.at_y(0), "axis"))
    if diagonal:
        frame.parts.append(_diagonal(frame))
    for each, colour in zip(series, colours, strict=True):
        frame.parts += draw_line(frame, each, colour)
    return frame.svg()


def bar_chart(
    bars: Sequence[Bar], *, title: str, x: str | Axis = "", width: float = 640
) -> str:
    """Draw bars from left to right, one below the other, with whiskers for intervals.

    Bars begin at 0, or at the axis' low end where that is fixed or the scale is logarithmic.
    """
    colour = _colours(bar.group for bar in bars)
    axis = _axis(x)
    ends = [v for bar in bars for v in (bar.value, bar.low, bar.high) if v is not None]
    frame = _rows_frame(
        title, axis.over(ends if axis.log else [0.0, *ends]), [bar.label for bar in bars], width
    )
    frame.legend = [(group, each, "box") for group, each in colour.items() if group]
    frame.margin = 64  # for the values
    frame.grid(rows=False, columns=True)
    start = frame.at_x(max(frame.x.ends[0], 0.0) if not frame.x.log else frame.x.ends[0])
    for row, bar in enumerate(bars):
        y = frame.top + _GAP + row * (BAR + _GAP)
        frame.parts += draw_bar(frame, bar, (start, y), colour[bar.group])
    return frame.svg()


def stacked_chart(
    rows: Mapping[str, Mapping[str, float]],
    *,
    title: str,
    x: str | Axis = "",
    width: float = 640,
    colours: Sequence[str] = COLOURS,
) -> str:
    """Draw a bar a row, made of one piece a kind, in the order of the first row's kinds."""
    kinds = list(dict.fromkeys(kind for row in rows.values() for kind in row))
    most = max((sum(row.values()) for row in rows.values()), default=1.0)
    axis = _axis(x)
    fixed = Axis(axis.label, axis.low or 0.0, axis.high or most or 1.0)
    frame = _rows_frame(title, fixed, list(rows), width)
    frame.legend = [(kind, colours[i % len(colours)], "box") for i, kind in enumerate(kinds)]
    frame.grid(rows=False, columns=True)
    for place, (name, row) in enumerate(rows.items()):
        y = frame.top + _GAP + place * (BAR + _GAP)
        frame.parts.append(text(frame.left - 8, y + 12, name, "ink", "end"))
        before = 0.0
        for i, kind in enumerate(kinds):
            after = before + row.get(kind, 0.0)
            start, stop = frame.at_x(before), frame.at_x(after)
            tip = f"{name}, {kind}: {number(row.get(kind, 0.0))}"
            frame.parts.append(box(start, y, stop - start, BAR, colours[i % len(colours)], tip))
            before = after
    return frame.svg()


def box_chart(
    boxes: Sequence[Box],
    *,
    title: str,
    x: str | Axis = "",
    mark: float | None = None,
    width: float = 640,
) -> str:
    """Draw a box a row: quartiles and median, whiskers to the 5th and 95th percentile.

    *mark* is a value to draw a line at, such as 1 for a ratio.
    """
    colour = _colours(each.group for each in boxes)
    shown = [value for each in boxes for value in each.marks]
    labels = [f"{each.label} (n={each.count})" for each in boxes]
    frame = _rows_frame(title, _axis(x).over([*shown, *_given(mark)]), labels, width)
    frame.legend = [(group, each, "box") for group, each in colour.items() if group]
    frame.grid(rows=False, columns=True)
    if mark is not None:
        at = frame.at_x(mark)
        frame.parts.append(rule(at, frame.top, at, frame.base, "axis"))
    for place, (each, label) in enumerate(zip(boxes, labels, strict=True)):
        y = frame.top + _GAP + place * (BAR + _GAP)
        frame.parts.append(text(frame.left - 8, y + 12, label, "ink", "end"))
        frame.parts += draw_box(frame, each, y, colour[each.group])
    return frame.svg()


def histogram(
    values: Sequence[float],
    *,
    title: str,
    x: str | Axis = "",
    bins: int = 20,
    width: float = 640,
) -> str:
    """Draw how many values fall into each of *bins* equal intervals."""
    axis = _axis(x).over(values)
    counts, edges = np.histogram(values, bins=bins, range=axis.ends)
    top = Axis("count", 0.0, float(max(1, counts.max())) * 1.05)
    frame = Frame(title, axis, top, width)
    frame.grid()
    for count, low, high in zip(counts.tolist(), edges[:-1], edges[1:], strict=True):
        left, right, y = frame.at_x(low), frame.at_x(high), frame.at_y(count)
        tip = f"{number(low)} to {number(high)}: {count}"
        frame.parts.append(
            box(left + 0.5, y, right - left - 1, frame.base - y, COLOURS[0], tip)
        )
    return frame.svg()


def reliability_chart(
    bins: Sequence[tuple[float, float, float, float]],
    *,
    title: str,
    x: str | Axis = "predicted",
    y: str | Axis = "observed",
    width: float = 400,
) -> str:
    """Draw (predicted, observed, low, high) for each bin, beside the diagonal y = x."""
    points = Series(
        "",
        [(predicted, observed) for predicted, observed, _, _ in bins],
        [(low, high) for _, _, low, high in bins],
        marked=True,
    )
    ends = Axis(_axis(x).label, 0.0, 1.0), Axis(_axis(y).label, 0.0, 1.0)
    return line_chart([points], title=title, x=ends[0], y=ends[1], width=width, diagonal=True)


def grid(charts: Sequence[str], *, columns: int = 2, title: str = "") -> str:
    """Put charts side by side, *columns* in a row."""
    sizes = [_size(chart) for chart in charts]
    cell = max((width for width, _ in sizes), default=0.0)
    parts = [text(12, 22, title, "ink title")] if title else []
    y = 34.0 if title else 0.0
    for first in range(0, len(charts), columns):
        row = range(first, min(first + columns, len(charts)))
        for place, index in enumerate(row):
            moved = f'<svg x="{px(place * cell)}" y="{px(y)}" '
            parts.append(charts[index].strip().replace("<svg ", moved, 1))
        y += max(sizes[index][1] for index in row)
    return document(cell * min(columns, max(1, len(charts))), y, parts, title)


def _size(chart: str) -> tuple[float, float]:
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', chart)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _colours(groups: Iterable[str]) -> dict[str, str]:
    """Give each group a colour, in order of appearance."""
    distinct = dict.fromkeys(groups)
    return {group: COLOURS[place % len(COLOURS)] for place, group in enumerate(distinct)}


def _axis(given: str | Axis) -> Axis:
    return Axis(given) if isinstance(given, str) else given


def _given(value: float | None) -> list[float]:
    return [] if value is None else [value]


def _heights(series: Series) -> list[float]:
    ends = [end for pair in series.band if pair is not None for end in pair]
    return [y for _, y in series.points if y is not None] + ends


def _rows_frame(title: str, x: Axis, labels: Sequence[str], width: float) -> Frame:
    """Make a frame for rows with labels at their left."""
    left = 20 + 6.2 * max((len(label) for label in labels), default=0)
    plot = _GAP + len(labels) * (BAR + _GAP)
    return Frame(title, x, Axis(), width, plot, min(left, width / 2))


def _diagonal(frame: Frame) -> str:
    low = max(frame.x.ends[0], frame.y.ends[0])
    high = min(frame.x.ends[1], frame.y.ends[1])
    return rule(frame.at_x(low), frame.at_y(low), frame.at_x(high), frame.at_y(high), "axis")
