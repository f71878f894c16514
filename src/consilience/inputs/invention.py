"""Sessions invented from signatures: for tasks that state no example, or too few.

What a task does say is used first: annotations, types in docstrings, default values, and the
arguments of its own examples, by the name of the parameter.
"""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from consilience.inputs import steps as stepping
from consilience.inputs.declaration import whole
from consilience.inputs.documented import by_name, documented
from consilience.inputs.expressions import Expressions
from consilience.inputs.known_values import KnownValues
from consilience.inputs.operators import operated, operators
from consilience.inputs.surroundings import (
    Callable_,
    Class,
    Field,
    Surroundings,
    own,
    parameters,
)
from consilience.inputs.surroundings import surroundings as read_surroundings
from consilience.task import Session, Shape

ATTEMPTS = 10
SET = 0.3
"""Share of the sessions of a class in which an attribute is set, as examples do."""
AGAIN = 0.6
"""Share of the arguments that a parameter of the same name had before in the session."""
BORROWED = 0.15
"""Share of the texts that some other parameter had before."""
MOST_CALLS = 6
"""Calls in one session of a class."""

_BUILTIN = frozenset(dir(builtins))


def propose_sessions(  # noqa: PLR0913 - what a task says, and two numbers
    source: str,
    entry_point: str,
    shape: Shape,
    surroundings: str = "",
    *,
    count: int,
    seed: int,
    known: Sequence[Session] = (),
) -> list[Session]:
    """Return up to *count* distinct sessions that drive *entry_point*, as *source* declares it.

    *source* is a prompt, a skeleton or a program; *known* are sessions of the task's examples.
    Nothing comes back for a script, or where the definition is not found.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
    around = read_surroundings(f"{surroundings}\n{whole(source)}")
    inventor = _Inventor(around, rng, KnownValues(around, known, rng))
    draw = inventor.drawing(entry_point, shape)
    made: dict[stepping.Steps, None] = {}
    for _ in range(ATTEMPTS * count if draw else 0):
        if len(made) >= count:
            break
        steps = _with_imports(draw(), around, entry_point) if draw else ()
        if stepping.sound(steps, stepping.variables([steps])):
            made[steps] = None
    return [Session(steps) for steps in made if Session(steps) not in known]


@dataclass
class _Draft:
    """A session being written."""

    steps: list[str] = field(default_factory=list)
    echoes: list[str] = field(default_factory=list)
    """Names and attributes to look at in the end."""
    given: dict[str, list[str]] = field(default_factory=dict)
    """What each parameter was given."""

    def hold(self, name: str, text: str) -> str:
        """Put an expression into a variable; return its name, a free one."""
        taken = stepping.variables([tuple(self.steps)])
        free = next(n for n in (name, *(f"{name}{i}" for i in range(2, 99))) if n not in taken)
        self.steps.append(f"{free} = {text}")
        return free


class _Inventor:
    """Draws sessions of one target."""

    def __init__(self, around: Surroundings, rng: random.Random, known: KnownValues) -> None:
        self._around = around
        self._rng = rng
        self._draw = Expressions(around, rng, known.values)
        self._values = known.values
        self._settings = known.settings

    def drawing(self, entry_point: str, shape: Shape) -> _Drawing | None:
        """Return what draws sessions of *entry_point*; None where it is not found."""
        owner, _, name = entry_point.rpartition(".")
        if shape == "class":
            its = self._around.classes.get(entry_point)
            return None if its is None else _Drawing(self, its=its)
        its = self._around.classes.get(owner)
        found = its.methods.get(name) if its else self._around.functions.get(name)
        return None if found is None else _Drawing(self, found, owner)

    def of_function(self, function: Callable_, owner: str) -> stepping.Steps:
        """Draw one call, with what it may change looked at afterwards."""
        draft = _Draft()
        changing = _returns(function) == "None" or function.name.startswith((
            "sort_",
            "update_",
        ))
        its = self._around.classes.get(owner)
        callee = f"{self._draw.built(its, owner)}.{function.name}" if its else function.name
        fields = own(function) if its else list(parameters(function))
        arguments = self.arguments(function, fields, draft, hold=changing)
        draft.steps.append(self.wrapped(f"{callee}({arguments})", function))
        return (*draft.steps, *draft.echoes)

    def of_class(self, its: Class) -> stepping.Steps:
        """Draw an instance, calls of it in any order, and looks at it."""
        draft = _Draft()
        name = draft.hold(_snake(its.name), self._draw.built(_told(its), its.name))
        settings = self._settings.get(its.name, [])
        if settings and self._rng.random() < SET:
            draft.steps.append(stepping.renamed(self._rng.choice(settings), {"_": name}))
        methods = [*its.methods.values(), *operators(its)]
        favourites = self._rng.sample(methods, min(len(methods), self._rng.randint(1, 4)))
        for _ in range(self._rng.randint(2, MOST_CALLS) if methods else 0):
            method = self._rng.choice(favourites)
            arguments = self.arguments(method, own(method), draft, its=its)
            call = operated(name, method, arguments) or f"{name}.{method.name}({arguments})"
            draft.steps.append(self.wrapped(call, method))
            if its.attributes and self._rng.random() < 0.25:
                draft.steps.append(f"{name}.{self._rng.choice(its.attributes)}")
        looks = min(len(its.attributes), 2)
        draft.echoes += [f"{name}.{a}" for a in self._rng.sample(its.attributes, looks)]
        return (*draft.steps, *draft.echoes)

    def arguments(
        self,
        function: Callable_,
        fields: Sequence[Field],
        draft: _Draft,
        *,
        hold: bool = False,
        its: Class | None = None,
    ) -> str:
        """Draw the arguments of a call; with *hold*, those that can change become variables."""
        told = _docs(function, self._around)
        given: list[str] = []
        skipped = False
        for each in fields:
            if each.has_default and self._rng.random() < 0.5:
                skipped = True
                continue
            annotation = each.annotation or told.get(each.name) or _guess(each, self._values)
            text = self._again(each.name, annotation, draft)
            if its is not None and annotation == its.name:
                text = self._other(its, text, draft)
            elif hold and _changeable(text, self._around):
                text = draft.hold(each.name, text)
                draft.echoes.append(text)
            given.append(f"{each.name}={text}" if skipped or each.by_name else text)
        return ", ".join(given)

    def _again(self, name: str, annotation: str | None, draft: _Draft) -> str:
        """Draw an argument: often one given before, so that calls have to do with it."""
        chance, before = self._rng.random(), draft.given.get(name, [])
        if before and chance < AGAIN:
            return self._rng.choice(before)
        text = self._draw.argument(name, annotation)
        alike = [given for its in draft.given.values() for given in its if given[0] == "'"]
        if alike and text[0] == "'" and chance > 1 - BORROWED:
            text = self._rng.choice(alike)
        draft.given.setdefault(name, []).append(text)
        return text

    def _other(self, its: Class, text: str, draft: _Draft) -> str:
        """Hold a second instance, to see what becomes of it."""
        name = draft.hold("other", text)
        if its.attributes:
            draft.echoes.append(f"{name}.{self._rng.choice(its.attributes)}")
        return name

    def wrapped(self, call: str, function: Callable_) -> str:
        """Write the call so that it comes to an end and shows what it gives."""
        returns = _returns(function)
        kind = returns.split("[")[0].split(".")[-1]
        if kind.startswith("Async") or (_is_async(function) and _yields(function)):
            return f"asyncio.run(collected({call}))"
        if isinstance(function, ast.AsyncFunctionDef):
            return f"asyncio.run({call})"
        if kind in {"Iterator", "Generator", "Iterable"} or _yields(function):
            return f"list({call})"
        if kind == "Callable":
            given = ast.parse(returns, mode="eval").body
            return f"{call}({self._passed(given)})"
        return call

    def _passed(self, node: ast.expr) -> str:
        parts = (
            node.slice.elts
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)
            else []
        )
        types = parts[0].elts if parts and isinstance(parts[0], ast.List) else []
        if not parts:
            return self._draw.of("int")
        return ", ".join(self._draw.of(ast.unparse(each)) for each in types)


@dataclass(frozen=True)
class _Drawing:
    """Draws one session at a time."""

    inventor: _Inventor
    function: Callable_ | None = None
    owner: str = ""
    its: Class | None = None

    def __call__(self) -> stepping.Steps:
        if self.its is not None:
            return self.inventor.of_class(self.its)
        return self.inventor.of_function(self.function, self.owner) if self.function else ()


def _told(its: Class) -> Class:
    """Return the class with the types that the constructor's docstring states."""
    inits = [n for n in its.node.body if getattr(n, "name", "") == "__init__"]
    text = " ".join(ast.get_docstring(n) or "" for n in (*inits, its.node))  # type: ignore[arg-type]
    types = documented(text)
    fields = tuple(
        Field(
            each.name,
            each.annotation or types.get(each.name) or by_name(each.name),
            each.has_default,
            each.by_name,
        )
        for each in its.fields
    )
    return Class(its.name, its.node, fields, its.members, its.methods, its.attributes)


def _docs(function: Callable_, around: Surroundings) -> dict[str, str]:
    return documented(ast.get_docstring(function) or "", around.classes)


def _guess(each: Field, values: Mapping[str, Sequence[str]]) -> str | None:
    return None if each.name in values else by_name(each.name)


def _returns(function: Callable_) -> str:
    return "" if function.returns is None else ast.unparse(function.returns).strip("'\"")


def _is_async(function: Callable_) -> bool:
    return isinstance(function, ast.AsyncFunctionDef)


def _yields(function: Callable_) -> bool:
    """Tell whether it is a generator: it yields, or says so."""
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
        return True
    text = (ast.get_docstring(function) or "").lower()
    return bool(
        re.search(r"\byields?\b|\b(is|as|return\w*) an? (lazy )?(generator|iterator)\b", text)
    )


def _changeable(text: str, around: Surroundings) -> bool:
    name = text.split("(", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1]
    return text[:1] in "[{" or name in {*around.classes, "array", "deque", "set"}


def _snake(name: str) -> str:
    made = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return made if made != name else f"{made}_"


def _with_imports(
    steps: stepping.Steps, around: Surroundings, entry_point: str
) -> stepping.Steps:
    """Put in front what has to be imported for the expressions; a name in use is left alone."""
    made = stepping.variables([steps])
    used = dict.fromkeys(name for step in steps for name in sorted(stepping.read(step).uses))
    missing = [n for n in used if n not in made | around.bound | _BUILTIN | {entry_point}]
    if "collected" in missing:  # an asynchronous generator
        missing = ["asyncio", *(name for name in missing if name != "asyncio")]
    return (*(_IMPORTS[name] for name in missing if name in _IMPORTS), *steps)


_IMPORTS = {
    **{
        name: f"from datetime import {name}"
        for name in ("date", "datetime", "time", "timedelta")
    },
    **{name: f"from collections import {name}" for name in ("Counter", "deque", "OrderedDict")},
    "Decimal": "from decimal import Decimal",
    "Fraction": "from fractions import Fraction",
    "Path": "from pathlib import Path",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "math": "import math",
    "asyncio": "import asyncio",
    "collected": "async def collected(items):\n    return [item async for item in items]",
}
