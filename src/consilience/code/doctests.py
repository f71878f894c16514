"""Read the doctests of a text as sessions: steps that share variables, with what is stated."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from consilience.code.prompted import Step, blocks
from consilience.code.signature import signature
from consilience.code.statements import Statement
from consilience.task import Example, Session, Wants

_BUILTINS = frozenset(dir(builtins))
_SHARED = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PROMPTED = re.compile(r"^[ \t]*(?:>>>|\.\.\.).*$", re.MULTILINE)
_MODULES = sys.stdlib_module_names | {"np", "numpy", "pd", "pandas", "array"}
_SKIP = re.compile(r"#\s*doctest:\s*\+SKIP")


def doctests(text: str, names: Collection[str]) -> tuple[Example, ...]:
    """Find the sessions of *text* that mention one of *names*.

    Each docstring is read for itself. Steps that share a variable are one session, which a new
    value of the variable begins anew; imports and definitions serve all. A variable that is
    made in another docstring, or nowhere though its class takes no arguments, is made first.
    Sessions of which nothing is stated are left out.
    """
    found = [_Block(steps, text, names) for steps in blocks(text)]
    made: dict[tuple[str, ...], Example] = {}
    for i, block in enumerate(found):
        # Nearest first, and those before it rather than those after.
        others = [*reversed(found[:i]), *found[i + 1 :]]
        for example in block.examples(others):
            made.setdefault(example.probe.steps, example)  # type: ignore[union-attr]
    return tuple(made.values())


class _Block:
    """The steps of one docstring."""

    def __init__(self, steps: Sequence[Step], text: str, names: Collection[str]) -> None:
        kept = [step for step in steps if not _imports_one_of(step.statement, names)]
        self.names = frozenset(names)
        self.text = text
        self.around = _PROMPTED.sub("", text)
        self.classes = _without_arguments(self.around, names)
        self.shared = _by_name(s for s in kept if isinstance(s.statement.node, _SHARED))
        self.steps = [s for s in kept if not isinstance(s.statement.node, _SHARED)]

    def examples(self, others: Sequence[_Block]) -> Iterator[Example]:
        """Make the sessions; *others* lend what this one lacks, the nearest first."""
        apart = self.names | set(self.shared) | _BUILTINS
        for group in _groups(self.steps, apart):
            if not any(step.want for step in group) or any(
                _SKIP.search(s.source) for s in group
            ):
                continue
            whole = self._completed(group, others)
            mentioned = {name for step in whole or () for name in step.statement.needs}
            if whole and mentioned & self.names:
                steps = tuple(step.source.strip() for step in whole)
                yield Example(Session(steps), Wants(tuple(step.want for step in whole)))

    def _completed(self, group: Sequence[Step], others: Sequence[_Block]) -> list[Step] | None:
        """Put before *group* what it needs from elsewhere; None where that cannot be found."""
        whole = list(group)
        for name in _missing(group, self.names):
            lent = self._lent(name, others) or self._made(name, group)
            if lent is None and not self._is_known(name):
                return None
            if lent:
                whole = [*(step for step in lent if step not in whole), *whole]
        return whole

    def _lent(self, name: str, others: Sequence[_Block]) -> list[Step] | None:
        for block in (self, *others):
            if name in block.shared:
                return [block.shared[name]]
        lent = (block.gives(name) for block in others)
        return next((steps for steps in lent if steps), None)

    def gives(self, name: str) -> list[Step] | None:
        """Find the assignment of *name*, with the imports and definitions that it needs."""
        for step in self.steps:
            its = step.statement
            if name in its.defines and isinstance(its.node, ast.Assign):
                needs = _missing([step], self.names)
                if all(need in self.shared for need in needs):
                    return [*(self.shared[need] for need in needs), Step(its)]
        return None

    def _made(self, name: str, group: Sequence[Step]) -> list[Step] | None:
        """Make an object that no docstring makes, where its class needs no arguments."""
        called = {
            method
            for step in group
            for method in re.findall(rf"\b{re.escape(name)}\.(\w+)", step.source)
        }
        for owner in sorted(self.names & self.classes.keys()):
            if called & self.classes[owner]:
                text = f"{name} = {owner}()"
                return [Step(Statement(ast.parse(text).body[0], text))]
        return None

    def _is_known(self, name: str) -> bool:
        """Tell a name that may stand around the target: in the text, or a module's."""
        if name in _MODULES or not name.islower():
            return True
        return re.search(rf"\b{re.escape(name)}\b", self.around) is not None


def _imports_one_of(statement: Statement, names: Collection[str]) -> bool:
    """Tell the import of the target itself, which stands beside the session already."""
    return isinstance(statement.node, ast.ImportFrom) and bool(statement.defines & set(names))


def _by_name(steps: Iterator[Step]) -> Mapping[str, Step]:
    return {name: step for step in steps for name in step.statement.defines}


def _without_arguments(text: str, names: Collection[str]) -> Mapping[str, frozenset[str]]:
    """List the methods of those classes of *names* that are made without arguments."""
    found = {}
    for name in names:
        its = signature(text, name)
        body = re.search(
            rf"^class {re.escape(name)}\b.*\n(?:[ \t].*\n|\n)*", text, re.MULTILINE
        )
        if body and its and its.accepts(0):
            found[name] = frozenset(re.findall(r"\bdef (\w+)", body[0]))
    return found


def _groups(steps: Sequence[Step], apart: Collection[str]) -> list[list[Step]]:
    """Divide steps into those that share the value of a variable, in their order.

    Names *apart* hold no variable: the target, what is imported and defined.
    """
    owner: dict[str, int] = {}
    group_of: list[int] = []
    for i, step in enumerate(steps):
        its = step.statement
        touched = {
            owner[name] for name in _needs(its) | its.changes - its.defines if name in owner
        }
        group_of.append(i)
        merged = {*touched, i}
        group_of = [min(merged) if each in merged else each for each in group_of]
        owner = {name: min(merged) if g in merged else g for name, g in owner.items()}
        used = {name for name in its.changes - set(apart) if name not in owner}
        owner |= dict.fromkeys(its.defines | used, min(merged))
    return [
        [step for step, group in zip(steps, group_of, strict=True) if group == each]
        for each in sorted(set(group_of))
    ]


def _needs(statement: Statement) -> frozenset[str]:
    """List what a statement reads; a loop gives its own variable before it reads it."""
    gives_first = isinstance(statement.node, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith)
    return statement.needs - statement.defines if gives_first else statement.needs


def _missing(steps: Sequence[Step], names: Collection[str]) -> list[str]:
    """List the names that *steps* use before they give them, in the order of the alphabet."""
    given = set(_BUILTINS) | set(names)
    missing: set[str] = set()
    for step in steps:
        missing |= _needs(step.statement) - given
        given |= step.statement.defines
    return sorted(missing)
