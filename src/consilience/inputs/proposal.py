"""Propose the inputs of a task: ask, run, select, mutate, drop (CoTT, stages S1 to S5).

Every method of a comparison shares what comes out of here. No ground-truth solution is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.code import Signature, signature
from consilience.inputs import Dropped, InputSet
from consilience.inputs.disagreement import select
from consilience.inputs.mutation import mutate
from consilience.inputs.seeds import parse
from consilience.models import ChatModel, Sampling
from consilience.models.prompts import render
from consilience.sampling import STOP, present
from consilience.sandbox import Outcome
from consilience.settings import Settings
from consilience.task import Task, TestInput
from consilience.voters import Voters, input_key

WORDINGS = ("seeds_plain", "seeds_edge", "seeds_tricky")

Args = tuple[Any, ...]


def ask(task: Task, model: ChatModel, settings: Settings) -> list[str]:
    """Ask the model for seeds, in one wording or more; return its replies as they are."""
    sampling = Sampling(settings.temperature, settings.top_p, settings.seed_tokens, STOP)
    replies = []
    for wording in WORDINGS[: settings.seed_prompts]:
        prompt = render(
            wording,
            task=present(task),
            entry_point=task.entry_point,
            count=str(settings.seeds_asked),
        )
        replies += model.complete(prompt, n=1, sampling=sampling, seed=settings.seed)
    return [reply.text for reply in replies]


def propose(task: Task, replies: Sequence[str], voters: Voters, settings: Settings) -> InputSet:
    """Make the inputs on which candidates will be compared; say what was dropped, and why."""
    shape = _signature(task, voters)
    asked, unreadable = _read(task, replies, shape)
    given = [TestInput(example.args, "example") for example in task.examples]
    usable, failing = _usable(_distinct([*given, *asked]), voters)
    chosen = _select(usable, voters, settings)
    grown, useless = _grow(chosen, shape, voters, settings)
    return InputSet(tuple(chosen + grown), (*unreadable, *failing, *useless))


def _read(
    task: Task, replies: Sequence[str], shape: Signature | None
) -> tuple[list[TestInput], list[Dropped]]:
    inputs: list[TestInput] = []
    dropped: list[Dropped] = []
    for text in replies:
        found = parse(text, shape, task.entry_point)
        inputs += [TestInput(args, "seed") for args in found.kept]
        dropped += [Dropped(line, reason) for line, reason in found.dropped]
    return inputs, dropped


def _signature(task: Task, voters: Voters) -> Signature | None:
    """Read the signature from the prompt, else from the first program that shows one."""
    for source in (task.prompt, *voters.sources):
        found = signature(source, task.entry_point) if source else None
        if found is not None:
            return found
    return None


def _select(seeds: list[TestInput], voters: Voters, settings: Settings) -> list[TestInput]:
    columns = voters.outcomes(item.args for item in seeds)
    return list(
        select(seeds, columns, keep=settings.seeds_kept, mode=settings.mix, seed=settings.seed)
    )


def _grow(
    seeds: list[TestInput], shape: Signature | None, voters: Voters, settings: Settings
) -> tuple[list[TestInput], list[Dropped]]:
    """Mutate the seeds up to the number asked for; mutants on which programs fail do not count."""
    wanted = settings.inputs - len(seeds)
    if wanted <= 0 or not seeds:
        return [], []
    mutants = mutate(
        [item.args for item in seeds], count=2 * wanted, seed=settings.seed, signature=shape
    )
    usable, failing = _usable(_distinct([TestInput(args, "mutation") for args in mutants]), voters)
    return usable[:wanted], failing


def _usable(
    inputs: list[TestInput], voters: Voters
) -> tuple[list[TestInput], list[Dropped]]:
    """Keep the inputs on which most of the programs that ever return something do so."""
    columns = voters.outcomes(item.args for item in inputs)
    alive = [
        row
        for row in range(len(voters.sources))
        if any(column[row].ok for column in columns)
    ]
    kept, failing = [], []
    for item, column in zip(inputs, columns, strict=True):
        failures = sum(not column[row].ok for row in alive)
        if alive and 2 * failures > len(alive):
            reason = f"{failures} of {len(alive)} programs fail: {_commonest(column)}"
            failing.append(Dropped(repr(item.args)[:200], reason))
        else:
            kept.append(item)
    return kept, failing


def _commonest(column: Sequence[Outcome]) -> str:
    names = [outcome.error or outcome.status for outcome in column if not outcome.ok]
    return max(sorted(set(names)), key=names.count)


def _distinct(inputs: Sequence[TestInput]) -> list[TestInput]:
    return list({input_key(item.args): item for item in reversed(inputs)}.values())[::-1]


