"""The public entry: how uncertain are the samples of one task, or of many?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.errors import InputError
from consilience.store import Store
from consilience.uncertainty import Encoder, Entropy, Measure
from consilience.uncertainty.encoders import FALLBACK
from consilience.uncertainty.entropy import summarise
from consilience.uncertainty.fase import DEFAULT_ALPHA, Fase
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.radius import Rule
from consilience.uncertainty.radius import rule as rule_named
from consilience.uncertainty.registry import Setting
from consilience.uncertainty.registry import measure as measure_named


def semantic_entropy(
    samples: Sequence[str],
    *,
    measure: str | Measure = "fase",
    rule: str | Rule = "consilience",
    alpha: float = DEFAULT_ALPHA,
    encoder: Encoder | None = None,
    store: Store | None = None,
) -> Entropy:
    """Say how uncertain the *samples* of one task are, and on what evidence.

    Args:
        samples: Programs, as the model wrote them.
        measure: A name from `registry.MEASURES`, or any object with `partition`.
        rule: "consilience", "paper", "authors", or a `radius.Rule`: how the radius is found.
        alpha: Multiplies the radius; 0 keeps all distinct programs apart.
        encoder: Anything with `encode(texts)`; by default MiniLM where its weights are at hand,
            else hashed n-grams.
        store: Where vectors are kept, so that no text is encoded twice.

    Raises:
        InputError: There are no samples.
    """
    return semantic_entropies(
        [samples], measure=measure, rule=rule, alpha=alpha, encoder=encoder, store=store
    )[0]


def semantic_entropies(
    tasks: Sequence[Sequence[str]],
    *,
    measure: str | Measure = "fase",
    rule: str | Rule = "consilience",
    alpha: float = DEFAULT_ALPHA,
    encoder: Encoder | None = None,
    store: Store | None = None,
) -> list[Entropy]:
    """Do `semantic_entropy` for the samples of many tasks, encoded and measured together."""
    if not all(tasks):
        raise InputError("A task has no samples.", hint="Leave it out, or pass at least one.")
    chosen = measure
    if isinstance(chosen, str):
        chosen = measure_named(chosen, Setting(encoder, rule_named(rule), alpha, store))
    if isinstance(chosen, Fase):
        partitions = chosen.partitions(tasks)
    else:
        partitions = [chosen.partition(samples) for samples in tasks]
    entropies = [summarise(each, task) for each, task in zip(partitions, tasks, strict=True)]
    if encoder is None and isinstance(getattr(chosen, "encoder", None), HashedEncoder):
        return [replace(each, notes=(*each.notes, FALLBACK)) for each in entropies]
    return entropies
