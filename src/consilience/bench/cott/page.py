"""Write a record's page: the tables, in words and figures that a reader can check."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.bench.cott import TaskRow
from consilience.bench.cott.analysis import gating, tau_sweep
from consilience.bench.cott.confidence import confidences
from consilience.bench.cott.stories import stories
from consilience.bench.cott.summary import rerankers, summary
from consilience.bench.cott.tables import (
    Table,
    confidence_table,
    difference_table,
    gate_table,
    method_table,
    reranker_table,
    route_table,
    tau_table,
)
from consilience.bench.tables import markdown


def tables(rows: Sequence[TaskRow], write: Callable[[Table], str] = markdown) -> dict[str, str]:
    """Write every table of a record, by name, in the form of *write*."""
    found = summary(rows)
    asked = any(row.transductive for task in rows for row in task.inputs)
    labels = "cott" if asked else "rstar"
    parts = {
        "methods": method_table(found),
        "routes": route_table(found),
        "rerankers": reranker_table(rerankers(rows, labels), len(rows)),
        "gate": gate_table(gating(rows)),
        "confidence": confidence_table(confidences(rows)),
    }
    if asked:
        parts["differences"] = difference_table(found)
        parts["tau"] = tau_table(tau_sweep(rows), len(rows))
    return {name: write(table) for name, table in parts.items()}


def digest_page(rows: Sequence[TaskRow]) -> str:
    """Write all tables and the case studies as Markdown, under headings."""
    titles = {
        "methods": "Methods",
        "differences": "CoTT minus each method, paired by task",
        "routes": "Labels by route",
        "rerankers": "Rerankers on the same tests",
        "tau": "The threshold",
        "gate": "What the gate reads",
        "confidence": "Confidence in the inductive majority",
    }
    parts = [f"### {titles[name]}\n\n{text}" for name, text in tables(rows).items()]
    return "\n\n".join([*parts, f"### Cases\n\n{stories(rows)}"])
