"""Case studies written from a record: where transduction rescued, where induction was kept."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.bench.cott import InputRow, TaskRow
from consilience.bench.cott.analysis import Case, cases
from consilience.bench.cott.methods import PLAIN, Rule
from consilience.values import Value
from consilience.votes import Votes

WIDTH = 100


def stories(rows: Sequence[TaskRow], rule: Rule = PLAIN, most: int = 2) -> str:
    """Tell at most *most* cases of each kind, as Markdown; say so where there is none."""
    found = cases(rows, rule)
    parts = []
    for rescued, title in (
        (True, "Rescued by transduction"),
        (False, "Induction had to be kept"),
    ):
        mine = [case for case in found if case.rescued == rescued]
        told = [story(case) for case in mine[:most]] or [
            "There is no such input in this record."
        ]
        parts.append(
            f"**{title}** ({len(mine)} inputs in {len(rows)} tasks)\n\n" + "\n\n".join(told)
        )
    return "\n\n".join(parts)


def story(case: Case) -> str:
    """Tell one case: the call, the truth, and what each route said."""
    row = case.row
    gate = "open" if case.rescued else "shut"
    return "\n".join([
        f"- `{_short(row.call)}` ({case.task.task_id}). The reference gives `{_truth(row)}`.",
        f"  Induction: {_told(case.inductive)}; the gate is {gate}.",
        f"  Transduction: {_told(case.transductive)}.",
    ])


def _truth(row: InputRow) -> str:
    return "nothing" if row.truth is None else Value(row.values[row.truth]).preview(WIDTH)


def _told(votes: Votes) -> str:
    said = []
    if votes.winner is not None:
        said.append(f"{votes.count} of {votes.total} say `{votes.winner.preview(WIDTH)}`")
    said += [
        f"{other.count} `{other.value.preview(WIDTH)}`" for other in votes.alternatives[:3]
    ]
    if votes.failures:
        said.append(f"{votes.failures} fail")
    return ", ".join(said) or "nothing"


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
