"""The paper's analyses, from a record: thresholds, cost, the two routes' majorities, cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from consilience.bench.cott import InputRow, TaskRow
from consilience.bench.cott.methods import PLAIN, Rule, inductive, transductive
from consilience.bench.cott.price import spent
from consilience.bench.cott.summary import FIGURES, gate_rate, label_counts, scored
from consilience.bench.intervals import bootstrap, paired
from consilience.oracles.gate import is_open
from consilience.votes import Votes

TAUS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.01)
"""0: induction always; above 1: transduction always."""


def tau_sweep(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> list[dict[str, Any]]:
    """Return figures, gate rate, label accuracy and tokens of CoTT at every threshold."""
    found = []
    for tau in TAUS:
        chosen = replace(rule, tau=tau)
        figures = [scored("cott", row, chosen) for row in rows]
        counts = label_counts("cott", rows, chosen).values()
        tokens = bootstrap([float(sum(spent("cott", row, chosen).values())) for row in rows])
        found.append({
            "tau": tau,
            "gate_rate": gate_rate(rows, chosen),
            "labels_right": sum(c["right"] for c in counts)
            / max(1, sum(c["inputs"] for c in counts)),
            "tokens": asdict(tokens),
            **{name: asdict(bootstrap([f[name] for f in figures])) for name in FIGURES[:3]},
        })
    return found


def gating(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> list[dict[str, Any]]:
    """Return, at every threshold, the gate rate and how often the majority is right.

    Inputs that are invalid for the reference are left out.
    """
    seen = [
        (votes, is_right(row, votes))
        for task in rows
        for row in task.inputs
        if row.truth is not None and (votes := inductive(task, row, rule)) is not None
    ]
    found = []
    for tau in TAUS[1:-1]:
        gated = [right for votes, right in seen if is_open(votes, tau)]
        kept = [right for votes, right in seen if not is_open(votes, tau)]
        found.append({
            "tau": tau,
            "inputs": len(seen),
            "gate_rate": len(gated) / len(seen) if seen else None,
            "kept_right": sum(kept) / len(kept) if kept else None,
            "gated_right": sum(gated) / len(gated) if gated else None,
        })
    return found


def voting(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> dict[str, Any]:
    """Return what one record's general programs are worth: who votes, the gate, the ranking."""
    top = {
        method: [scored(method, row, rule)["top1"] for row in rows]
        for method in ("random", "rstar", "bound", "true")
    }
    [gate] = [row for row in gating(rows, rule) if row["tau"] == rule.tau]
    return {
        "tasks": len(rows),
        "voters": sum(len(row.believing) for row in rows) / len(rows),
        **gate,
        "top1": {method: asdict(bootstrap(found)) for method, found in top.items()},
        "rstar minus random": asdict(paired(top["rstar"], top["random"]).interval),
    }


def cost_spread(
    rows: Sequence[TaskRow], methods: Sequence[str], rule: Rule = PLAIN
) -> dict[str, Any]:
    """Return the quartiles of tokens a task, by method (the paper's App. F)."""
    shares = (0.0, 0.25, 0.5, 0.75, 1.0)
    found = {}
    for method in methods:
        by_task = [float(sum(spent(method, row, rule).values())) for row in rows]
        found[method] = {
            "quartiles": list(map(float, np.quantile(by_task, shares))),
            "by_task": by_task,
        }
    return found


def majorities(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> dict[str, list[float]]:
    """Return both routes' majority ratios where exactly one of them is right (Fig. 2)."""
    found: dict[str, list[float]] = {
        "induction right: inductive": [],
        "induction right: transductive": [],
        "transduction right: inductive": [],
        "transduction right: transductive": [],
    }
    for task in rows:
        for row in task.inputs:
            one, other = inductive(task, row, rule), transductive(row, rule)
            rights = (is_right(row, one), is_right(row, other))
            if rights[0] != rights[1]:
                who = "induction" if rights[0] else "transduction"
                found[f"{who} right: inductive"].append(one.confidence)
                found[f"{who} right: transductive"].append(other.confidence)
    return found


@dataclass(frozen=True, slots=True)
class Case:
    """An input on which one route was right and the other wrong."""

    task: TaskRow
    row: InputRow
    inductive: Votes
    transductive: Votes
    rescued: bool
    """Transduction was right; else it is induction that had to be kept."""


def cases(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> list[Case]:
    """Find inputs where the gate's choice mattered, the clearest first.

    Rescued: the gate was open, induction wrong, transduction right. Kept: the gate was shut,
    induction right, transduction wrong.
    """
    found = []
    for task in rows:
        for row in task.inputs:
            one, other = inductive(task, row, rule), transductive(row, rule)
            shut = one.winner is not None and one.reaches(rule.tau)
            right = (is_right(row, one), is_right(row, other))
            if right in {(False, True), (True, False)} and shut == right[0]:
                found.append(Case(task, row, one, other, rescued=right[1]))
    return sorted(found, key=lambda case: (-_clearness(case), case.task.task_id, case.row.call))


def _clearness(case: Case) -> float:
    return (case.transductive if case.rescued else case.inductive).confidence


def is_right(row: InputRow, votes: Votes) -> bool:
    """Tell whether the winner of *votes* is right by the benchmark's own rule."""
    return votes.winner is not None and row.right[row.values.index(votes.winner.payload)]
