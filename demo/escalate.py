"""Escalate when uncertain: spend on verification only where the samples disagree.

    python demo/escalate.py demo/second_largest.py -n 5

Draw a few programs and measure their semantic entropy, which runs nothing and asks nobody.
Where they agree, take the middle of the largest class. Where they do not, let the model write
an analysis of the task first and draw as many programs again from that, then judge all of them
by synthesised tests.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from best_of_n import Choice, Tools, decide, draw, flags, opened, show, spent

import consilience
from consilience import Candidate, Task
from consilience.models import Ledger
from consilience.uncertainty import Entropy

SURE = 0.35
"""Entropy up to which samples are said to agree: of five, at most one may stand apart."""


def escalate(task: Task, tools: Tools, n: int = 5, sure: float = SURE) -> Choice:
    """Choose a program: at once where *n* samples agree, else by analyst, judge and tests."""
    ledger = Ledger()
    candidates = draw(task, tools, ledger, n)
    steps, found = (f"drew {n} programs",), None
    if candidates:
        codes = [candidate.code for candidate in candidates]
        found = consilience.semantic_entropy(codes, store=tools.store)
        steps += (f"entropy {found.normalised:.2f} over {len(found.classes)} classes",)
        if found.normalised <= sure:
            chosen = middle(candidates, found)
            return Choice(chosen, True, (*steps, "they agree"), spent(ledger), found.normalised)
    candidates += draw(task, tools, ledger, n, "analyst")
    steps += (f"drew {n} more after an analysis",)
    entropy = found.normalised if found else None
    return decide(task, candidates, tools, ledger, steps, entropy)


def middle(candidates: Sequence[Candidate], found: Entropy) -> Candidate:
    """Return the member of the largest class that is nearest to all the others."""
    largest = max(found.classes, key=lambda group: group.share)
    return candidates[largest.representative]


def main(arguments: argparse.Namespace, sure: float) -> None:
    """Run the recipe on every chosen task."""
    with opened(arguments) as (tasks, tools):
        for task in tasks:
            show(task, escalate(task, tools, arguments.n, sure))


if __name__ == "__main__":
    parser = flags()
    parser.add_argument("--sure", type=float, default=SURE, help="entropy that is low enough")
    given = parser.parse_args()
    main(given, given.sure)
