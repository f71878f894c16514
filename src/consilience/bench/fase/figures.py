"""The paper's figures 3 to 7 from the record of the experiment, and one of what things cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.bench.chart import (
    COLOURS,
    Axis,
    Bar,
    Box,
    Series,
    bar_chart,
    box_chart,
    grid,
    line_chart,
    stacked_chart,
)
from consilience.bench.fase.distances import CLASSES, KINDS

Record = Mapping[str, Any]
ENCODER = "minilm"
LINES = {
    "pdm-mean": ("PDM mean", COLOURS[0], "2 3"),
    "scaled-pdm-mean": ("scaled PDM mean", COLOURS[0], ""),
    "mst-mean": ("MST mean", COLOURS[2], "2 3"),
    "scaled-mst-mean": ("scaled MST mean", COLOURS[2], ""),
    "scaled-mst-mode": ("scaled MST mode (FASE)", COLOURS[1], ""),
}
"""Variant -> name, colour, dashes: as in the paper, scaled ones are solid."""
_ORDER = (COLOURS[2], COLOURS[4], COLOURS[6])  # right, between, wrong


def figures(record: Record) -> dict[str, str]:
    """Draw every figure: file name -> SVG."""
    sets = record["sets"]
    alone = [name for name, found in sets.items() if found["workflow"] == "coder"]
    analysed = [name for name in sets if name not in alone]
    drawn = {
        "fase-figure3.svg": pass_at_1(sets),
        "fase-figure4.svg": ratios(sets),
        "fase-figure5.svg": tree_to_distance(sets),
        "fase-figure6.svg": sweeps(sets, alone, "Figure 6, coder alone"),
    }
    if analysed:
        drawn["fase-figure7.svg"] = sweeps(sets, analysed, "Figure 7, analyst + coder")
    if "cost" in record:
        drawn["fase-cost.svg"] = cost(record)
    return drawn


def pass_at_1(sets: Record) -> str:
    """Draw the paper's figure 3: how many tasks are solved always, at times, never."""
    rows = {
        name: {kind: found["pass_at_1"][kind] for kind in reversed(CLASSES)}
        for name, found in sets.items()
    }
    title = "Figure 3: tasks by pass@1 of their samples"
    return stacked_chart(rows, title=title, x="tasks", colours=_ORDER)


def ratios(sets: Record) -> str:
    """Draw the paper's figure 4: lengths by kind of pair, over the mean of the task."""
    panels = []
    for what, name in (("distance_ratios", "distances (PDM)"), ("edge_ratios", "tree edges")):
        for items, words in (("samples", "all samples"), ("distinct", "distinct programs")):
            boxes = [
                _box(set_name, found["geometry"][ENCODER][items][what][kind], kind)
                for set_name, found in sets.items()
                for kind in KINDS
            ]
            title = f"{name}, {words}"
            x = Axis("over the task's mean", low=0.0)
            panels.append(box_chart(boxes, title=title, x=x, mark=1.0, width=560))
    return grid(panels, title="Figure 4: tasks with right and wrong samples")


def tree_to_distance(sets: Record) -> str:
    """Draw the paper's figure 5: mean tree edge over mean distance, by class of pass@1."""
    panels = []
    for items, words in (("samples", "all samples"), ("distinct", "distinct programs")):
        boxes = [
            _box(name, found["geometry"][ENCODER][items]["tree_to_distance"][place], place)
            for name, found in sets.items()
            for place in CLASSES
        ]
        x = Axis("mean tree edge / mean distance", low=0.0)
        panels.append(box_chart(boxes, title=words, x=x, width=560))
    return grid(panels, title="Figure 5: the tree's edges beside all distances")


def _box(name: str, found: Record, group: str) -> Box:
    return Box(f"{name}, {group}", found["percentiles"], found["tasks"], group)


def sweeps(sets: Record, names: list[str], title: str, rule: str = "authors") -> str:
    """Draw the paper's figures 6 and 7: rho by alpha, by fixed radius, by class size.

    The published code's rule, beside ours (dotted red) at the scaled mode.
    """
    panels = []
    for name in names:
        found = sets[name]["measures"]
        lines = [
            _series(
                label,
                found[f"{rule} {variant}/{ENCODER}"],
                colour,
                dash,
                band=variant == "scaled-mst-mode",
            )
            for variant, (label, colour, dash) in LINES.items()
        ]
        ours = found[f"consilience scaled-mst-mode/{ENCODER}"]
        lines.append(_series("FASE on distinct programs", ours, COLOURS[3], "6 3"))
        y = Axis("rho", *_range(sets, names))
        panels += [
            line_chart(lines, title=f"{name}: radius by alpha", x="alpha", y=y, width=560),
            _fixed(found, name, y),
        ]
    return grid(panels, title=f"{title}: Spearman's rho of 1 - H with pass@1 (MiniLM)")


def _fixed(found: Record, name: str, y: Axis) -> str:
    """Draw fixed radius and fixed class size in one panel."""
    radius, size = found[f"fixed/{ENCODER}"], found[f"hdbscan/{ENCODER}"]
    scaled = [[point[0] / 30, *point[1:]] for point in size["curve"]]
    lines = [
        _series("fixed radius", radius, COLOURS[6], "", band=True),
        _series("fixed class size / 30", {"curve": scaled}, COLOURS[4], "5 3", band=True),
    ]
    x = "radius (DBSCAN), or least class size / 30 (HDBSCAN)"
    return line_chart(lines, title=f"{name}: fixed", x=x, y=y, width=560)


def _series(label: str, found: Record, colour: str, dash: str, *, band: bool = False) -> Series:
    curve = found["curve"]
    ends = [None if low is None else (low, high) for _, _, low, high in curve]
    points = [(setting, value) for setting, value, _, _ in curve]
    return Series(label, points, ends if band else (), dash, colour)


def _range(sets: Record, names: list[str]) -> tuple[float, float]:
    """Return ends that hold every curve, so that panels compare."""
    values = [
        value
        for name in names
        for measure, found in sets[name]["measures"].items()
        if measure.endswith(ENCODER)
        for point in found.get("curve", ())
        for value in point[1:]
        if value is not None
    ]
    return min(values) - 0.02, max(values) + 0.02


def cost(record: Record) -> str:
    """Draw what each measure costs a task, on a log scale."""
    bars = [
        Bar(name, found["mean"], found["low"], found["high"], "CPU, no model asked")
        for name, found in record["cost"]["parts"].items()
    ]
    for name, found in record.get("asked", {}).get("cost", {}).items():
        spent = found["server_cpu_seconds"]
        ends = (spent["mean"], spent["low"], spent["high"])
        note = "not measured" if spent["mean"] is None else ""
        bars.append(Bar(name, *ends, "the model's CPU", note))
    title = "RQ4: CPU seconds a task of ten samples"
    return bar_chart(bars, title=title, x=Axis("CPU seconds a task", log=True))
