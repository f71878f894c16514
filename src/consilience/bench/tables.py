"""Records as Markdown tables: what README and docs print comes from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SCALES = {"top1": 100, "bottom1": 100, "rho": 1}
"""Figures of a ranking, and what they are multiplied by to be shown."""
NAMES = {"cott": "CoTT (gate)", "rstar": "induction alone (majority)"}


def live_table(record: Mapping[str, Any]) -> str:
    """Show a record of `bench judge`: a row a method, with 95 % intervals over tasks."""
    summary = record["summary"]
    total = summary["tasks"]
    head = ("method", "Top-1", "Bottom-1", "rho", "gate rate", "tokens a task")
    rows = [
        (
            NAMES[method],
            *(interval(found[name], scale, total) for name, scale in SCALES.items()),
            "" if found["gate_rate"] is None else f"{100 * found['gate_rate']:.0f} %",
            f"{found['tokens_per_task']:,}",
        )
        for method, found in ((name, summary[name]) for name in NAMES)
    ]
    gap = summary["cott minus rstar"]
    gaps = [interval(gap[name]["interval"], scale, total) for name, scale in SCALES.items()]
    return markdown([head, *rows, ("difference", *gaps, "", "")])


def label_table(record: Mapping[str, Any]) -> str:
    """Show, by method and route, how many expected outputs the reference solution shares."""
    head = ("method", "route", "tests", "right", "input invalid for the reference")
    rows = [
        (
            NAMES[method],
            route,
            str(counts["tests"]),
            f"{counts['right']} ({100 * counts['right'] / counts['tests']:.0f} %)",
            str(counts["invalid"]),
        )
        for method in NAMES
        for route, counts in record["summary"][method]["label_accuracy"].items()
        if counts["tests"]
    ]
    return markdown([head, *rows])


def interval(found: Mapping[str, Any], scale: float, total: int) -> str:
    """Write a mean with its interval, and how many tasks it is over where not all define it."""
    if found["mean"] is None:
        return "undefined"
    digits = 0 if scale == 100 else 2
    mean, low, high = (scale * found[key] for key in ("mean", "low", "high"))
    partial = "" if found["tasks"] == total else f" ({found['tasks']} of {total} tasks)"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]{partial}"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Write *rows* as a Markdown table; the first is its head."""
    rule = ["---"] * len(rows[0])
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:]))
