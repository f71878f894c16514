"""Propose inputs without a model: the task's own examples, mutated, and values at the edges.

Where the task states no example, values are drawn for the parameters of the signature, and the
programs themselves tell which of them are inputs at all: those on which most return something.
No reference solution is ever asked.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

from consilience.code import Signature
from consilience.inputs import InputSet, contract, shapes
from consilience.inputs.disagreement import failing
from consilience.inputs.growth import grown, invented, signature_of
from consilience.inputs.ingredients import Ingredients
from consilience.inputs.shapes import Shape
from consilience.inputs.wordings import takes_plain_data
from consilience.task import Probe, Task, TestInput
from consilience.values import identity
from consilience.voters import Voters

Args = tuple[Any, ...]

GUESSES = ("int", "str", "list[int]", "list[str]", "float", "list[list[int]]", "dict[str, int]")
"""What a parameter without an annotation may be, likeliest first."""
DRAWS = 3
"""Values drawn for each guess."""
MOST_GUESSES = 120
SPARE = 2
"""Inputs proposed for one that is wanted: most programs fail on some."""


def without_model(task: Task, voters: Voters, *, count: int, seed: int = 0) -> InputSet:
    """Return at most *count* inputs on which most *voters* that pass the examples return."""
    proposed = proposals(task, voters, count=SPARE * count, seed=seed)
    probes = [item.probe for item in proposed]
    voters.outcomes(probes)  # all of them, of which those who pass the examples are asked
    useless = failing(voters.believing(task.examples).outcomes(probes))
    kept = [item for place, item in enumerate(proposed) if place not in useless]
    dropped = [(repr(proposed[place].probe)[:200], why) for place, why in useless.items()]
    return InputSet(tuple(kept[:count]), tuple(dropped))


def proposals(task: Task, voters: Voters, *, count: int, seed: int = 0) -> list[TestInput]:
    """Return *count* distinct inputs or fewer, unseen by any program but for wild guesses."""
    shape = signature_of(task, voters.sources)
    known = [example.probe for example in task.examples]
    seeds = known or _guessed(task, shape, voters, count, seed)
    made = [] if known else [TestInput(probe, "seed") for probe in seeds[: count // 2]]
    mutants = grown(task, seeds, shape, count=count - len(made), seed=seed)
    return made + [TestInput(probe, "mutation") for probe in mutants]


def _guessed(
    task: Task, shape: Signature | None, voters: Voters, count: int, seed: int
) -> list[Probe]:
    """Draw values of every likely type, and keep those that most programs take.

    Where the parameters are of types that plain data has not, lines of Python are invented.
    """
    wild: list[Probe] = [*guesses(shape, seed)] if takes_plain_data(shape) else []
    useless = failing(voters.outcomes(wild))
    kept = [probe for place, probe in enumerate(wild) if place not in useless]
    return kept or invented(task, voters.sources, count=count, seed=seed)


def guesses(shape: Signature | None, seed: int) -> list[Args]:
    """Return distinct calls of the signature's arity, annotated types first."""
    if shape is None:
        return []
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    ingredients = Ingredients([], rng)
    options = [_options(parameter.annotation) for parameter in contract.positional(shape)]
    combined = list(product(*options))[: MOST_GUESSES // DRAWS]
    drawn = [_draw(ingredients, kinds) for kinds in combined for _ in range(DRAWS)]
    return list({identity.key(args): args for args in drawn if args}.values())


def _options(annotation: str | None) -> list[Shape]:
    known = shapes.from_annotation(annotation)
    return [known] if known.known else [shapes.from_annotation(guess) for guess in GUESSES]


def _draw(ingredients: Ingredients, kinds: Sequence[Shape]) -> Args:
    return tuple(ingredients.generate(kind) for kind in kinds)
