"""Change the steps of sessions: drop, double, swap, splice, echo; never use what is not made.

Every function takes and gives tuples of steps; the caller says what is sound.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from consilience.code.parsing import parse

Steps = tuple[str, ...]

MAX_STEPS = 12
MAX_TEXT = 2_000
"""Characters of a whole session."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step, as far as names go."""

    node: ast.stmt | None
    """None where it does not parse or holds several statements."""
    uses: frozenset[str] = frozenset()
    makes: frozenset[str] = frozenset()
    built: str = ""
    """What is called where it is `name = Class(...)`."""

    @property
    def name(self) -> str:
        """The one name that it assigns, or none."""
        node = self.node
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
        return ""


@lru_cache(maxsize=16384)
def read(text: str) -> Step:
    """Read one step."""
    module = parse(text)
    if module is None or len(module.body) != 1:
        return Step(None)
    node = module.body[0]
    inner = {
        name.id
        for each in ast.walk(node)
        if isinstance(each, ast.comprehension)
        for name in ast.walk(each.target)
        if isinstance(name, ast.Name)
    } | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    makes = {n.id for n in names if isinstance(n.ctx, ast.Store)} - inner | _bound(node)
    uses = {n.id for n in names if not isinstance(n.ctx, ast.Store)} - inner
    if isinstance(node, ast.AugAssign):
        uses |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    return Step(node, frozenset(uses), frozenset(makes), _built(node))


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return set()


def _built(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
            name = ast.unparse(call.func)
            return name if name.split(".")[-1][:1].isupper() else ""
    return ""


def variables(pool: Iterable[Steps]) -> frozenset[str]:
    """Return every name that some session makes."""
    return frozenset(name for steps in pool for step in steps for name in read(step).makes)


def undefined(steps: Steps, names: frozenset[str]) -> frozenset[str]:
    """Return those of *names* that are used before they are made."""
    made: set[str] = set()
    missing: set[str] = set()
    for text in steps:
        step = read(text)
        missing |= (step.uses & names) - made
        made |= step.makes
    return frozenset(missing)


def sound(steps: Steps, names: frozenset[str]) -> bool:
    """Tell whether a session parses, is short, and makes its variables before it uses them."""
    return (
        0 < len(steps) <= MAX_STEPS
        and sum(map(len, steps)) <= MAX_TEXT
        and all(read(step).node is not None for step in steps)
        and not undefined(steps, names)
    )


def mend(steps: Steps, pool: Sequence[Steps], names: frozenset[str]) -> Steps:
    """Put in front what other sessions make and this one uses: docstrings share their setup."""
    for name in sorted(undefined(steps, names)):
        makers = (
            step
            for other in pool
            for step in other
            if read(step).name == name and not read(step).uses & names
        )
        maker = next(makers, None)
        steps = steps if maker is None else (maker, *steps)
    return steps


def dropped(steps: Steps, rng: random.Random) -> Steps:
    """Leave out one step."""
    place = rng.randrange(len(steps))
    return steps[:place] + steps[place + 1 :]


def doubled(steps: Steps, rng: random.Random) -> Steps:
    """Take one step that makes nothing once more, now or later."""
    places = [i for i, step in enumerate(steps) if not read(step).makes]
    if not places:
        return steps
    place = rng.choice(places)
    at = rng.randint(place + 1, len(steps))
    return (*steps[:at], steps[place], *steps[at:])


def swapped(steps: Steps, rng: random.Random) -> Steps:
    """Move one step to another place."""
    rest = list(steps)
    moved = rest.pop(rng.randrange(len(rest)))
    rest.insert(rng.randint(0, len(rest)), moved)
    return tuple(rest)


def spliced(left: Steps, right: Steps, rng: random.Random) -> Steps:
    """Run the steps of *right* on the objects of *left*, one among the other."""
    owned = {read(step).built: read(step).name for step in reversed(left) if read(step).built}
    if not any(read(step).built in owned for step in right):
        return left  # two calls of a function one after the other show no more than each
    taken = {name for step in left for name in read(step).makes}
    names: dict[str, str] = {}
    rest: list[str] = []
    for text in right:
        step = read(text)
        if step.built in owned and step.name not in names:
            names[step.name] = owned[step.built]
            continue
        names.update({each: _fresh(each, taken) for each in sorted(step.makes - set(names))})
        rest.append(text)
    start = next((i for i, step in enumerate(left) if read(step).built), -1) + 1
    return left[:start] + _merged(left[start:], [renamed(text, names) for text in rest], rng)


def _fresh(name: str, taken: set[str]) -> str:
    made = name
    count = 2
    while made in taken:
        made, count = f"{name}{count}", count + 1
    taken.add(made)
    return made


def _merged(left: Sequence[str], right: Sequence[str], rng: random.Random) -> Steps:
    turns = [True] * len(left) + [False] * len(right)
    if rng.random() < 0.5:
        rng.shuffle(turns)
    sides = {True: iter(left), False: iter(right)}
    return tuple(next(sides[turn]) for turn in turns)


def renamed(text: str, names: dict[str, str]) -> str:
    """Write a step with other variables."""
    node = read(text).node
    if node is None or all(name == other for name, other in names.items()):
        return text
    return ast.unparse(_Renamer(names).visit(ast.parse(text)))


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def rearranged(text: str, rng: random.Random) -> str:
    """Drop, double or swap elements of one list that holds calls."""
    module = parse(text)
    nodes = [] if module is None else [node for node in ast.walk(module) if _holds_calls(node)]
    if not nodes or module is None:
        return text
    items = getattr(rng.choice(nodes), "elts")  # noqa: B009 - a list, tuple or set has them
    place, other = rng.randrange(len(items)), rng.randrange(len(items))
    chance = rng.random()
    if chance < 0.4:
        items.insert(other, items[place])
    elif chance < 0.7:
        del items[place]
    else:
        items[place], items[other] = items[other], items[place]
    return ast.unparse(module)


def _holds_calls(node: ast.AST) -> bool:
    return isinstance(node, ast.List | ast.Set) and any(
        isinstance(item, ast.Call | ast.Attribute | ast.Name | ast.Dict) for item in node.elts
    )
