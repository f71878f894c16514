"""Methods that operators and builtins call, and how they are written at a prompt."""

from __future__ import annotations

import ast

from consilience.inputs.surroundings import Callable_, Class


def operators(its: Class) -> list[Callable_]:
    """Return the methods of a class that operators and builtins call."""
    return [n for n in its.node.body if isinstance(n, Callable_) and n.name in _OPERATORS]


def operated(name: str, method: Callable_, arguments: str) -> str:
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
