"""What a task itself shows of arguments: in its examples and default values."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence

from consilience.code.parsing import parse
from consilience.inputs import steps as stepping
from consilience.inputs.operators import operators
from consilience.inputs.sessions import mutate_sessions
from consilience.inputs.surroundings import (
    Field,
    Surroundings,
    own,
    parameters,
)
from consilience.task import Session

RELATED = 12
"""Values made from the known ones of a parameter, by mutation."""


class KnownValues:
    """Values by the name of a parameter: of examples, their like, and defaults."""

    def __init__(
        self, around: Surroundings, known: Sequence[Session], rng: random.Random
    ) -> None:
        self._fields = dict(_signatures(around))
        self._rng = rng
        found: dict[str, dict[str, None]] = {}
        for name, text in [*self._given(known), *_defaults(around)]:
            found.setdefault(name, {})[text] = None
        self.values = {name: self._related(list(texts)) for name, texts in found.items()}
        self.settings = self._set(known)
        """Assignments to attributes in *known* by class; `_` stands for the object."""

    def _given(self, known: Sequence[Session]) -> Iterator[tuple[str, str]]:
        """Yield the arguments of calls in *known*: the parameter's name and the source."""
        made = stepping.variables([session.steps for session in known])
        trees = (parse(step) for session in known for step in session.steps)
        nodes = (node for tree in trees if tree for node in ast.walk(tree))
        pairs = (pair for node in nodes for pair in self._bound(node))
        texts = ((parameter, ast.unparse(value)) for parameter, value in pairs)
        yield from (pair for pair in texts if not stepping.read(pair[1]).uses & made)

    def _set(self, known: Sequence[Session]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for session in known:
            steps = [stepping.read(text) for text in session.steps]
            owned = {step.name: step.built for step in steps if step.built}
            for step, text in zip(steps, session.steps, strict=True):
                owner = _owner(step.node)
                if owner in owned and step.uses == {owner}:
                    its = stepping.renamed(text, {owner: "_"})
                    found.setdefault(owned[owner], []).append(its)
        return {name: self._varied(texts) for name, texts in found.items()}

    def _varied(self, texts: list[str]) -> list[str]:
        pool = [Session((text,)) for text in texts]
        drawn = mutate_sessions(pool, count=RELATED, seed=self._rng.getrandbits(32))
        return [*texts * 6, *(session.steps[0] for session in drawn)]

    def _bound(self, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
        """Yield the arguments of a call, or of an index, with the names of their parameters."""
        if isinstance(node, ast.Subscript):
            node = ast.Call(ast.Name("__getitem__"), [node.slice], [])
        if not isinstance(node, ast.Call):
            return
        fields = self._fields.get(ast.unparse(node.func).split(".")[-1], ())
        yield from zip((each.name for each in fields), node.args, strict=False)
        yield from ((each.arg, each.value) for each in node.keywords if each.arg)

    def _related(self, texts: list[str]) -> list[str]:
        pool = [Session((f"_ = {text}",)) for text in texts]
        drawn = mutate_sessions(pool, count=RELATED, seed=self._rng.getrandbits(32))
        related = [session.steps[0].removeprefix("_ = ") for session in drawn]
        # The stated ones often: they suit each other, and what was added can be found again.
        return [*texts * max(1, 2 * RELATED // len(texts)), *related]


def _owner(node: ast.stmt | None) -> str:
    """Return the object of which the statement sets an attribute."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return ast.unparse(target.value) if isinstance(target, ast.Attribute) else ""


def _signatures(around: Surroundings) -> Iterator[tuple[str, tuple[Field, ...]]]:
    for name, function in around.functions.items():
        yield name, tuple(parameters(function))
    for its in around.classes.values():
        yield its.name, its.fields
        for method in [*its.methods.values(), *operators(its)]:
            yield method.name, tuple(own(method))


def _defaults(around: Surroundings) -> Iterator[tuple[str, str]]:
    methods = (m for its in around.classes.values() for m in its.methods.values())
    for function in [*around.functions.values(), *methods]:
        places = [*function.args.posonlyargs, *function.args.args]
        last = places[len(places) - len(function.args.defaults) :]
        pairs = [*zip(last, function.args.defaults, strict=True)]
        pairs += [
            (argument, default)
            for argument, default in zip(
                function.args.kwonlyargs, function.args.kw_defaults, strict=True
            )
            if default is not None
        ]
        yield from ((argument.arg, ast.unparse(default)) for argument, default in pairs)
