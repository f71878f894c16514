"""A record's figures as SVG: thresholds, cost, reliability, the two routes' majorities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.bench.chart import (
    Axis,
    Bar,
    Box,
    Series,
    bar_chart,
    box_chart,
    grid,
    histogram,
    line_chart,
    reliability_chart,
)
from consilience.bench.cott import TaskRow
from consilience.bench.cott.analysis import cost_spread, majorities, tau_sweep
from consilience.bench.cott.confidence import confidences
from consilience.bench.cott.summary import summary
from consilience.bench.cott.tables import NAMES

ASKING = ("cot", "sol-ver", "syntra", "rstar", "tt", "cott")
PERCENT = Axis("%", 0, 100)


def figures(rows: Sequence[TaskRow]) -> dict[str, str]:
    """Draw every figure of a record, by name."""
    found = {
        "confidence": confidence_figure(confidences(rows)),
    }
    if any(row.transductive for task in rows for row in task.inputs):
        return {
            "methods": method_figure(summary(rows)),
            "tau": tau_figure(tau_sweep(rows)),
            "cost": cost_figure(cost_spread(rows, ASKING)),
            "majorities": majority_figure(majorities(rows)),
            **found,
        }
    return found


def method_figure(found: Mapping[str, Any]) -> str:
    """Draw Top-1 and Bottom-1 of every method with their intervals."""
    charts = []
    for name, title in (("top1", "Top-1"), ("bottom1", "Bottom-1")):
        bars = [
            Bar(NAMES[method], *(100 * row[name][key] for key in ("mean", "low", "high")))
            for method, row in found["methods"].items()
            if row[name]["mean"] is not None
        ]
        charts.append(bar_chart(bars, title=f"{title}, {found['tasks']} tasks", x=PERCENT))
    return grid(charts, columns=1, title="Ranking by each method's tests")


def tau_figure(sweep: Sequence[Mapping[str, Any]]) -> str:
    """Draw what the threshold changes: ranking and labels, and what they cost."""
    usual = [row for row in sweep if 0 < row["tau"] <= 1]
    quality = [
        Series(
            title,
            [(row["tau"], _percent(row[name]["mean"])) for row in usual],
            [(100 * row[name]["low"], 100 * row[name]["high"]) for row in usual],
        )
        for name, title in (("top1", "Top-1"), ("bottom1", "Bottom-1"))
    ]
    labels = Series(
        "labels right", [(row["tau"], 100 * row["labels_right"]) for row in usual], dash="5 3"
    )
    gates = Series("inputs gated", [(row["tau"], 100 * row["gate_rate"]) for row in usual])
    tokens = Series(
        "tokens a task",
        [(row["tau"], row["tokens"]["mean"]) for row in usual],
        [(row["tokens"]["low"], row["tokens"]["high"]) for row in usual],
    )
    x = "threshold tau"
    return grid(
        [
            line_chart([*quality, labels], title="Quality", x=x, y=PERCENT, width=420),
            line_chart(
                [gates], title="Inputs that ask for transduction", x=x, y=PERCENT, width=420
            ),
            line_chart([tokens], title="Cost", x=x, y=Axis("tokens a task", 0), width=420),
        ],
        columns=3,
        title="CoTT at every threshold",
    )


def cost_figure(spread: Mapping[str, Any]) -> str:
    """Draw how much the cost varies over tasks, by method."""
    boxes = [Box.of(NAMES[method], row["by_task"]) for method, row in spread.items()]
    return box_chart(boxes, title="Tokens a task", x=Axis("tokens", 0))


def confidence_figure(found: Mapping[str, Any]) -> str:
    """Draw a reliability diagram of every score of confidence."""
    charts = [
        reliability_chart(
            [_bin(each) for each in row["bins"]],
            title=name,
            x="score",
            y="share of majorities right",
            width=320,
        )
        for name, row in found["scores"].items()
    ]
    title = f"Confidence in the inductive majority, {found['inputs']} inputs"
    return grid(charts, columns=3, title=title)


def majority_figure(found: Mapping[str, Sequence[float]]) -> str:
    """Draw both routes' majority ratios where exactly one of them is right (Fig. 2)."""
    charts = [
        histogram(
            values,
            title=f"{name} ({len(values)})",
            x=Axis("majority ratio", 0, 1),
            bins=10,
            width=400,
        )
        for name, values in found.items()
    ]
    return grid(charts, columns=2, title="Where exactly one route is right")


def _bin(found: Mapping[str, Any]) -> tuple[float, float, float, float]:
    return found["mean"], found["right"], *found["interval"]


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
