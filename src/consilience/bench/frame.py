"""The frame of a chart: scales, ticks, legend, and pieces of SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

COLOURS = ("#2a7fc9", "#d0611f", "#1f9068", "#b5599b", "#a67c00", "#7a6fd0", "#7d848c")
"""Told apart by colour-blind readers, and three times as light or dark as either page."""
STYLE = (
    "<style>.page{fill:#ffffff}.ink{fill:#1f2328}.soft{fill:#59636e}.rule{stroke:#d1d9e0}"
    ".axis{stroke:#59636e}.whisker{stroke:#1f2328}@media(prefers-color-scheme:dark){.page{fill:#0d1117}"
    ".ink{fill:#e6edf3}.soft{fill:#9198a1}.rule{stroke:#30363d}.axis{stroke:#9198a1}.whisker{stroke:#e6edf3}}"
    "text{font:11px system-ui,sans-serif}.title{font-weight:600;font-size:13px}</style>"
)
_LETTER = (
    6.4  # pixels of an average letter at 11 px; charts must not need a font to be laid out
)


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows, and its ends where they are fixed."""

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False

    def over(self, values: Iterable[float]) -> Axis:
        """Fix the ends so that all *values* are in between (positive ones on a log axis)."""
        kept = [v for v in values if math.isfinite(v) and (v > 0 or not self.log)] or [1.0]
        low, high = min(kept), max(kept)
        if self.log:
            low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
            high = high if high > low else 10 * low
        else:
            room = 0.04 * (high - low) or 0.5
            low, high = low - room, high + room
        return Axis(
            self.label,
            low if self.low is None else self.low,
            high if self.high is None else self.high,
            self.log,
        )

    def share(self, value: float) -> float:
        """Return how far along the axis *value* lies: 0 at its low end, 1 at its high end."""
        low, high = self.ends
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, low))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    @property
    def ends(self) -> tuple[float, float]:
        """The two ends, 0 and 1 where none were fixed."""
        return self.low if self.low is not None else 0.0, (
            self.high if self.high is not None else 1.0
        )

    def ticks(self) -> list[float]:
        """Return round values within the ends: powers of ten on a log axis, else about five."""
        low, high = self.ends
        if self.log:
            first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
            return [10.0**power for power in range(first, last + 1)]
        step = _round_step((high - low) / 5)
        first = math.ceil(low / step - 1e-9)
        return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _round_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next((m * power for m in (1, 2, 2.5, 5) if m * power >= raw - 1e-12), 10 * power)


def number(value: float) -> str:
    """Write a tick: 0.25, 10, 1000, 1e-05."""
    text = f"{value:.6g}"
    return "0" if text == "-0" else text


def px(value: float) -> str:
    """Write a length: at most one decimal, so that the same chart has the same bytes."""
    return f"{round(value, 1) + 0.0:g}"


def text(x: float, y: float, words: str, kind: str = "ink", anchor: str = "start") -> str:
    """Write words as text, escaped."""
    return (
        f'<text class="{kind}" x="{px(x)}" y="{px(y)}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )


def rule(x1: float, y1: float, x2: float, y2: float, kind: str = "rule") -> str:
    """Draw a thin line."""
    ends = f'x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"'
    return f'<line class="{kind}" {ends}/>'


def stroke(path: str, colour: str, *, width: float = 1.8, dash: str = "") -> str:
    """Draw a path in a colour."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"'
        f' stroke-linejoin="round"{dashes}/>'
    )


def box(x: float, y: float, width: float, height: float, colour: str, tip: str = "") -> str:
    """Fill a rectangle; *tip* is what a reader who points at it is told."""
    told = f"<title>{escape(tip)}</title>" if tip else ""
    ends = f'width="{px(max(width, 0.0))}" height="{px(max(height, 0.0))}"'
    return f'<rect x="{px(x)}" y="{px(y)}" {ends} fill="{colour}">{told}</rect>'


@dataclass(slots=True)
class Frame:
    """A chart in the making: the plot's edges, and the pieces drawn so far."""

    title: str
    x: Axis
    y: Axis
    width: float = 640
    plot: float = 240
    """Height of the plot alone."""
    left: float = 58
    margin: float = 18
    """At the right of the plot."""
    legend: Sequence[tuple[str, str, str]] = ()
    """Name, colour, and dash pattern (or `box` for a filled square)."""
    parts: list[str] = field(default_factory=list)

    @property
    def right(self) -> float:
        """The plot's right edge."""
        return self.width - self.margin

    @property
    def top(self) -> float:
        """The plot's upper edge, below title and legend."""
        return 34 + 18 * len(self._legend_rows())

    @property
    def base(self) -> float:
        """The plot's lower edge."""
        return self.top + self.plot

    def at_x(self, value: float) -> float:
        """Return where *value* lies from left to right."""
        return self.left + (self.right - self.left) * self.x.share(value)

    def at_y(self, value: float) -> float:
        """Return where *value* lies from top to bottom."""
        return self.base - self.plot * self.y.share(value)

    def grid(self, *, rows: bool = True, columns: bool = False) -> None:
        """Draw the axes with their ticks; lines across where asked for."""
        for tick in self.y.ticks() if rows else ():
            y = self.at_y(tick)
            self.parts.append(rule(self.left, y, self.right, y))
            self.parts.append(text(self.left - 6, y + 4, number(tick), "soft", "end"))
        for tick in self.x.ticks():
            x = self.at_x(tick)
            top = self.top if columns else self.base
            self.parts.append(rule(x, top, x, self.base + 4))
            self.parts.append(text(x, self.base + 17, number(tick), "soft", "middle"))
        self.parts.append(rule(self.left, self.base, self.right, self.base, "axis"))

    def svg(self) -> str:
        """Return the whole chart."""
        height = self.base + (40 if self.x.label else 26)
        head = [text(12, 20, self.title, "ink title")]
        head += self._legend()
        middle = (self.left + self.right) / 2
        if self.x.label:
            head.append(text(middle, self.base + 33, self.x.label, "soft", "middle"))
        if self.y.label:
            y = (self.top + self.base) / 2
            turned = text(14, y, self.y.label, "soft", "middle")
            head.append(turned.replace("<text ", f'<text transform="rotate(-90 14 {px(y)})" '))
        return document(self.width, height, [*head, *self.parts], self.title)

    def _legend_rows(self) -> list[list[tuple[str, str, str, float]]]:
        """Lay the legend out in rows: each entry with its place from the left."""
        rows: list[list[tuple[str, str, str, float]]] = []
        x = math.inf
        for name, colour, dash in self.legend:
            room = 34 + _LETTER * len(name)
            if x + room > self.width - 10:
                rows.append([])
                x = 12.0
            rows[-1].append((name, colour, dash, x))
            x += room
        return rows

    def _legend(self) -> list[str]:
        drawn = []
        for row, entries in enumerate(self._legend_rows()):
            y = 38 + 18 * row
            for name, colour, dash, x in entries:
                if dash == "box":
                    drawn.append(box(x + 6, y - 9, 10, 10, colour))
                else:
                    drawn.append(stroke(f"M{px(x)} {y - 4}h18", colour, dash=dash))
                drawn.append(text(x + 23, y, name))
        return drawn


def document(width: float, height: float, parts: Iterable[str], title: str) -> str:
    """Put pieces on a page of their own."""
    size = f'width="{px(width)}" height="{px(height)}"'
    view = f'viewBox="0 0 {px(width)} {px(height)}"'
    page = f'<rect class="page" width="{px(width)}" height="{px(height)}"/>'
    lines = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img"'
        f' aria-label="{escape(title)}">{STYLE}{page}\n{lines}\n</svg>\n'
    )
