"""Grow new probes from known ones, each kind by its own rules, and invent the first ones.

arguments of a call     types, learned or annotated (`mutation`), or drawn (`invention`)
lines of Python         literals by type, steps (`sessions`)
texts                   a grammar of their own (`texts`)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from consilience.code import Signature
from consilience.inputs.arguments import large_arguments, mutate_arguments
from consilience.inputs.invention import propose_sessions
from consilience.inputs.sessions import mutate_sessions
from consilience.inputs.texts import large_texts, mutate_texts
from consilience.interfaces.registry import interface
from consilience.task import Probe, Session, Stdin, Task
from consilience.values import identity


def grown(
    task: Task, pool: Sequence[Probe], shape: Signature | None, *, count: int, seed: int
) -> list[Probe]:
    """Return up to *count* new probes like those of *pool*, distinct and none of them in it."""
    calls = [probe for probe in pool if isinstance(probe, tuple)]
    sessions = [probe for probe in pool if isinstance(probe, Session)]
    texts = [probe.text for probe in pool if isinstance(probe, Stdin)]
    made: list[list[Probe]] = []
    if calls:
        made.append([*mutate_arguments(calls, shape, task.prompt, count=count, seed=seed)])
    if sessions:
        around = f"{task.context}\n{task.prompt}"
        made.append([*mutate_sessions(sessions, count=count, seed=seed, surroundings=around)])
        made.append(invented(task, (), count=count, seed=seed, known=sessions))
    if texts:
        bred = mutate_texts(texts, count=count, seed=seed, statement=task.prompt)
        made.append([*map(Stdin, bred)])
    return distinct(dealt(made))[:count]


def large(
    task: Task, pool: Sequence[Probe], shape: Signature | None, *, count: int, seed: int
) -> list[Probe]:
    """Return up to *count* probes as large as the statement allows: they show who is slow."""
    calls = [probe for probe in pool if isinstance(probe, tuple)]
    texts = [probe.text for probe in pool if isinstance(probe, Stdin)]
    if texts:
        made = large_texts(texts, count=count, seed=seed, statement=task.prompt)
        return [*map(Stdin, made)]
    return (
        [*large_arguments(calls, shape, task.prompt, count=count, seed=seed)] if calls else []
    )


def invented(
    task: Task,
    sources: Sequence[str],
    *,
    count: int,
    seed: int,
    known: Sequence[Session] = (),
) -> list[Probe]:
    """Invent sessions from the signatures of the prompt, else from those of the programs."""
    for source in (task.prompt, *sources):
        found = propose_sessions(
            source,
            task.entry_point,
            task.shape,
            task.context,
            count=count,
            seed=seed,
            known=known,
        )
        if found:
            return [*found]
    return []


def dealt(piles: Sequence[Sequence[Probe]]) -> list[Probe]:
    """Take one of each pile in turn, so that any number from the front is a mixture."""
    return [probe for probe in chain(*zip_longest(*piles)) if probe is not None]


def distinct(probes: Sequence[Probe]) -> list[Probe]:
    """Keep the first of each probe."""
    return list({identity.key(probe): probe for probe in reversed(probes)}.values())[::-1]


def signature_of(task: Task, sources: Sequence[str]) -> Signature | None:
    """Read the signature from the prompt, else from the first program that shows one."""
    shape = interface(task)
    for source in (task.prompt, *sources):
        found = shape.signature(task, source) if source else None
        if found is not None:
            return found
    return None
