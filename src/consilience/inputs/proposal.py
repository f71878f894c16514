"""Propose the inputs of a task: ask, run, select, mutate, drop (CoTT, stages S1 to S5).

Every method of a comparison shares what comes out of here. No ground-truth solution is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.code import Signature
from consilience.inputs import InputSet
from consilience.inputs.disagreement import failing, select
from consilience.inputs.growth import grown, invented, signature_of
from consilience.inputs.wordings import WORDINGS, Dropped, kind_of, read, worded
from consilience.models import ChatModel, Sampling
from consilience.sandbox import Sandbox
from consilience.settings import Settings
from consilience.task import Probe, Task, TestInput
from consilience.values import identity
from consilience.voters import Voters

TRIES = 3


def ask(task: Task, model: ChatModel, settings: Settings) -> list[str]:
    """Ask the model for seeds, in one wording or more; return its replies as they are.

    The model writes asserts, or lines of a doctest, since that is what it has seen most; what
    it thinks the results are is never read. A reply with few readable inputs is asked for
    again, at most twice.
    """
    sampling = Sampling(settings.temperature, settings.top_p, settings.seed_tokens)
    shape = signature_of(task, ())
    kind = kind_of(task, shape)
    texts: list[str] = []
    for wording in WORDINGS[kind][: settings.seed_prompts]:
        prompt = worded(task, wording, settings.seeds_asked)
        for tries in range(1, TRIES + 1):
            replies = model.complete(prompt, n=tries, sampling=sampling, seed=settings.seed)
            found = [reply.text for reply in replies]
            if 2 * len(_read(task, found, shape, None)[0]) >= _expected(wording, settings):
                break
        texts += found
    return texts


def propose(task: Task, replies: Sequence[str], voters: Voters, settings: Settings) -> InputSet:
    """Make the inputs on which candidates will be compared; say what was dropped, and why."""
    shape = signature_of(task, voters.sources)
    asked, unreadable = _read(task, replies, shape, voters.sandbox)
    given = [TestInput(example.probe, "example") for example in task.examples]
    made = [TestInput(probe, "mutation") for probe in _invented(task, shape, voters, settings)]
    usable, failing = _usable(_distinct([*given, *asked, *made]), voters)
    chosen = _select(usable, voters, settings)
    bred, useless = _grow(task, chosen, shape, voters, settings)
    return InputSet(tuple(chosen + bred), (*unreadable, *failing, *useless))


def _invented(
    task: Task, shape: Signature | None, voters: Voters, settings: Settings
) -> list[Probe]:
    """Invent lines of Python beside those that were asked for: they cost nothing."""
    if kind_of(task, shape) != "lines":
        return []
    return invented(task, voters.sources, count=settings.seeds_asked, seed=settings.seed)


def _expected(wording: str, settings: Settings) -> int:
    """Return how many inputs a reply is to propose; a generator is one that makes many."""
    return 1 if wording == "generator" else settings.seeds_asked


def _read(
    task: Task, replies: Sequence[str], shape: Signature | None, sandbox: Sandbox | None
) -> tuple[list[TestInput], list[Dropped]]:
    kind = kind_of(task, shape)
    inputs: list[TestInput] = []
    dropped: list[Dropped] = []
    for text in replies:
        found = read(task, kind, text, shape, sandbox)
        inputs += [TestInput(probe, "seed") for probe in found.probes]
        dropped += found.dropped
    return inputs, dropped


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
    task: Task,
    seeds: list[TestInput],
    shape: Signature | None,
    voters: Voters,
    settings: Settings,
) -> tuple[list[TestInput], list[Dropped]]:
    """Mutate the seeds up to the number asked for, without those on which programs fail."""
    wanted = settings.inputs - len(seeds)
    if wanted <= 0 or not seeds:
        return [], []
    pool = [item.probe for item in seeds]
    mutants = grown(task, pool, shape, count=2 * wanted, seed=settings.seed)
    usable, useless = _usable([TestInput(probe, "mutation") for probe in mutants], voters)
    return usable[:wanted], useless


def _usable(inputs: list[TestInput], voters: Voters) -> tuple[list[TestInput], list[Dropped]]:
    """Part the inputs on which most programs return something from the others."""
    columns = voters.outcomes(item.probe for item in inputs)
    useless = failing(columns)
    kept = [item for place, item in enumerate(inputs) if place not in useless]
    return kept, [(repr(inputs[place].probe)[:200], why) for place, why in useless.items()]


def _distinct(inputs: Sequence[TestInput]) -> list[TestInput]:
    return list({identity.key(item.probe): item for item in reversed(inputs)}.values())[::-1]
