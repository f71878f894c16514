"""Propose the inputs of a task: ask, run, select, mutate, drop (CoTT, stages S1 to S5).

Every method of a comparison shares what comes out of here. No ground-truth solution is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.code import Signature, signature
from consilience.inputs import InputSet
from consilience.inputs.disagreement import failing, select
from consilience.inputs.mutation import mutate
from consilience.inputs.seeds import parse
from consilience.models import ChatModel, Sampling
from consilience.models.prompts import render
from consilience.sampling import present, sample_call
from consilience.settings import Settings
from consilience.task import Task, TestInput
from consilience.values import identity
from consilience.voters import Voters

WORDINGS = ("seeds_plain", "seeds_edge", "seeds_tricky")
TRIES = 3

Dropped = tuple[str, str]
"""What became no input, and why."""


def ask(task: Task, model: ChatModel, settings: Settings) -> list[str]:
    """Ask the model for seeds, in one wording or more; return its replies as they are.

    The model writes asserts, since that is what it has seen most; what it thinks the results
    are is never read. A reply with few readable inputs is asked for again, at most twice.
    """
    sampling = Sampling(settings.temperature, settings.top_p, settings.seed_tokens)
    texts: list[str] = []
    for wording in WORDINGS[: settings.seed_prompts]:
        prompt = render(
            wording,
            task=present(task),
            entry_point=task.entry_point,
            call=sample_call(task),
            count=str(settings.seeds_asked),
        )
        for tries in range(1, TRIES + 1):
            replies = model.complete(prompt, n=tries, sampling=sampling, seed=settings.seed)
            read = [reply.text for reply in replies]
            if 2 * len(_read(task, read, signature(task.prompt, task.entry_point))[0]) >= (
                settings.seeds_asked
            ):
                break
        texts += read
    return texts


def propose(task: Task, replies: Sequence[str], voters: Voters, settings: Settings) -> InputSet:
    """Make the inputs on which candidates will be compared; say what was dropped, and why."""
    shape = _signature(task, voters)
    asked, unreadable = _read(task, replies, shape)
    given = [TestInput(example.probe, "example") for example in task.examples]
    usable, failing = _usable(_distinct([*given, *asked]), voters)
    chosen = _select(usable, voters, settings)
    grown, useless = _grow(chosen, shape, voters, settings)
    return InputSet(tuple(chosen + grown), (*unreadable, *failing, *useless))


def _read(
    task: Task, replies: Sequence[str], shape: Signature | None
) -> tuple[list[TestInput], list[Dropped]]:
    known = [example.probe for example in task.examples]
    inputs: list[TestInput] = []
    dropped: list[Dropped] = []
    for text in replies:
        found = parse(text, shape, task.entry_point, known=known)
        inputs += [TestInput(args, "seed") for args in found.kept]
        dropped += found.dropped
    return inputs, dropped


def _signature(task: Task, voters: Voters) -> Signature | None:
    """Read the signature from the prompt, else from the first program that shows one."""
    for source in (task.prompt, *voters.sources):
        found = signature(source, task.entry_point) if source else None
        if found is not None:
            return found
    return None


def _select(seeds: list[TestInput], voters: Voters, settings: Settings) -> list[TestInput]:
    columns = voters.outcomes(item.probe for item in seeds)
    chosen = select(
        [item.probe for item in seeds],
        list(zip(*columns, strict=True)),
        keep=min(settings.seeds_kept, settings.inputs),
        mode=settings.mix,
        seed=settings.seed,
        drop_failing=False,  # done before, so that each drop is told with its reason
    )
    return [seeds[place] for place in chosen.kept]


def _grow(
    seeds: list[TestInput], shape: Signature | None, voters: Voters, settings: Settings
) -> tuple[list[TestInput], list[Dropped]]:
    """Mutate the seeds up to the number asked for, without those on which programs fail."""
    wanted = settings.inputs - len(seeds)
    if wanted <= 0 or not seeds:
        return [], []
    mutants = mutate(
        [item.probe for item in seeds], count=2 * wanted, seed=settings.seed, signature=shape
    )
    usable, useless = _usable([TestInput(args, "mutation") for args in mutants], voters)
    return usable[:wanted], useless


def _usable(inputs: list[TestInput], voters: Voters) -> tuple[list[TestInput], list[Dropped]]:
    """Part the inputs on which most programs return something from the others."""
    columns = voters.outcomes(item.probe for item in inputs)
    useless = failing(columns)
    kept = [item for place, item in enumerate(inputs) if place not in useless]
    return kept, [(repr(inputs[place].probe)[:200], why) for place, why in useless.items()]


def _distinct(inputs: Sequence[TestInput]) -> list[TestInput]:
    return list({identity.key(item.probe): item for item in reversed(inputs)}.values())[::-1]
