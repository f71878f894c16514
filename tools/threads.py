"""Count what LiveCodeBench's verdicts say of scripts that run in a thread or open descriptor 0.

    python tools/threads.py lcb_stdin_tasks.jsonl.gz lcb_stdin_samples.jsonl.gz -o RECORD.json

Its harness replaces standard input and output inside the main program; one that works in a
thread of its own, or opens descriptor 0, may be called wrong whatever it prints. Figures only:
no statement and no sample. The criterion is the source alone; it was found while looking at
tasks on which right and wrong samples did the same on every probe.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from consilience.bench.machine import machine
from consilience.formats import load_candidates, load_tasks
from consilience.formats.samples import read_truths

KINDS = (
    ("in a thread", re.compile(r"\bThread\(")),
    ("descriptor 0", re.compile(r"\bopen\(0|stdin\.buffer")),
)


def main() -> None:
    """Count, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    tasks = load_tasks(asked.tasks)
    candidates, truths = (
        load_candidates(asked.samples, tasks),
        read_truths(asked.samples, tasks),
    )
    counts: Counter[tuple[str, bool]] = Counter(
        (kind(each.code), good)
        for task in tasks
        for each, good in zip(candidates.get(task.id, ()), truths.get(task.id, ()), strict=True)
    )
    found = {
        "schema": "consilience.threads/1",
        "machine": machine(),
        "samples": {
            name: {"called right": counts[name, True], "called wrong": counts[name, False]}
            for name in ("plain", *(name for name, _ in KINDS))
        },
    }
    asked.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def kind(code: str) -> str:
    """Tell how a program meets the harness."""
    return next((name for name, pattern in KINDS if pattern.search(code)), "plain")


if __name__ == "__main__":
    main()
