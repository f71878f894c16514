"""A method of a class that holds nothing: `Solution().f(...)`, a fresh object a call."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from consilience.code import Extraction, Signature, extract, signature
from consilience.interfaces import Kind
from consilience.interfaces.classes import Class, class_in
from consilience.interfaces.lines import spelled
from consilience.task import Probe, Task

_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef
_STARTER = re.compile(r"```python\n(?P<code>.*?)```", re.DOTALL)


class Method(Class):
    """A method, as LeetCode asks for."""

    kind: Kind = "calls"

    def noun(self, task: Task) -> str:
        """Call it a class with a method."""
        owner, name = _parts(task)
        return f"Python class `{owner}` with the method `{name}`"

    def written(self, task: Task, probe: Probe) -> str:
        """Write a call on a fresh object: `Solution().f([1, 2])`."""
        owner, name = _parts(task)
        return spelled(f"{owner}().{name}", probe)

    def extract(self, task: Task, text: str, *, truncated: bool = False) -> Extraction:
        """Find the class; a function of the method's name alone is made one."""
        owner, name = _parts(task)
        found = extract(text, owner, truncated=truncated)
        if found.status == "ok":
            return found
        alone = extract(text, name, truncated=truncated)
        if alone.status != "ok":
            return found
        return replace(alone, code=_housed(alone.code, owner, name))

    def defines(self, task: Task, code: str) -> bool:
        """Look for the class, and for the method in it."""
        owner, name = _parts(task)
        found = class_in(code, owner)
        return found is not None and any(
            isinstance(node, _DEFINITION) and node.name == name for node in found.body
        )

    def signature(self, task: Task, source: str) -> Signature | None:
        """Read the method's header, `self` aside."""
        name = _parts(task)[1]
        starter = _STARTER.search(source)
        found = signature(starter["code"] if starter else source, name)
        return _without_self(found) if found else None


def _without_self(found: Signature) -> Signature:
    """Leave `self` out where the header was read alone, outside of its class."""
    first = found.parameters[:1]
    bound = bool(first) and first[0].name in {"self", "cls"}
    return replace(found, parameters=found.parameters[1:]) if bound else found


def _parts(task: Task) -> tuple[str, str]:
    owner, _, name = task.entry_point.partition(".")
    return owner, name


def _housed(code: str, owner: str, name: str) -> str:
    """Put a function into the class that is asked for; with a `self` it is a method already."""
    takes_self = re.search(rf"def {re.escape(name)}\(\s*self\b", code)
    held = name if takes_self else f"staticmethod({name})"
    return f"{code}\n\nclass {owner}:\n    {name} = {held}\n"
