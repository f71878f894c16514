r"""Count what LiveCodeBench's verdicts say of scripts that use threads or descriptor 0.

    python tools/threads.py lcb_stdin_tasks.jsonl.gz lcb_stdin_samples.jsonl.gz \
        --judged bench/records/shapes-stdin.jsonl -o bench/records/threads-stdin.json

Its harness replaces standard input and output inside the main program; one that works in a
thread of its own, or opens descriptor 0, may be called wrong whatever it prints. Figures only:
no statement and no sample. The criterion is the source alone; it was found while looking at
tasks on which right and wrong samples did the same on every probe. With *--judged*, a record of
`bench shapes`, Top-1 is counted again among the other candidates alone: these were not chosen
from, though they had voted.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from consilience.bench.intervals import Interval, bootstrap, paired
from consilience.bench.machine import machine
from consilience.bench.shapes import ShapeRow, read_record
from consilience.formats import load_candidates, load_tasks
from consilience.formats.samples import read_truths
from consilience.task import Candidate

KINDS = (
    ("in a thread", re.compile(r"\bThread\(")),
    ("descriptor 0", re.compile(r"\bopen\(0|stdin\.buffer")),
)


def main() -> None:
    """Count, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--judged", type=Path, required=True)
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
        "Top-1 among the plain ones": among_plain(read_record(asked.judged)[1], candidates),
    }
    asked.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def among_plain(
    rows: Sequence[ShapeRow], candidates: Mapping[str, Sequence[Candidate]]
) -> dict[str, object]:
    """Return Top-1 where void labels are left out, with intervals, on tasks still mixed."""
    lots: list[float | None] = []
    judged: list[float | None] = []
    for row in rows:
        codes = [each.code for each in candidates[row.task_id]]
        kept = [place for place, code in enumerate(codes) if kind(code) == "plain"]
        if len({row.right[place] for place in kept}) == 2:
            lots.append(_top(row, kept, row.passed))
            judged.append(_top(row, kept, row.found["behaviour"].scores))
    gap = paired(judged, lots).interval
    return {
        "tasks": len(lots),
        "passes the examples, then by lot": _interval(bootstrap(lots)),
        "judge --until behaviour": _interval(bootstrap(judged)),
        "difference": _interval(gap),
    }


def _top(row: ShapeRow, kept: Sequence[int], scores: Sequence[float | None]) -> float:
    known = [-1.0 if scores[place] is None else float(scores[place] or 0) for place in kept]
    first = [place for place, score in zip(kept, known, strict=True) if score == max(known)]
    return sum(row.right[place] for place in first) / len(first)


def _interval(found: Interval) -> list[float | None]:
    ends = (found.mean, found.low, found.high)
    return [None if each is None else round(100 * each, 1) for each in ends]


def kind(code: str) -> str:
    """Tell how a program meets the harness."""
    return next((name for name, pattern in KINDS if pattern.search(code)), "plain")


if __name__ == "__main__":
    main()
