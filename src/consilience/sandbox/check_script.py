"""What has to be called for a check script to check anything: found by parsing alone.

A script may do its work as it loads (`assert f(1) == 2`), define `check(candidate)` as
HumanEval does, or define tests that a runner calls: `test_...` functions, unittest classes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.code.parsing import attempt, parse

CHECK = "check"
WORLD = frozenset({
    "glob", "mock", "os", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile",
})  # fmt: skip
"""Modules by which a script prepares or inspects what is outside the arguments."""


@dataclass(frozen=True, slots=True)
class Script:
    """A check script, and how to run it."""

    code: str
    entry_point: str
    preamble: str = ""
    """Code that the task itself gives: helpers that the script may use."""
    calls: tuple[tuple[str, bool], ...] = ()
    """Functions to call after it has loaded, each with whether it wants the candidate."""
    unittest: bool = False
    """Whether to run the unittest classes that it defines."""
    modules: tuple[str, ...] = ()
    """Names of modules that it expects to find the candidate in."""
    world: str = ""
    """What it prepares outside the arguments: files, patches; empty where nothing is seen."""
    fault: str = ""
    """Why it cannot be run; empty where it can."""


def read_script(code: str, entry_point: str, preamble: str = "") -> Script:
    """Find out how *code*, which checks *entry_point*, is to be run."""
    tree = attempt(code)
    if isinstance(tree, str):
        return Script(code, entry_point, fault=f"the script does not parse: {tree}")
    called = {_called(node) for node in tree.body}
    return Script(
        code,
        entry_point,
        _whole(preamble),
        tuple(_functions(tree, called)),
        "unittest.main" not in called and any(map(_is_case, tree.body)),
        tuple(dict.fromkeys(_homes(tree, entry_point))),
        ", ".join(sorted(set(_world(tree)))),
    )


def _whole(preamble: str) -> str:
    """Return code of a task that loads: its last function may be a head without a body."""
    forms = (preamble, preamble.rstrip() + "\n    ...\n")
    return next((form for form in forms if parse(form)), "")


def _functions(tree: ast.Module, called: set[str]) -> Iterator[tuple[str, bool]]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name in called:
            continue
        needed = len(node.args.args) - len(node.args.defaults)
        if node.name == CHECK and needed == 1:
            yield node.name, True
        elif node.name.startswith("test") and needed == 0:
            yield node.name, False


def _called(node: ast.stmt) -> str:
    """Return the dotted name of what a statement calls, where a call is all it is."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func)
    return ""


def _is_case(node: ast.stmt) -> bool:
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return any(ast.unparse(base).endswith("TestCase") for base in bases)


def _homes(tree: ast.Module, entry_point: str) -> Iterator[str]:
    """Find where the script imports the candidate from: `from solution import f`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            wanted = any(alias.name == entry_point for alias in node.names)
            if wanted and node.module.split(".")[0] not in sys.stdlib_module_names:
                yield node.module


def _world(tree: ast.Module) -> Iterator[str]:
    """Name the modules and functions in *tree* that reach beyond arguments and results."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if set(a.name.split(".")) & WORLD)
        elif isinstance(node, ast.ImportFrom) and set((node.module or "").split(".")) & WORLD:
            yield str(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "open":
            yield "open"
