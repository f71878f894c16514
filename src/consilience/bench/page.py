"""A record of a measurement as one HTML file, whatever was measured.

Nothing here knows one record from another: intervals become whiskers, rows of like shape a
table, bins of predicted and observed a reliability diagram.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from consilience.bench.chart import Bar, bar_chart, line_chart, reliability_chart
from consilience.bench.frame import STYLE
from consilience.bench.intervals import wilson
from consilience.bench.marks import Series
from consilience.report.page import framed, run_page
from consilience.report.shapes import Shown
from consilience.report.visible import shortened, visible

MOST_ROWS = 400
"""Rows shown of one table; what is left out is counted."""
DEEPEST = 5
_FACTS = ("schema", "what", "benchmark", "labels", "model", "isolation")
Rows = list[tuple[str, dict[str, Any]]]
_PREDICTED, _OBSERVED = ("predicted", "mean"), ("observed", "right")
_CHART_STYLE = STYLE.removeprefix("<style>").removesuffix("</style>")


def is_record(found: Mapping[str, Any]) -> bool:
    """Tell a record of a measurement from a verdict."""
    schema = str(found.get("schema", ""))
    return schema.startswith("consilience.bench") or bool({"machine", "benchmark"} & set(found))


def record_page(record: Mapping[str, Any], *, title: str) -> str:
    """Return the page of *record*: what was measured and where, then every figure in it."""
    rest = {key: value for key, value in record.items() if key not in {*_FACTS, "machine"}}
    facts = {key: record[key] for key in _FACTS if key in record}
    parts = [
        _markup("<header><h1>{}</h1>{}", title, _facts(facts)),
        _machine(record.get("machine")),
        Markup("</header><main>"),
        *_content(rest, 2),
        Markup("</main>"),
    ]
    return framed(title, Markup("\n").join(parts), _CHART_STYLE)


def beside_page(verdicts: Sequence[Shown], truth: Mapping[str, Any], *, title: str) -> str:
    """Return the page of a run with a part on how it compares with the *truth*."""
    part = Markup("\n").join(_content(truth, 3))
    return run_page(verdicts, title=title, beside=part, style=_CHART_STYLE)


def _content(found: Mapping[str, Any], level: int) -> Iterator[Markup]:
    """Show single figures together, then each part under a heading of its own."""
    single = {key: value for key, value in found.items() if _is_single(value)}
    if single:
        yield _facts(single)
    for key, value in found.items():
        if key not in single and value not in ({}, []):
            yield _markup("<section><h{0}>{1}</h{0}>", min(level, 6), _words(key))
            yield from _part(key, value, level + 1)
            yield Markup("</section>")


def _part(name: str, value: Any, level: int) -> Iterator[Markup]:
    yield from _reliability(name, value)
    rows = _rows(value)
    if rows:
        yield from _charts(rows)
        yield _table(rows)
        yield from _drawings(value)
    elif level - 2 >= DEEPEST:
        yield _markup("<pre>{}</pre>", shortened(visible(repr(value)), 4_000))
    elif isinstance(value, Mapping):
        drawn = {"bins"} if _bins(value) else set()
        yield from _content({k: v for k, v in value.items() if k not in drawn}, level)
    else:
        yield from _points(name, value)


def _reliability(name: str, value: Any) -> Iterator[Markup]:
    bins = _bins(value)
    if bins:
        yield _drawn(reliability_chart(bins, title=f"{_words(name)}: predicted and observed"))
        yield _markup(
            '<p class="why">On the diagonal a stated probability is what happens. Dots below '
            "it were too sure, dots above it not sure enough. Whiskers: 95 % intervals.</p>"
        )


def _drawings(value: Any) -> Iterator[Markup]:
    """Draw, for each named row of a table, what a cell cannot hold: bins and curves."""
    if not isinstance(value, Mapping):
        return
    for key, row in value.items():
        yield from _reliability(str(key), row)
        for inner, points in row.items():
            if len(_pairs(points)) > 2:
                title = f"{_words(key)}: {_words(inner)}"
                yield _drawn(line_chart([Series("", _pairs(points))], title=title))


def _rows(value: Any) -> Rows:
    """Read *value* as the named rows of a table, where their cells are single figures."""
    if isinstance(value, Mapping):
        found = [(str(key), row) for key, row in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        found = [("", row) for row in value]
    else:
        return []
    rows = [(key, row) for key, row in found if isinstance(row, Mapping)]
    if len(rows) < 2 or len(rows) != len(found) or any(_interval(row) for _, row in rows):
        return []
    flat = [(key, _flat(row)) for key, row in rows]
    return flat if any(row for _, row in flat) else []


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Keep single figures, those one level down under both names; what lies deeper is left."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if _is_single(value):
            found[key] = value
        elif isinstance(value, Mapping):
            found |= {f"{key} {k}": v for k, v in value.items() if _is_single(v)}
        elif len(value) <= 8 and all(map(_is_single, value)):
            found[key] = value
    return found


def _table(rows: Rows) -> Markup:
    heads = list(dict.fromkeys(key for _, row in rows for key in row))
    named = any(key for key, _ in rows)
    cells = [
        ([key] if named else [])
        + [_text(row.get(head)) if head in row else "" for head in heads]
        for key, row in rows[:MOST_ROWS]
    ]
    head = Markup("").join(
        _markup('<th scope="col">{}', _words(h)) for h in ([""] if named else []) + heads
    )
    body = Markup("\n").join(
        _markup("<tr>{}</tr>", Markup("").join(_markup("<td>{}", cell) for cell in row))
        for row in cells
    )
    table = _markup(
        '<div class="wide" role="region" tabindex="0" aria-label="table">'
        "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>",
        head, body,
    )  # fmt: skip
    left = len(rows) - len(cells)
    more = _markup('<p class="dim">and {} rows more</p>', left) if left else Markup("")
    if len(cells) > 16:
        return _markup(
            "<details><summary>{} rows</summary>{}{}</details>", len(rows), table, more
        )
    return table + more


def _charts(rows: Rows) -> Iterator[Markup]:
    """Draw each figure that has an interval in two rows or more."""
    heads = list(dict.fromkeys(key for _, row in rows for key in row))
    for head in heads:
        bars = [
            Bar(visible(key), each["mean"], each.get("low"), each.get("high"))
            for key, row in rows
            if key and (each := _interval(row.get(head)))
        ]
        if len(bars) > 1:
            yield _drawn(bar_chart(bars, title=f"{_words(head)}, mean with 95 % interval"))


def _points(name: str, value: Any) -> Iterator[Markup]:
    """Draw a list of pairs as a line; write anything else out."""
    pairs = _pairs(value)
    if len(pairs) > 2:
        yield _drawn(line_chart([Series("", pairs)], title=_words(name)))
    else:
        yield _markup("<p>{}</p>", shortened(_text(value), 4_000))


def _pairs(value: Any) -> list[tuple[float, float | None]]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    pairs = [each for each in value if isinstance(each, Sequence) and len(each) == 2]
    numbers = [pair for pair in pairs if all(_is_number(each) for each in pair)]
    return [(float(x), float(y)) for x, y in numbers] if len(numbers) == len(value) else []


def _bins(value: Any) -> list[tuple[float, float, float, float]]:
    """Read the bins of a reliability diagram: predicted, observed, low, high."""
    if isinstance(value, Mapping) and "bins" in value:
        value = value["bins"]
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    if not all(isinstance(each, Mapping) for each in value):
        return []
    found = [(_first(each, _PREDICTED), _first(each, _OBSERVED), each) for each in value]
    return [(x, y, *_ends(y, each)) for x, y, each in found if x is not None and y is not None]


def _ends(share: float, row: Mapping[str, Any]) -> tuple[float, float]:
    """Read the interval of a share; where only its count is told, reckon it."""
    low, high = row.get("interval") or (row.get("low"), row.get("high"))
    if low is not None and high is not None:
        return float(low), float(high)
    count = row.get("count")
    return wilson(round(share * count), count) if count else (share, share)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> float | None:
    return next((float(row[n]) for n in names if _is_number(row.get(n))), None)


def _facts(found: Mapping[str, Any]) -> Markup:
    rows = Markup("").join(
        _markup("<div><dt>{}<dd>{}</div>", _words(key), _text(value))
        for key, value in found.items()
    )
    return _markup('<dl class="facts">{}</dl>', rows) if found else Markup("")


def _machine(found: Any) -> Markup:
    if not found:
        return Markup("")
    text = (
        ", ".join(f"{k} {v}" for k, v in found.items()) if isinstance(found, Mapping) else found
    )
    return _markup('<p class="dim">Measured on: {}.</p>', text)


def _drawn(svg: str) -> Markup:
    """Put a chart on the page; its style is the page's, which names it by its hash."""
    bare = Markup(svg.replace(STYLE, ""))  # noqa: S704  # our own chart, its text is escaped
    return _markup(
        '<figure><div class="wide" role="region" tabindex="0" aria-label="chart">{}</div>'
        "</figure>",
        bare,
    )


def _is_single(value: Any) -> bool:
    return not isinstance(value, Mapping | list | tuple) or bool(_interval(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _interval(value: Any) -> dict[str, Any] | None:
    """Read a mean with its interval, as `bench.intervals` writes it."""
    if not isinstance(value, Mapping) or not {"mean", "low", "high"} <= set(value):
        return None
    return dict(value) if _is_number(value["mean"]) else None


def _text(value: Any) -> str:
    """Write a figure for people."""
    found = _interval(value)
    if found:
        mean, low, high = (_number(found[key]) for key in ("mean", "low", "high"))
        count = found.get("tasks")
        return f"{mean} [{low}, {high}]" + (f", n = {count}" if count is not None else "")
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, Mapping):
        return "; ".join(f"{_words(k)} {_text(v)}" for k, v in value.items())
    return _number(value)


def _number(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else visible(str(value))


def _words(name: Any) -> str:
    return visible(str(name).replace("_", " "))


def _markup(form: str, *values: object) -> Markup:
    """Fill *form*; every value that is no markup yet is escaped, and what hides is written."""
    shown = [
        visible(v) if isinstance(v, str) and not isinstance(v, Markup) else v for v in values
    ]
    return Markup(form).format(*(escape(each) for each in shown))  # noqa: S704  # forms are ours
