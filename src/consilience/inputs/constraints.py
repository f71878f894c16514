"""What a statement says of the numbers in its input: chains such as `1 <= A_i < B_i <= N`.

TeX, plain text and mixtures are read. A name stands for all its indices: `A_i`, `A_{i,j}` and
`A[i]` are `A`; `|S|` and `nums.length` are sizes, written `|S|` and `|nums|`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

Env = Mapping[str, int]
MOST = 10**18
LONGEST_CHAIN = 200
DEEPEST = 2
"""Names through which a bound is followed."""

_SPELLINGS = (
    (r"\\(?:leqslant|leq|le)(?![A-Za-z])|≤|&lt;=|=<", "<="),
    (r"\\(?:geqslant|geq|ge)(?![A-Za-z])|≥|&gt;=", ">="),
    (r"\\lt(?![A-Za-z])|&lt;", "<"),
    (r"\\gt(?![A-Za-z])|&gt;", ">"),
    (r"\\(?:neq|ne)(?![A-Za-z])|≠|!=", "!="),
    (r"\\(?:times|cdot)(?![A-Za-z])|\u00d7|\u00b7", "*"),
    (r"\\(?:mathrm|text|operatorname|mathit)\{([^}]*)\}", r"\1"),
    (r"\\(?:min|max)\b", lambda match: match[0][1:]),
    (r"\\[,;!: ]|\\(?:quad|left|right|displaystyle)\b|\$", " "),
    (r"\\[lc]?dots[cbmio]?(?![a-z])|…", "..."),
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"\s*_\s*", "_"),
    (r"\\implies|\\Rightarrow", ";"),
    (r"\b(\w+)(?:\[\w+\])+\.(?:length|size)\b", r"|\g<1>0|"),
    (r"\b(\w+)\.(?:length|size)\b|\blen\((\w+)\)", lambda m: f"|{m[1] or m[2]}|"),
    (r"\b(\w+)((?:\[\w+\])+)", r"\1_i"),
)
# Where there is such a section, what the prose compares is no constraint.
_SECTION = re.compile(
    r"\bConstraints?\b\W*\n(.*?)(?=\n\W*(?:Sample|Example|Input|Output|Note)\b|```|\Z)",
    re.DOTALL,
)
_NAME = re.compile(r"\|[A-Za-z]\w*\||[A-Za-z]\w*")
_INDEX = re.compile(r"_(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\w+)|(?<=[A-Za-z])'+")
_OPERATOR = re.compile(r"(<=|>=|<|>|!=|==)")
_EDGE = re.compile(r"[^\w\s|+*/^(){}.,'\-]")


@dataclass(frozen=True, slots=True)
class Relation:
    """`left` is smaller than, at most, or not `right`."""

    left: str
    sign: str
    """`<`, `<=` or `!=`."""
    right: str


@dataclass(frozen=True, slots=True)
class Constraints:
    """The relations of a statement."""

    relations: tuple[Relation, ...]

    def low(self, name: str, env: Env) -> int | None:
        """Return the least value that *name* may have beside those in *env*, where one is."""
        return self._bound(name, env, DEEPEST, upper=False)

    def high(self, name: str, env: Env) -> int | None:
        """Return the largest value that *name* may have beside those in *env*."""
        return self._bound(name, env, DEEPEST, upper=True)

    def _bound(self, name: str, env: Env, depth: int, *, upper: bool) -> int | None:
        """Bound *name* by what its relations say; unknown names by what theirs say."""
        found: list[int] = []
        for each in self.relations:
            mine, other = (each.left, each.right) if upper else (each.right, each.left)
            if mine != name or each.sign == "!=":
                continue
            value = evaluate(other, env)
            if value is None and depth and _NAME.fullmatch(other):
                value = self._bound(other, env, depth - 1, upper=upper)
            if value is not None:
                found.append(
                    value - (each.sign == "<") if upper else value + (each.sign == "<")
                )
        return min(found, default=None) if upper else max(found, default=None)

    def hold(self, env: Env) -> bool:
        """Tell whether no relation is broken whose both sides are known."""
        for each in self.relations:
            left, right = evaluate(each.left, env), evaluate(each.right, env)
            if left is not None and right is not None and not _holds(left, each.sign, right):
                return False
        return True


@lru_cache(maxsize=256)
def constraints(statement: str) -> Constraints:
    """Read every chain of comparisons in *statement*."""
    section = _SECTION.search(statement)
    text = section[1] if section and re.search(r"<|\\l|≤", section[1]) else statement
    found = [relation for line in _lines(plain(text)) for relation in _relations_of(line)]
    said = [one for one in found if re.search("[A-Za-z]", one.left + one.right)]
    return Constraints(tuple(dict.fromkeys(said)))


def plain(statement: str) -> str:
    """Write TeX as plain text."""
    for pattern, spelling in _SPELLINGS:
        statement = re.sub(pattern, spelling, statement)
    return statement


def base_name(symbol: str) -> str:
    """Leave the index of a name out: `A_{i,j}` is `A`."""
    return _INDEX.sub("", symbol.replace("{,}", "")).strip("{} ")


def evaluate(expression: str, env: Env) -> int | None:
    """Compute a small expression over integers; None where it is none, or a name is unknown."""
    if expression in env:
        return env[expression]
    tree = _parsed(expression)
    if tree is None:
        return None
    try:
        value = _value(tree, env)
    except (ValueError, KeyError, RecursionError, ArithmeticError, TypeError):
        return None
    return value if abs(value) <= MOST * 10 else None


@lru_cache(maxsize=4096)
def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(_as_python(expression), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        stripped = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line)
        # What stands in brackets is a remark of its own.
        yield from re.findall(r"\(([^()]*(?:<=|<)[^()]*)\)", stripped)
        yield re.sub(r"\([^()]*(?:<=|<)[^()]*\)", " ", stripped)


def _relations_of(line: str) -> Iterator[Relation]:
    parts = _OPERATOR.split(line[:LONGEST_CHAIN])
    sides, signs = parts[::2], parts[1::2]
    for place, sign in enumerate(signs):
        lefts = _names_at_end(sides[place], inner=place > 0)
        rights = _names_at_start(sides[place + 1], inner=place + 1 < len(signs))
        for left, right in product(lefts, rights):
            yield _relation(left, sign, right)
            if sign == "==":
                yield Relation(right, "<=", left)


def _relation(left: str, sign: str, right: str) -> Relation:
    if sign == "==":
        return Relation(left, "<=", right)
    if sign in {">", ">="}:
        return Relation(right, sign.replace(">", "<"), left)
    return Relation(left, sign, right)


def _names_at_end(side: str, *, inner: bool) -> list[str]:
    """Return the operands just before a sign; one that stands between two signs is a list."""
    if inner:
        return _operands(side)
    words = re.split(r"[:;]|\bthat\b|\band\b|\bif\b|\bwhere\b|,\s+(?=[-\d])", side)
    return _operands(_EDGE.split(words[-1])[-1], last=True)


def _names_at_start(side: str, *, inner: bool) -> list[str]:
    if inner:
        return _operands(side)
    return _operands(re.split(r"[;:]|,\s|\.\s|\.$|\band\b|\bfor\b|\bif\b", side)[0])


def _operands(text: str, *, last: bool = False) -> list[str]:
    found = [_operand(part) for part in re.split(r",(?![^{(]*[})])", text)]
    if last and found and " " in found[-1]:
        found = [_operand(found[-1].rsplit(" ", maxsplit=1)[-1])]
    return [each for each in found if each]


def _operand(text: str) -> str:
    return re.sub(r"\s+", " ", _INDEX.sub("", text)).strip(" .")


def _as_python(expression: str) -> str:
    text = expression.replace("{", "(").replace("}", ")").replace("^", "**")
    text = re.sub(r"\|(\w+)\|", r"size_\1", text)
    text = re.sub(r"(?<=\d)\s*(?=[A-Za-z(])", "*", text)
    return text.strip()


def _value(node: ast.expr, env: Env) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return env[node.id.replace("size_", "|") + "|" * node.id.startswith("size_")]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, env)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        chosen = {"min": min, "max": max}[node.func.id]
        return int(chosen(_value(each, env) for each in node.args))
    if isinstance(node, ast.BinOp):
        return _computed(node.op, _value(node.left, env), _value(node.right, env))
    raise ValueError("no small expression")


def _computed(operator: ast.operator, left: int, right: int) -> int:
    if isinstance(operator, ast.Pow):
        if not 0 <= right <= 60 or abs(left) > 10**9:
            raise ValueError("too large")
        return int(left**right)
    simple = {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}
    if type(operator) in simple:
        return simple[type(operator)]
    if isinstance(operator, ast.Div | ast.FloorDiv):
        return left // right
    raise ValueError("no small expression")


def _holds(left: int, sign: str, right: int) -> bool:
    return {"<": left < right, "<=": left <= right, "!=": left != right}[sign]
