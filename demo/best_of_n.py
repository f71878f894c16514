"""Best of N: draw N programs and let independent tests choose among them.

    python demo/best_of_n.py demo/second_largest.py -n 5

The judge draws programs of its own, lets them vote on inputs that tell the N apart, and ranks
the N by the tests that come out. Where several lead alike it does not pretend to know.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import consilience
from consilience import Candidate, Task
from consilience.models import ChatModel, Ledger
from consilience.models.choice import DEFAULT, open_model
from consilience.models.stored import StoredModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import Settings, preset
from consilience.store import Store, cache_folder

DRAWN_APART = 1_000_003
"""Candidates are drawn by another seed than the judge's own programs."""


@dataclass(frozen=True)
class Tools:
    """What a recipe works with, opened once for many tasks."""

    model: ChatModel
    sandbox: ForkServer
    store: Store
    settings: Settings


@dataclass(frozen=True)
class Choice:
    """What a recipe decided on one task."""

    candidate: Candidate | None
    certain: bool
    """False where the candidate is only the first of several that lead alike."""
    steps: tuple[str, ...]
    tokens: int
    entropy: float | None = None


def best_of_n(task: Task, tools: Tools, n: int = 5) -> Choice:
    """Draw *n* programs and choose among them by synthesised tests."""
    ledger = Ledger()
    candidates = draw(task, tools, ledger, n)
    return decide(task, candidates, tools, ledger, (f"drew {n} programs",))


def draw(
    task: Task, tools: Tools, ledger: Ledger, n: int, workflow: str = "coder"
) -> list[Candidate]:
    """Draw candidates; replies are kept, so that a second run pays nothing."""
    model = StoredModel(tools.model, tools.store, ledger, f"candidates ({workflow})")
    seed = tools.settings.seed + DRAWN_APART
    drawn = consilience.sample(task, model, n=n, seed=seed, workflow=workflow)
    return [replace(each, label=f"{workflow} {each.index + 1}") for each in drawn if each.code]


def decide(
    task: Task,
    candidates: list[Candidate],
    tools: Tools,
    ledger: Ledger,
    steps: tuple[str, ...],
    entropy: float | None = None,
) -> Choice:
    """Judge the candidates; take the winner, else the first of those that lead alike."""
    if not candidates:
        return Choice(None, False, (*steps, "no reply held a program"), spent(ledger), entropy)
    verdict = consilience.judge(
        task,
        candidates,
        tools.model,
        settings=tools.settings,
        sandbox=tools.sandbox,
        store=tools.store,
        rank_by="tests",  # a tie shows: trust would nearly always find a hair between two
    )
    for stage, usage in verdict.usage.items():
        ledger.record(stage, usage)
    steps = (*steps, f"judged {len(candidates)} by {len(verdict.suite.tests)} tests")
    leaders = verdict.ranking.leaders
    if not leaders:
        return Choice(None, False, (*steps, verdict.ranking.reason), spent(ledger), entropy)
    alike = any(set(leaders) <= set(group) for group in verdict.matrix.alike())
    why = "one leads" if verdict.winner else f"{len(leaders)} lead"
    why += ", alike on every test" if len(leaders) > 1 and alike else ""
    chosen = verdict.candidates[leaders[0]]
    certain = verdict.winner is not None or alike
    return Choice(chosen, certain, (*steps, why), spent(ledger), entropy)


def spent(ledger: Ledger) -> int:
    """Add up tokens in and out, paid now or earlier."""
    return sum(use.prompt_tokens + use.completion_tokens for use in ledger.by_stage().values())


def show(task: Task, choice: Choice) -> None:
    """Print what was done, and the program."""
    certain = "" if choice.certain else " (not certain)"
    label = choice.candidate.label if choice.candidate else "none"
    print(f"{task.id}: {label}{certain}, {choice.tokens:,} tokens")
    for step in choice.steps:
        print(f"  {step}")
    if choice.candidate:
        print("\n" + choice.candidate.code.strip() + "\n")


@contextlib.contextmanager
def opened(arguments: argparse.Namespace) -> Iterator[tuple[list[Task], Tools]]:
    """Open tasks, model, sandbox and store as the command line says."""
    tasks = consilience.load(arguments.tasks)
    chosen = (
        [tasks[name] for name in arguments.only] if arguments.only else list(tasks.values())
    )
    settings = preset("economy", inputs=10, seed=arguments.seed)
    store = Store(arguments.store or cache_folder() / "store.sqlite")
    with ForkServer() as sandbox, store:
        model = open_model(arguments.model, arguments.base_url)
        yield chosen, Tools(model, sandbox, store, settings)


def flags() -> argparse.ArgumentParser:
    """Return the flags that the recipes share."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tasks", type=Path, help="a documented .py file, or tasks as JSONL")
    parser.add_argument("--only", nargs="+", default=[], help="ids of tasks")
    parser.add_argument("-n", type=int, default=5, help="programs to draw at first")
    parser.add_argument("--model", default=DEFAULT)
    parser.add_argument("--base-url", help="an OpenAI-compatible server")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", type=Path, help="where replies are kept")
    return parser


def main() -> None:
    """Run the recipe on every chosen task."""
    arguments = flags().parse_args()
    with opened(arguments) as (tasks, tools):
        for task in tasks:
            show(task, best_of_n(task, tools, arguments.n))


if __name__ == "__main__":
    main()
