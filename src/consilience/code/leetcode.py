"""Read "Input: nums = [1,2], k = 3 / Output: 0" as calls with their results.

Also the form of class tasks: lists of operations, of their arguments and of their results.
Nothing is evaluated but literals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from consilience.code.examples import leading_literal
from consilience.code.literals import plain
from consilience.code.parsing import parse
from consilience.code.signature import Parameter, Signature, signature
from consilience.task import Example, Session, Wants

_MARK = r"^[ \t>#*_-]*"
_END = r"[*_]*[ \t]*(?::[*_]*|(?=\n))"
_BLOCK = re.compile(
    rf"{_MARK}Input{_END}[ \t]*(?P<input>.*?){_MARK}Output{_END}[ \t]*(?P<output>.*?)"
    rf"(?={_MARK}(?:Explanation|Example|Constraints?|Note|Input|Follow[ -]up)\b|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_MISSING_COMMA = re.compile(r"(?<=[\]\d\"'el])[ \t]*\n?[ \t]+(?=[A-Za-z_]\w*[ ]*=[^=])|\n")
_NODES = {"ListNode": "linked", "TreeNode": "tree"}
_OBJECT = "obj"


def worded_examples(text: str, entry_point: str) -> tuple[Example, ...]:
    """Find the examples that *text* gives of *entry_point*: `f`, `Solution.f` or `Stack`.

    *text* holds the signature too. Arguments come in the order of the signature. Nodes of lists
    and trees are built by `linked` and `tree` (see `leetcode_names`), in a session; so is what
    changes its argument and returns nothing.
    """
    its = signature_of(text, entry_point)
    found = [
        example
        for match in _BLOCK.finditer(text.replace("\r", ""))
        for example in _read(match, its, entry_point)
    ]
    return tuple({repr(example.probe): example for example in found}.values())


def signature_of(text: str, entry_point: str) -> Signature:
    """Read the signature of a function or method, without `self`; empty where there is none."""
    its = signature(text, entry_point.rpartition(".")[2]) or Signature(())
    return Signature(tuple(p for p in its.parameters if p.name != "self"), its.returns)


def stated_call(
    args: tuple[Any, ...], result: Any, its: Signature, entry_point: str
) -> Example:
    """Make plain arguments and result of it, or a session where those are not enough."""
    annotations = [p.annotation or "" for p in its.parameters]
    owner, _, function = entry_point.rpartition(".")
    callee = f"{owner}().{function}" if owner else function
    if its.returns == "None" and result is not None and args:
        return _in_place(args, result, its, callee)
    if not any(name in each for name in _NODES for each in (*annotations, its.returns or "")):
        return Example(args, result)
    sources = [_source(a, annotation) for a, annotation in zip(args, annotations, strict=True)]
    step = f"{callee}({', '.join(sources)})"
    return Example(Session((step,)), Wants((_source(result, its.returns or ""),)))


def _read(match: re.Match[str], its: Signature, entry_point: str) -> Iterator[Example]:
    call = _call(match["input"])
    result = leading_literal(match["output"].strip().strip("`").strip())
    if call is None or not result:
        return
    operations = _operations(call, result[0], entry_point)
    if operations:
        yield operations
        return
    args = _in_order(call, its.parameters)
    if args is not None:
        yield stated_call(args, result[0], its, entry_point)


def _call(text: str) -> ast.Call | None:
    """Read `a = 1, b = 2` as what stands between the brackets of a call."""
    text = text.strip().strip("`").strip()
    # By lines first: two lists below each other parse as one that is indexed.
    for reading in (text.replace("\n", ", "), text, _MISSING_COMMA.sub(", ", text)):
        tree = parse(f"f({reading})")
        node = tree.body[0] if tree and len(tree.body) == 1 else None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return node.value
    return None


def _in_order(call: ast.Call, parameters: Sequence[Parameter]) -> tuple[Any, ...] | None:
    """Give the arguments by name, or as they stand where the names are others."""
    try:
        unnamed = [plain(node) for node in call.args]
        named = {each.arg: plain(each.value) for each in call.keywords if each.arg}
    except ValueError:
        return None
    names = [p.name for p in parameters]
    if not unnamed and set(named) == set(names):
        return tuple(named[name] for name in names)
    given = (*unnamed, *named.values())
    return given if len(given) == len(names) and not set(named) & set(names) else None


def _in_place(args: tuple[Any, ...], result: Any, its: Signature, callee: str) -> Example:
    """State what becomes of the first argument, which the call is to change."""
    names = [p.name for p in its.parameters]
    kinds = [p.annotation or "" for p in its.parameters]
    settings = [
        f"{name} = {_source(a, kind)}" for name, a, kind in zip(names, args, kinds, strict=True)
    ]
    steps = (*settings, f"{callee}({', '.join(names)})", names[0])
    return Example(
        Session(steps), Wants((*([""] * (len(steps) - 1)), _source(result, kinds[0])))
    )


def _source(thing: Any, annotation: str) -> str:
    builder = next((_NODES[name] for name in _NODES if name in annotation), None)
    if builder is None or thing is None:
        return repr(thing)
    if re.match(r"(typing\.)?(List|list)\b", annotation) and isinstance(thing, list):
        return f"[{', '.join(f'{builder}({each!r})' for each in thing)}]"
    return f"{builder}({thing!r})"


def _operations(call: ast.Call, results: Any, entry_point: str) -> Example | None:
    """Read `["Stack", "push"]`, `[[], [3]]`, `[null, null]` as the life of one object."""
    try:
        lists = [plain(node) for node in (*call.args, *(k.value for k in call.keywords))]
    except ValueError:
        return None
    if len(lists) != 2 or not all(isinstance(each, list) for each in (*lists, results)):
        return None
    names, arguments = lists
    if names[:1] != [entry_point] or not len(names) == len(arguments) == len(results):
        return None
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        return None
    written = [
        ", ".join(map(repr, args)) if isinstance(args, list) else "" for args in arguments
    ]
    made = f"{_OBJECT} = {entry_point}({written[0]})"
    steps = [f"{_OBJECT}.{name}({a})" for name, a in zip(names[1:], written[1:], strict=True)]
    wants = ["" if result is None else repr(result) for result in results[1:]]
    return Example(Session((made, *steps)), Wants(("", *wants)))
