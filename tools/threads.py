"""Count what LiveCodeBench's verdicts say of scripts that run in a thread, and what they do.

    python tools/threads.py lcb_stdin_tasks.jsonl.gz lcb_stdin_samples.jsonl.gz -o RECORD.json

Its harness replaces standard input and output in the main program; a program that works in a
thread of its own, or opens descriptor 0, may be called wrong whatever it prints. So of all
samples it is counted how many of each kind are called right, and of those that pass a
statement's samples and are called wrong, how many do the same on every probe as one that is
called right. Figures only: no statement and no sample.
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
from consilience.inputs.growth import grown, signature_of
from consilience.interfaces.registry import interface
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.task import Candidate, Task
from consilience.trust.evidence import classes_of, share_of_examples
from consilience.voters import Voters

PROBES = 30
KINDS = (("thread", re.compile(r"\bThread\(")), ("open(0)", re.compile(r"\bopen\(0")))


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
    verdicts: Counter[str] = Counter()
    deeds: Counter[str] = Counter()
    with ForkServer() as server:
        for task in tasks:
            right, mine = truths.get(task.id, ()), candidates.get(task.id, ())
            for each, good in zip(mine, right, strict=True):
                verdicts[f"{kind(each.code)}, called {'right' if good else 'wrong'}"] += 1
            if len(set(right)) == 2:
                deeds.update(same_as_right(server, task, mine, right))
    found = {
        "schema": "consilience.threads/1",
        "machine": machine(),
        "probes": PROBES,
        "verdicts": dict(sorted(verdicts.items())),
        "called wrong though they pass the samples": dict(sorted(deeds.items())),
    }
    asked.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def kind(code: str) -> str:
    """Tell how a program meets the harness."""
    return next((name for name, pattern in KINDS if pattern.search(code)), "plain")


def same_as_right(
    server: ForkServer, task: Task, mine: tuple[Candidate, ...], right: tuple[bool, ...]
) -> Counter[str]:
    """Count the passers that are called wrong by whether a right one does the same."""
    target = interface(task).target(task)
    voters = Voters([each.code for each in mine], target, server, Limits(cpu_seconds=2.0))
    passed = share_of_examples(voters, task)
    pool = [example.probe for example in task.examples]
    shape = signature_of(task, voters.sources)
    probes = grown(task, pool, shape, count=PROBES, seed=0)
    rows = [tuple(row) for row in classes_of(voters.outcomes(probes), len(mine))]
    passers = [place for place in range(len(mine)) if passed[place] == 1]
    models = {rows[place] for place in passers if right[place]}
    found: Counter[str] = Counter()
    for place in passers:
        if not right[place] and models:
            alike = "same as a right one" if rows[place] in models else "different"
            found[f"{kind(mine[place].code)}, {alike} on every probe"] += 1
    return found


if __name__ == "__main__":
    main()
