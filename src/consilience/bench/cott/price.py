"""What each method would have spent alone, by stage, from a record in which all were run."""

from __future__ import annotations

from consilience.bench.cott import TaskRow
from consilience.bench.cott.methods import PLAIN, Rule, inductive
from consilience.oracles.gate import is_open

DOLLARS_PER_MILLION = 0.10
"""Each way: what the paper pays for Llama-3.1-8B-Instruct."""
SHARED = ("inputs", "induction")
"""Stages that every method pays: inputs are chosen by running general programs."""
ALONE = {"tt": "transduction", "cott": "transduction", "cot": "cot", "sol-ver": "sol-ver"}
"""What a method asks about single inputs."""


def spent(method: str, task: TaskRow, rule: Rule = PLAIN) -> dict[str, int]:
    """Count the tokens, read and written, that *method* needs for *task*, by stage."""
    if method in {"true", "bound", "random"}:
        return {}
    stages = {stage: sum(task.tokens.get(stage, (0, 0))) for stage in SHARED}
    if method == "syntra":
        stages["syntra"] = sum(task.tokens.get("syntra", (0, 0)))
    if method in ALONE:
        part = ALONE[method]
        stages[part] = sum(
            sum(row.tokens.get(part, (0, 0)))
            for row in task.inputs
            if method != "cott" or is_open(inductive(task, row, rule), rule.tau)
        )
    return stages


def dollars(tokens: float) -> float:
    """Price *tokens* as the paper does."""
    return tokens * DOLLARS_PER_MILLION / 1e6
