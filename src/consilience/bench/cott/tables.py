"""A record's tables, in the paper's layout: Markdown, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from consilience.bench.tables import interval, markdown

Table = list[tuple[str, ...]]

NAMES = {
    "random": "no tests of its own",
    "cot": "CoT",
    "sol-ver": "SOL-VER",
    "syntra": "SYNTRA",
    "rstar": "rStar-Coder (induction)",
    "tt": "TT without gating",
    "cott": "CoTT (gate)",
    "bound": "gate, then reference outputs (bound of CoTT)",
    "true": "reference outputs (ceiling)",
}
UNPRICED = frozenset({"random", "bound", "true"})
"""What no model is asked for."""
SCALES = {"top1": 100, "bottom1": 100, "rho": 1, "tau": 1, "mae": 1}
HEADS = {"top1": "Top-1", "bottom1": "Bottom-1", "rho": "rho", "tau": "tau", "mae": "MAE"}


def method_table(
    found: Mapping[str, Any], figures: Sequence[str] = ("top1", "bottom1", "rho", "mae")
) -> Table:
    """Show every method: figures with 95 % intervals, right labels, tokens, dollars."""
    head = (
        "method",
        *(HEADS[name] for name in figures),
        "labels right",
        "tokens a task",
        "$ a task",
    )
    return [
        head,
        *(
            (
                NAMES[method],
                *(interval(row[name], SCALES[name], found["tasks"]) for name in figures),
                _labels(row["labels"]) if method != "random" else "",
                "" if method in UNPRICED else f"{row['tokens']['mean']:,.0f}",
                "" if method in UNPRICED else f"{row['tokens']['dollars']:.5f}",
            )
            for method, row in found["methods"].items()
        ),
    ]


def difference_table(
    found: Mapping[str, Any], figures: Sequence[str] = ("top1", "bottom1", "rho")
) -> Table:
    """Show CoTT minus each other method, paired by task."""
    return [
        ("CoTT minus", *(HEADS[name] for name in figures)),
        *(
            (
                NAMES[method],
                *(
                    interval(row[name]["interval"], SCALES[name], found["tasks"])
                    for name in figures
                ),
            )
            for method, row in found["cott minus"].items()
            if method not in UNPRICED
        ),
    ]


def route_table(found: Mapping[str, Any]) -> Table:
    """Show how many labels of each route are right."""
    return [
        ("method", "route", "inputs", "right", "invalid for the reference"),
        *(
            (
                NAMES[method],
                route,
                str(counts["inputs"]),
                f"{counts['right']} ({100 * counts['right'] / counts['inputs']:.0f} %)",
                str(counts["invalid"]),
            )
            for method, row in found["methods"].items()
            if method not in UNPRICED
            for route, counts in row["labels"].items()
        ),
    ]


def reranker_table(found: Mapping[str, Any], tasks: int) -> Table:
    """Show the field's rerankers on the same pass matrices."""
    figures = ("top1", "bottom1", "rho", "tau")
    return [
        ("reranker", *(HEADS[name] for name in figures)),
        *(
            (name, *(interval(row[key], SCALES[key], tasks) for key in figures))
            for name, row in found.items()
        ),
    ]


def gate_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Show, at every threshold, how often the gate opens, and how right the majority is."""
    return [
        ("tau", "inputs gated", "majority right where kept", "majority right where gated"),
        *(
            (
                f"{row['tau']:g}",
                *(_percent(row[key]) for key in ("gate_rate", "kept_right", "gated_right")),
            )
            for row in found
        ),
    ]


def voter_table(found: Mapping[str, Mapping[str, Any]]) -> Table:
    """Show side by side what the general programs of several records are worth."""
    head = (
        "who votes", "programs", "tasks", "inputs", "gated", "right where kept",
        "right where gated", "Top-1, examples alone", "induction", "difference",
        "with a perfect second route",
    )  # fmt: skip
    return [
        head,
        *(
            (
                name,
                f"{row['voters']:.3g}",
                str(row["tasks"]),
                f"{row['inputs']:,}",
                *(_percent(row[key]) for key in ("gate_rate", "kept_right", "gated_right")),
                *(interval(row["top1"][m], 100, row["tasks"]) for m in ("random", "rstar")),
                interval(row["rstar minus random"], 100, row["tasks"]),
                interval(row["top1"]["bound"], 100, row["tasks"]),
            )
            for name, row in found.items()
        ),
    ]


def tau_table(sweep: Sequence[Mapping[str, Any]], tasks: int) -> Table:
    """Show CoTT at every threshold."""
    figures = ("top1", "bottom1", "rho")
    return [
        (
            "tau",
            "gate rate",
            "labels right",
            *(HEADS[name] for name in figures),
            "tokens a task",
        ),
        *(
            (
                _threshold(row["tau"]),
                f"{100 * row['gate_rate']:.0f} %",
                f"{100 * row['labels_right']:.0f} %",
                *(interval(row[name], SCALES[name], tasks) for name in figures),
                f"{row['tokens']['mean']:,.0f}",
            )
            for row in sweep
        ),
    ]


def confidence_table(found: Mapping[str, Any]) -> Table:
    """Show how well each score of confidence tells right majorities from wrong ones."""
    return [
        ("score", "AUC", "ECE", "Brier"),
        *(
            (name, *(_number(row[key]) for key in ("auc", "ece", "brier")))
            for name, row in found["scores"].items()
        ),
    ]


def comma_separated(table: Table) -> str:
    """Write *table* as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    return out.getvalue().rstrip("\n")


def latex(table: Table) -> str:
    """Write *table* as a tabular environment (booktabs)."""
    lines = [" & ".join(map(_tex, row)) + r" \\" for row in table]
    columns = "l" + "r" * (len(table[0]) - 1)
    body = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", lines[0], r"\midrule", *lines[1:]]
    return "\n".join([*body, r"\bottomrule", r"\end{tabular}"])


WRITERS: Mapping[str, Callable[[Table], str]] = {
    "markdown": markdown,
    "csv": comma_separated,
    "latex": latex,
}


def _labels(routes: Mapping[str, Mapping[str, int]]) -> str:
    inputs = sum(counts["inputs"] for counts in routes.values())
    right = sum(counts["right"] for counts in routes.values())
    return f"{right} of {inputs} ({100 * right / inputs:.0f} %)" if inputs else ""


def _percent(share: float | None) -> str:
    return "undefined" if share is None else f"{100 * share:.0f} %"


def _threshold(tau: float) -> str:
    return "always transduction" if tau > 1 else "always induction" if tau == 0 else f"{tau:g}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _tex(cell: str) -> str:
    for mark in "&%$#_":
        cell = cell.replace(mark, f"\\{mark}")
    return cell
