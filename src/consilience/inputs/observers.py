"""What shows the state of an object, and how a session ends with something to see."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from consilience.inputs import steps as stepping
from consilience.inputs.steps import Steps


@dataclass(frozen=True, slots=True)
class Observers:
    """Expressions that show an object, by what built it; `_` stands for the object."""

    known: dict[str, dict[str, None]] = field(default_factory=dict)

    def learn(self, steps: Steps) -> None:
        """Learn from a session: what is read of an object, and calls without arguments."""
        owned = {
            stepping.read(step).name: stepping.read(step).built
            for step in steps
            if stepping.read(step).built
        }
        for text in steps:
            node = stepping.read(text).node
            expression = node.value if isinstance(node, ast.Expr) else None
            owner = _owner(expression)
            if owner in owned and _shows(expression):
                written = stepping.renamed(text, {owner: "_"})
                self.known.setdefault(owned[owner], {})[written] = None

    def add(self, built: str, attributes: Iterable[str]) -> None:
        """Know public attributes of a class."""
        self.known.setdefault(built, {}).update({f"_.{name}": None for name in attributes})

    def draw(self, steps: Steps, rng: random.Random) -> str:
        """Draw one for an object of *steps*; empty where none is known."""
        owned = [
            stepping.read(step) for step in steps if stepping.read(step).built in self.known
        ]
        if not owned:
            return ""
        owner = rng.choice(owned)
        choices = list(self.known[owner.built])
        return stepping.renamed(rng.choice(choices), {"_": owner.name}) if choices else ""


def _owner(node: ast.expr | None) -> str:
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _shows(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Call):
        return not node.args and not node.keywords
    return isinstance(node, ast.Attribute | ast.Subscript)


def shown(steps: Steps, observers: Observers, rng: random.Random) -> Steps:
    """Let the session end with something to see, and look at its objects now and then."""
    last = stepping.read(steps[-1])
    if last.name and not last.built:
        steps = (*steps, last.name)
    elif isinstance(last.node, ast.Expr) and isinstance(last.node.value, ast.Call):
        plain = [name for name in _given(last.node.value) if _is_data(name, steps)]
        steps = (*steps, *plain)
    seen = observers.draw(steps, rng)
    if seen and seen != steps[-1] and rng.random() < 0.7:
        steps = (*steps, seen)
    middle = observers.draw(steps, rng)
    if middle and len(steps) > 2 and rng.random() < 0.4:
        place = rng.randint(1, len(steps) - 1)
        steps = (*steps[:place], middle, *steps[place:])
    return steps


def _given(call: ast.Call) -> list[str]:
    """Return the names that a call is given: it may change what they hold."""
    return [each.id for each in call.args if isinstance(each, ast.Name)]


def _is_data(name: str, steps: Steps) -> bool:
    makers = [stepping.read(step) for step in steps if stepping.read(step).name == name]
    return bool(makers) and not makers[-1].built
