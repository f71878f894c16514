"""What the docs print of the records of `bench shapes`: every record there is, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.bench.shapes import Head, ShapeRow, read_record
from consilience.bench.shapes.summary import summary
from consilience.bench.shapes.tables import reasons, tables

TITLES = {
    "shapes-stdin": "Programs that read standard input",
    "shapes-leetcode": "Methods of `class Solution`",
    "shapes-classeval": "Classes",
    "shapes-stdin-1.5b": "Standard input, with the embedded model of 1.5 billion weights",
}
"""Of the records by name, in the order of the page; others follow under their own name."""
SAID = {
    "counts": "What it holds, and what the task's own examples leave of the right candidates:",
    "rules": "Who is chosen, over mixed tasks, and the difference to passing the examples:",
    "parts": "Top-1 by difficulty or shape, with the difference to passing the examples:",
    "trust": "What was said of the chance to be right, over all tasks, mixed or not:",
    "cost": "What a task takes:",
}


def measured(folder: Path) -> str:
    """Write a section for every record of `bench shapes` in *folder*; empty without any."""
    names = {path.name.split(".jsonl")[0]: path for path in folder.glob("shapes-*.jsonl*")}
    known = [name for name in TITLES if name in names]
    others = sorted(set(names) - set(known))
    return "\n\n".join(section(name, *read_record(names[name])) for name in known + others)


def section(name: str, head: Head, rows: Sequence[ShapeRow]) -> str:
    """Write a record's heading, where it comes from, and its tables."""
    found = summary(rows)
    parts = [f"### {TITLES.get(name, name)}", _origin(head)]
    for key, table in tables(found).items():
        if table.count("\n") > 1:
            parts += [SAID[key], table]
    why = reasons(found["all"])
    return "\n\n".join([*parts, *([f"Not judged: {why}."] if why else [])])


def _origin(head: Head) -> str:
    files = f"`{head.tasks.split()[0]}` and `{head.samples.split()[0]}`, {head.chosen}"
    asked = f"model {head.model}" if head.model else "no model"
    left = len(head.left_out)
    missing = f" {left} tasks have no truth here: {_listed(head)}." if left else ""
    machine = f"{head.machine.get('processor', '')}, Python {head.machine.get('python', '')}"
    choices = f"preset {head.settings['preset']}, seed {head.settings['seed']}"
    return f"{files}; {choices}, {asked}; {machine}.{missing}"


def _listed(head: Head) -> str:
    return ", ".join(f"{task_id} ({why})" for task_id, why in sorted(head.left_out.items()))
