"""Sessions invented from signatures: for tasks that state no example, or too few.

What a task does say is used first: annotations, types in docstrings, default values, and the
arguments of its own examples, by the name of the parameter.
"""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from consilience.code.parsing import parse
from consilience.inputs import steps as stepping
from consilience.inputs.documented import by_name, documented
from consilience.inputs.expressions import Expressions
from consilience.inputs.sessions import mutate_sessions
from consilience.inputs.surroundings import (
    Callable_,
    Class,
    Field,
    Surroundings,
    decorators,
    parameters,
)
from consilience.inputs.surroundings import surroundings as read_surroundings
from consilience.task import Session, Shape

ATTEMPTS = 10
RELATED = 12
"""Values made from the known ones of a parameter, by mutation."""
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
    around = read_surroundings(f"{surroundings}\n{_whole(source)}")
    inventor = _Inventor(around, rng, _Known(around, known, rng).values)
    draw = inventor.drawing(entry_point, shape)
    made: dict[stepping.Steps, None] = {}
    for _ in range(ATTEMPTS * count if draw else 0):
        if len(made) >= count:
            break
        steps = _with_imports(draw(), around, entry_point) if draw else ()
        if stepping.sound(steps, stepping.variables([steps])):
            made[steps] = None
    return [Session(steps) for steps in made if Session(steps) not in known]


def _whole(source: str) -> str:
    """Give a starter without a body one, and take a program out of the quotes around it."""
    bare = re.sub(r"\A\s*('''|\"\"\")|('''|\"\"\")\s*\Z", "", source)
    # A text alone is no program, though it parses.
    tree = parse(source)
    if tree is not None and any(not isinstance(node, ast.Expr) for node in tree.body):
        return source
    for reading in (source, bare, _straight(source)):
        for ending in ("", "\n    pass", "\n        pass"):
            text = reading.rstrip() + ending + "\n"
            tree = parse(text)
            if tree is not None and any(not isinstance(n, ast.Expr) for n in tree.body):
                return text
    return _headers(source)


def _straight(source: str) -> str:
    return source.replace("\u201c", '"').replace("\u201d", '"')


def _headers(source: str) -> str:
    """Keep of a damaged skeleton what is sound: headers, what is set, and words between."""
    found: list[str] = []
    for part in re.split(
        r"^(?=[ \t]*(?:class|def|async def|@\w+)\b)", source, flags=re.MULTILINE
    ):
        first, _, rest = part.partition("\n")
        margin = first[: len(first) - len(first.lstrip())]
        inner = f"{margin}    "
        sets = [f"{inner}{m}" for m in re.findall(r"^\s+(self\.\w+ = .*)$", rest, re.MULTILINE)]
        lines = [first, f"{inner}{rest.strip()!r}", *filter(_is_sound, sets)]
        if first.lstrip().startswith("@"):
            found.append(first)
        elif _is_sound(f"{first.strip()} pass"):
            found += lines
    return "\n".join(found)


def _is_sound(line: str) -> bool:
    return parse(line.strip()) is not None


class _Known:
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

    def _given(self, known: Sequence[Session]) -> Iterator[tuple[str, str]]:
        """Yield the arguments of calls in *known*: the parameter's name and the source."""
        made = stepping.variables([session.steps for session in known])
        trees = (parse(step) for session in known for step in session.steps)
        for node in (node for tree in trees if tree for node in ast.walk(tree)):
            if isinstance(node, ast.Subscript):
                node = ast.Call(ast.Name("__getitem__"), [node.slice], [])
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).split(".")[-1]
                for parameter, value in self._bound(name, node):
                    text = ast.unparse(value)
                    if not stepping.read(text).uses & made:
                        yield parameter, text

    def _bound(self, name: str, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        fields = self._fields.get(name, ())
        yield from zip((each.name for each in fields), call.args, strict=False)
        yield from ((each.arg, each.value) for each in call.keywords if each.arg)

    def _related(self, texts: list[str]) -> list[str]:
        pool = [Session((f"_ = {text}",)) for text in texts]
        drawn = mutate_sessions(pool, count=RELATED, seed=self._rng.getrandbits(32))
        related = [session.steps[0].removeprefix("_ = ") for session in drawn]
        # The stated ones often: they suit each other, and what was added can be found again.
        return [*texts * max(1, RELATED // len(texts)), *related]


def _signatures(around: Surroundings) -> Iterator[tuple[str, tuple[Field, ...]]]:
    for name, function in around.functions.items():
        yield name, tuple(parameters(function))
    for its in around.classes.values():
        yield its.name, its.fields
        for method in [*its.methods.values(), *_operators(its)]:
            yield method.name, tuple(_own(method))


def _own(method: Callable_) -> list[Field]:
    """Return the parameters of a method, `self` aside."""
    every = list(parameters(method))
    return every if "staticmethod" in decorators(method) else every[1:]


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


@dataclass
class _Draft:
    """A session being written."""

    steps: list[str] = field(default_factory=list)
    echoes: list[str] = field(default_factory=list)
    """Names and attributes to look at in the end."""

    def hold(self, name: str, text: str) -> str:
        """Put an expression into a variable; return its name, a free one."""
        taken = stepping.variables([tuple(self.steps)])
        free = next(n for n in (name, *(f"{name}{i}" for i in range(2, 99))) if n not in taken)
        self.steps.append(f"{free} = {text}")
        return free


class _Inventor:
    """Draws sessions of one target."""

    def __init__(
        self, around: Surroundings, rng: random.Random, values: Mapping[str, Sequence[str]]
    ) -> None:
        self._around = around
        self._rng = rng
        self._draw = Expressions(around, rng, values)
        self._values = values

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
        fields = _own(function) if its else list(parameters(function))
        arguments = self.arguments(function, fields, draft, hold=changing)
        draft.steps.append(self.wrapped(f"{callee}({arguments})", function))
        return (*draft.steps, *draft.echoes)

    def of_class(self, its: Class) -> stepping.Steps:
        """Draw an instance, calls of it in any order, and looks at it."""
        draft = _Draft()
        name = draft.hold(_snake(its.name), self._draw.built(_told(its), its.name))
        methods = [*its.methods.values(), *_operators(its)]
        favourites = self._rng.sample(methods, min(len(methods), self._rng.randint(1, 4)))
        for _ in range(self._rng.randint(2, MOST_CALLS) if methods else 0):
            method = self._rng.choice(favourites)
            arguments = self.arguments(method, _own(method), draft, its=its)
            call = _operated(name, method, arguments) or f"{name}.{method.name}({arguments})"
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
            text = self._draw.argument(each.name, annotation)
            if its is not None and annotation == its.name:
                text = self._other(its, text, draft)
            elif hold and _changeable(text, self._around):
                text = draft.hold(each.name, text)
                draft.echoes.append(text)
            given.append(f"{each.name}={text}" if skipped or each.by_name else text)
        return ", ".join(given)

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


def _operators(its: Class) -> list[Callable_]:
    """Return the methods of a class that operators and builtins call."""
    return [n for n in its.node.body if isinstance(n, Callable_) and n.name in _OPERATORS]


def _operated(name: str, method: Callable_, arguments: str) -> str:
    """Write what calls a method such as `__getitem__`; empty for a common one."""
    form = _OPERATORS.get(method.name, "")
    first, _, rest = arguments.partition(", ")
    if form.count("{") > 2 or (form and "," in rest):
        items = ast.parse(f"f({arguments})", mode="eval").body
        given = [ast.unparse(each) for each in getattr(items, "args", [])]
        first, rest = (*given, "", "")[:2]
    return form.format(name, first, rest)


_OPERATORS = {
    "__getitem__": "{0}[{1}]",
    "__setitem__": "{0}[{1}] = {2}",
    "__delitem__": "del {0}[{1}]",
    "__contains__": "{1} in {0}",
    "__len__": "len({0})",
    "__iter__": "list({0})",
    "__str__": "str({0})",
    "__repr__": "repr({0})",
    "__bool__": "bool({0})",
    "__call__": "{0}({1})",
    "__eq__": "{0} == {1}",
    "__lt__": "{0} < {1}",
    "__add__": "{0} + {1}",
    "__sub__": "{0} - {1}",
    "__mul__": "{0} * {1}",
}


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
    return text[:1] in "[{" or text.split("(")[0].split(".")[-1] in {
        *around.classes, "array", "deque", "set",
    }  # fmt: skip


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
