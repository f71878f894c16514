"""Read the lines behind `>>>` as steps with what is stated of each, mended where sloppy.

Mended: prompts without a blank, `>>>` for `...`, lines that go on without either, an answer on
the line of the call, behind an assignment, or written as one (`self.size = 2`).
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consilience.code.literals import read_literal
from consilience.code.parsing import attempt, is_incomplete, parse
from consilience.code.statements import Statement, divide

MAX_LINES = 60
"""Lines of one step."""

_PROMPT = re.compile(r"^(?P<indent>[ \t]*)>>>(?P<blank>[ \t]?)(?P<code>.*)$")
_DOTS = re.compile(r"^[ \t]*\.\.\.(?:[ \t](?P<code>.*)|[ \t]*)$")
_BOUNDARY = re.compile(
    r"\"\"\"|'''|^[ \t]*(?:```|~~~)|^[ \t]*(?:class|def|async def|@)\b", re.MULTILINE
)
_FIELD = re.compile(
    r"^\s*(?::\w+\b.*:|(?:Args|Arguments|Returns?|Raises|Notes?|Examples?|Parameters)\s*:?\s*$)"
)
_SAME_LINE = re.compile(r"^(?P<code>.+?)(?:\s+(?:->|=>|→|➞|⇒)|\s*#)\s*(?P<want>.+)$")
_LEAD = re.compile(r"^(?:=+>?|->|→|returns?:?|outputs?:?|prints?:?|gives:?)\s*", re.IGNORECASE)
_EQUATION = re.compile(r"^(?P<left>[A-Za-z_(][^=<>!]*?)\s*=\s*(?P<right>[^=].*)$", re.DOTALL)
_NEXT_EQUATION = re.compile(
    r"\n(?=[A-Za-z_(][\w.(), \[\]'\"]*\s=\s)|[ \t]+(?=[A-Za-z_][\w.]*\s=\s)"
)
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


@dataclass(frozen=True, slots=True)
class Step:
    """One statement, and what is stated of it: empty for nothing."""

    statement: Statement
    want: str = ""

    @property
    def source(self) -> str:
        """The text of the statement."""
        return self.statement.source

    @property
    def is_expression(self) -> bool:
        """Tell whether a prompt would echo its value."""
        return isinstance(self.statement.node, ast.Expr)


def blocks(text: str) -> list[list[Step]]:
    """Read the steps of *text*, those of each docstring or fence apart.

    A block ends before a step that does not parse, since what follows may rest on it.
    """
    found = [_steps(lines) for lines in _divided(text)]
    return [steps for steps in found if steps]


def _divided(text: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in text.replace("\r", "").expandtabs(4).split("\n"):
        prompted = _PROMPT.match(line)
        if _BOUNDARY.search(line) and not (prompted and not _ends_docstring(line)):
            head = re.split(r"\"\"\"|'''", line)
            yield [*block, head[0]] if prompted else block
            block = [head[-1]] if len(head) > 1 else []
        else:
            block.append(line)
    yield block


def _ends_docstring(line: str) -> bool:
    return len(re.findall(r"\"\"\"", line)) == 1


def _steps(lines: Sequence[str]) -> list[Step]:
    """Read step after step; *lines* are those of one block."""
    i, done = 0, list[Step]()
    while i < len(lines):
        prompt = _PROMPT.match(lines[i])
        if prompt is None:
            i += 1
            continue
        source, i = _source(lines, i)
        want, i = _want(lines, i, len(prompt["indent"]))
        statements, beside = _parsed(source)
        if statements is None:
            break
        if statements and _is_answer(statements[-1], done):
            done[-1] = Step(done[-1].statement, statements[-1].source)
            continue
        more = any(_PROMPT.match(line) for line in lines[i:])
        done += _mended(statements, _checkable(want) or beside, done, more=more)
    return done


def _source(lines: Sequence[str], start: int) -> tuple[str, int]:
    """Take the lines of a step: those with dots, then as many as a bracket stays open."""
    code = [_code(lines[start])]
    end = start + 1
    while end < len(lines) and (dots := _DOTS.match(lines[end])):
        code.append(dots["code"] or "")
        end += 1
    for stop in range(end, min(len(lines), start + MAX_LINES)):
        message = attempt("\n".join(code))
        if not isinstance(message, str) or not is_incomplete(message):
            return "\n".join(code), stop
        code.append(_code(lines[stop]))
        end = stop + 1
    return "\n".join(code), end


def _code(line: str) -> str:
    prompt = _PROMPT.match(line)
    return prompt["code"].rstrip() if prompt else line.rstrip()


def _want(lines: Sequence[str], start: int, indent: int) -> tuple[str, int]:
    end = start
    while end < len(lines) and lines[end].strip() and not _PROMPT.match(lines[end]):
        shallow = len(lines[end]) - len(lines[end].lstrip()) < indent
        if _FIELD.match(lines[end]) or (shallow and end > start):
            break
        end += 1
    text = textwrap.dedent("\n".join(lines[start:end])).rstrip()
    return re.sub(r"^<BLANKLINE>[ ]*$", "", text, flags=re.MULTILINE), end


def _parsed(source: str) -> tuple[list[Statement] | None, str]:
    """Give the statements of a step, and what is stated on its own line."""
    source = source.strip()
    tree = parse(source)
    same = _SAME_LINE.match(source)
    beside = _LEAD.sub("", same["want"].strip()) if same else ""
    if tree is None and same:
        source, tree = same["code"], parse(same["code"])
    if tree is None:
        return None, ""
    return divide(source, tree), beside if _is_literal(beside) else ""


# --- what is stated


def _mended(
    statements: Sequence[Statement], want: str, done: Sequence[Step], *, more: bool
) -> Iterator[Step]:
    """Give the steps of one prompt; *more* prompts may follow those that are *done*."""
    for statement in statements[:-1]:
        yield Step(statement)
    for last in statements[-1:]:
        equal = isinstance(last.node, ast.Expr) and _is_equality(last.node.value)
        yield from _with_want(last, want or ("True" if equal else ""), done, more=more)


def _is_equality(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Call)
        and isinstance(node.ops[0], ast.Eq)
    )


def _is_answer(statement: Statement, done: Sequence[Step]) -> bool:
    """Tell an answer that got a prompt of its own: a dict below a call without an answer."""
    if not done or done[-1].want or not done[-1].is_expression:
        return False
    node = statement.node
    return isinstance(node, ast.Expr) and isinstance(
        node.value, ast.Dict | ast.List | ast.Tuple
    )


def _checkable(want: str) -> str:
    """Leave out what no program can be held to: addresses, and texts with a gap."""
    if want.lstrip().startswith("Traceback (most recent call last):"):
        return want
    return "" if _ADDRESS.search(want) or ("..." in want and not _is_literal(want)) else want


def _with_want(
    statement: Statement, want: str, done: Sequence[Step], *, more: bool
) -> Iterator[Step]:
    variables = {name for step in done for name in step.statement.defines}
    variables |= statement.defines | {_receiver(statement)}
    equations = _equations(statement, want, variables)
    if equations:
        value = want[: want.index(equations[0][2])].strip()
        yield from _plain(statement, value)
        as_steps = more and isinstance(statement.node, ast.Assign)
        for left, right, _ in equations:
            text = f"{left} = {right}" if as_steps else left
            tree = parse(text)
            if tree is not None:
                yield Step(divide(text, tree)[0], "" if as_steps else right)
        return
    yield from _plain(statement, want)


def _plain(statement: Statement, want: str) -> Iterator[Step]:
    """Have an answer behind `x = f()` mean the value of x, unless it is printed or raised."""
    node = statement.node
    target = (
        node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    )
    if target is None or not _is_value(want):
        yield Step(statement, want)
        return
    yield Step(statement)
    text = ast.unparse(target)
    yield Step(Statement(parse_one(text), text), want)


def _is_value(text: str) -> bool:
    """Tell what an echo shows, such as `Decimal('1.5')`, from a text that was printed."""
    tree = parse(text.strip()) if text else None
    node = tree.body[0] if tree and len(tree.body) == 1 else None
    return _is_literal(text) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )


def parse_one(text: str) -> ast.stmt:
    """Parse the one statement that *text* is."""
    return ast.parse(text).body[0]


def _equations(
    statement: Statement, want: str, variables: set[str]
) -> list[tuple[str, str, str]]:
    """Read `self.size = 2` below a call as what then holds: left, right, and as it stands.

    `self` is the object whose method was called. Only of names that the steps have given.
    """
    receiver = _receiver(statement)
    found = []
    for part in _NEXT_EQUATION.split(want):
        match = _EQUATION.match(part.strip())
        if match is None:
            continue
        left = re.sub(r"\bself\b", receiver, match["left"]) if receiver else match["left"]
        tree = parse(left.strip())
        known = tree and {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & variables
        if known and _is_literal(match["right"]):
            found.append((left.strip(), match["right"].strip(), part))
    return found


def _receiver(statement: Statement) -> str:
    node = statement.node
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    call = node.value if isinstance(node, ast.Expr) else None
    owner = call.func if isinstance(call, ast.Call) else None
    if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name):
        return owner.value.id
    return ""


def _is_literal(text: str) -> bool:
    try:
        read_literal(text.strip())
    except ValueError:
        return False
    return True
