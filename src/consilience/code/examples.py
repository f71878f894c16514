"""Read calls with their results from text: examples in a prompt, assertions in a test.

Only literal arguments and results count; nothing is evaluated but literals.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from consilience.code.literals import plain, read_literal
from consilience.code.parsing import parse
from consilience.code.search import read
from consilience.task import Example
from consilience.values import Value

MAX_CALL = 2000
"""Characters of one call or one result in running text."""

MAX_LINES = 12
"""Lines of one result."""

# What stands between a call and its result in prompts.
_BETWEEN = re.compile(
    r"[`'\")\]]?[ \t]*(?:#[ \t]*)?"
    r"(?:==+>?|=+>|-+>|[➞→⇒➔⟶]|=|:|,?[ \t]*(?:should|must|would|will)?[ \t]*"
    r"(?:returns?|be|gives?|equals?|outputs?|evaluates to)\b:?)"
    r"[ \t]*[`]?"
)


def examples(prompt: str, entry_point: str) -> tuple[Example, ...]:
    """Find the calls of *entry_point* in *prompt* whose result it states.

    Doctests, `f(x) == y`, arrows, "returns", asserts. Repeated examples are given once; calls
    to which the prompt gives two results are left out.
    """
    found = [*_from_doctests(prompt, entry_point), *_from_lines(prompt, entry_point)]
    found += assertions(prompt, entry_point)
    results: dict[str, dict[str, Example]] = {}
    for example in found:
        results.setdefault(_key(example.probe), {})[_key(example.expected)] = example
    agreed = [next(iter(its.values())) for its in results.values() if len(its) == 1]
    return () if _is_formula(prompt, entry_point, agreed) else tuple(agreed)


def _is_formula(prompt: str, entry_point: str, found: Sequence[Example]) -> bool:
    """Distrust a prompt that uses the function's name for a formula too.

    "f(n) = 1 + n / 2" says what a term is; where results are numbers here and lists there, the
    function returns the list and the numbers are terms.
    """
    kinds = {type(example.expected) for example in found}
    mixed = kinds & {int, float} and kinds & {list, tuple, dict, set}
    return bool(mixed and re.search(rf"\b{re.escape(entry_point)}\([a-z]\b.*?\) *=", prompt))


def assertions(text: str, entry_point: str) -> tuple[Example, ...]:
    """Find `assert f(literals) == literal` in test code, either way round, in functions too.

    *text* may hold anything else and need not parse as a whole.
    """
    nodes = [node for s in read(text).statements for node in ast.walk(s.node)]
    pairs = (_equation(test) for node in nodes if (test := _test(node)) is not None)
    found = [_example(*pair, entry_point) for pair in pairs if pair]
    return tuple(example for example in found if example)


def _key(thing: Any) -> str:
    return Value.of(thing).payload


# --- assertions


def _test(node: ast.AST) -> ast.expr | None:
    """Give what a statement tests: an assertion, or an equation whose `assert` got lost."""
    if isinstance(node, ast.Assert):
        return node.test
    if not isinstance(node, ast.Expr):
        return None
    value = node.value
    if isinstance(value, ast.Tuple) and value.elts:  # with a message behind it
        value = value.elts[0]
    return value if isinstance(value, ast.Compare) or _is_unittest(value) else None


def _is_unittest(node: ast.expr) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _UNITTEST
        and len(node.args) >= 2
        and not node.keywords
    )


def _equation(test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    if _is_unittest(test):
        return test.args[0], test.args[1]
    if isinstance(test, ast.Call) and _name(test.func) in _CLOSE and len(test.args) == 2:
        # With a tolerance of its own the stated result may be a rough one.
        return None if test.keywords else (test.args[0], test.args[1])
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    if not isinstance(test.ops[0], ast.Eq | ast.Is):
        return None
    return test.left, test.comparators[0]


_UNITTEST = frozenset(
    f"assert{kind}Equal" for kind in ("", "Almost", "List", "Tuple", "Set", "Dict", "Sequence")
)
_CLOSE = frozenset({"math.isclose", "isclose", "np.isclose", "np.allclose", "numpy.allclose"})


def _name(function: ast.expr) -> str:
    return ast.unparse(function) if isinstance(function, ast.Name | ast.Attribute) else ""


def _example(left: ast.expr, right: ast.expr, entry_point: str) -> Example | None:
    for call, result in ((left, right), (right, left)):
        args = _arguments(call, entry_point)
        if args is None:
            continue
        try:
            return Example(args, plain(_without_approx(result)))
        except ValueError:
            return None
    return None


def _without_approx(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Call) and _name(node.func) in {"pytest.approx", "approx"}:
        return node.args[0] if node.args else node
    return node


def _arguments(call: ast.expr, entry_point: str) -> tuple[Any, ...] | None:
    if not isinstance(call, ast.Call) or call.keywords:
        return None
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        name = function.attr  # Solution().f(1)
    else:
        name = _name(function)
    if name not in {entry_point, "candidate"}:
        return None
    try:
        return tuple(plain(argument) for argument in call.args)
    except ValueError:
        return None


# --- doctests and running text


def _from_doctests(prompt: str, entry_point: str) -> Iterator[Example]:
    text = "\n".join(line.replace("\t", "    ") for line in prompt.split("\n"))
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:  # uneven indentation: the lines are still read one by one
        return
    for example in found:
        tree = parse(example.source)
        if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            continue
        args = _arguments(tree.body[0].value, entry_point)
        expected = leading_literal(example.want)
        if args is not None and expected:
            yield Example(args, expected[0])


def _from_lines(prompt: str, entry_point: str) -> Iterator[Example]:
    for match in re.finditer(rf"(?<![\w.]){re.escape(entry_point)} ?\(", prompt):
        call = _call_at(prompt, match.start())
        if call is None:
            continue
        node, end = call
        args = _arguments(node, entry_point)
        between = _BETWEEN.match(prompt, end)
        if args is None or between is None:
            continue
        expected = leading_literal(prompt[between.end() : between.end() + MAX_CALL])
        if expected:
            yield Example(args, expected[0])


def _call_at(text: str, start: int) -> tuple[ast.expr, int] | None:
    for close in re.finditer(r"\)", text[start : start + MAX_CALL]):
        tree = parse(text[start : start + close.end()])
        if tree is not None and isinstance(tree.body[0], ast.Expr):
            return tree.body[0].value, start + close.end()
    return None


def leading_literal(text: str) -> tuple[Any] | None:
    """Read the literal that *text* begins with: the longest that ends with a line or a mark."""
    lines = text.strip().split("\n")[:MAX_LINES]
    wholes = ["\n".join(lines[:count]) for count in range(len(lines), 0, -1)]
    line = text.split("\n", 1)[0]
    ends = [m.start() for m in re.finditer(r"[.,;:`#(]|\s|$|\bwhen\b|\bsince\b", line)]
    for candidate in (*wholes, *(line[:end] for end in reversed(ends))):
        try:
            return (read_literal(candidate.strip().rstrip("`.,;")),)
        except ValueError:
            continue
    return None
