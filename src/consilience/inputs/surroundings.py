"""What the source around a target defines: enums, records, classes, and names that are bound.

Read by syntax only. The source may be a prompt: a skeleton with docstrings and without bodies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeGuard

from consilience.code.search import read

Callable_ = ast.FunctionDef | ast.AsyncFunctionDef

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_RECORDS = frozenset({"NamedTuple", "TypedDict"})


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a constructor."""

    name: str
    annotation: str | None = None
    has_default: bool = False
    by_name: bool = False
    """It can be given by name only."""


@dataclass(frozen=True, slots=True)
class Class:
    """A class, as far as a caller sees it."""

    name: str
    node: ast.ClassDef
    fields: tuple[Field, ...] = ()
    """What its constructor takes."""
    members: tuple[str, ...] = ()
    """Of an enum."""
    methods: Mapping[str, Callable_] = field(default_factory=dict)
    """Public ones, properties aside."""
    attributes: tuple[str, ...] = ()
    """Public ones that the constructor sets, and properties."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The definitions of one source."""

    classes: Mapping[str, Class]
    functions: Mapping[str, Callable_]
    aliases: Mapping[str, str]
    """Names of types and what they stand for, as text."""
    bound: frozenset[str]
    """All names that the module binds, imported ones too."""
    modules: frozenset[str]
    """Those of them that are modules."""
    texts: tuple[str, ...]
    """Short text constants outside of docstrings, in order."""


@lru_cache(maxsize=64)
def surroundings(source: str) -> Surroundings:
    """Read what *source* defines at its top level."""
    nodes = [statement.node for statement in read(source).statements]
    classes = {node.name: _class(node) for node in nodes if isinstance(node, ast.ClassDef)}
    functions = {
        node.name: node
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    aliases = dict(pair for node in nodes for pair in _aliases(node))
    bound = frozenset(name for node in nodes for name in _bound(node))
    imports = (node for node in nodes if isinstance(node, ast.Import))
    modules = frozenset(name for node in imports for name in _bound(node))
    texts = tuple(dict.fromkeys(text for node in nodes for text in _texts(node)))
    return Surroundings(classes, functions, aliases, bound, modules, texts)


def enums(source: str) -> Mapping[str, tuple[str, ...]]:
    """Return the members of every enum that *source* defines."""
    known = surroundings(source).classes if source else {}
    return {name: its.members for name, its in known.items() if its.members}


def base_names(node: ast.ClassDef) -> frozenset[str]:
    """Return the last names of the bases: `Enum` of `enum.Enum`."""
    return frozenset(ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases)


def decorators(node: ast.ClassDef | Callable_) -> frozenset[str]:
    """Return the last names of the decorators."""
    return frozenset(
        ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list
    )


def is_docstring(node: ast.stmt) -> TypeGuard[ast.Expr]:
    """Tell whether a statement is a text alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _class(node: ast.ClassDef) -> Class:
    if base_names(node) & _ENUMS:
        return Class(node.name, node, members=tuple(_members(node)))
    methods = {
        child.name: child
        for child in node.body
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    record = base_names(node) & _RECORDS or "dataclass" in decorators(node)
    made = _declared(node) if record else _parameters(methods.get("__init__"))
    public = {
        name: child
        for name, child in methods.items()
        if not name.startswith("_") and "property" not in "".join(decorators(child))
    }
    return Class(node.name, node, tuple(made), (), public, tuple(_attributes(node, methods)))


def _members(node: ast.ClassDef) -> Iterator[str]:
    for child in node.body:
        if isinstance(child, ast.Assign):
            yield from (
                target.id
                for target in child.targets
                if isinstance(target, ast.Name) and not target.id.startswith("_")
            )


def _declared(node: ast.ClassDef) -> Iterator[Field]:
    for child in node.body:
        if isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            text = ast.unparse(child.annotation)
            if "ClassVar" not in text and "init=False" not in ast.unparse(child):
                yield Field(child.target.id, text, child.value is not None)


def _parameters(init: Callable_ | None) -> list[Field]:
    return list(parameters(init))[1:] if init is not None else []


def parameters(node: Callable_) -> Iterator[Field]:
    """Return what a call of the function can give, `*args` and `**kwargs` aside."""
    places = [*node.args.posonlyargs, *node.args.args]
    bare = len(places) - len(node.args.defaults)
    for place, argument in enumerate(places):
        yield Field(argument.arg, _text(argument.annotation), place >= bare)
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        yield Field(argument.arg, _text(argument.annotation), default is not None, by_name=True)


def own(method: Callable_) -> list[Field]:
    """Return the parameters of a method, `self` aside."""
    every = list(parameters(method))
    return every if "staticmethod" in decorators(method) else every[1:]


def _text(annotation: ast.expr | None) -> str | None:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return None if annotation is None else ast.unparse(annotation)


def _attributes(node: ast.ClassDef, methods: Mapping[str, Callable_]) -> Iterator[str]:
    found: dict[str, None] = {}
    init = methods.get("__init__")
    for child in ast.walk(init) if init is not None else ():
        if _is_set(child):
            found[child.attr] = None
    if "dataclass" in decorators(node) or base_names(node) & _RECORDS:
        found.update((each.name, None) for each in _declared(node))
    found.update((name, None) for name, m in methods.items() if "property" in decorators(m))
    yield from (name for name in found if not name.startswith("_"))


def _is_set(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    )


def _aliases(node: ast.stmt) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return
    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("NewType"):
        value = value.args[-1]
    if isinstance(target, ast.Name) and isinstance(
        value, ast.Name | ast.Subscript | ast.BinOp | ast.Attribute
    ):
        yield target.id, ast.unparse(value)


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
    elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
    else:
        yield from (
            child.id
            for child in ast.walk(node)
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
        )


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 40:
        yield node.value
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.stmt) and is_docstring(child)):
            yield from _texts(child)
