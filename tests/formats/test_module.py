"""A task in a module of one's own: the target is found, and the rest stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import InputError
from consilience.formats import load_candidates, load_tasks
from consilience.task import Task

ORDERS = '''"""Orders."""
from __future__ import annotations
from dataclasses import dataclass

RATE = 0.5

@dataclass
class Order:
    """One line of a bill."""
    count: int
    price: float

def tax(amount):
    """Return what is added to *amount*."""
    return amount * RATE

def total(orders: list[Order]) -> float:
    """Sum the orders, tax included.

    >>> total([Order(2, 5.0)])
    15.0
    """

def bill(orders):
    return f"{total(orders):.2f}"

TABLE = {"total": total}
FIRST = TABLE["total"]

if __name__ == "__main__":
    print(total([]))
'''
CART = '''import functools

class Cart:
    """A cart."""
    def __init__(self, owner):
        """Empty."""
        self.items = []
    def total(self):
        """Sum."""

def other(x):
    return 1
'''
BODY = "amount = sum(o.count * o.price for o in orders)\nreturn amount + tax(amount)\n"


def test_the_rest_of_the_file_stands_around_the_target_but_for_what_would_run_it(
    tmp_path: Path,
) -> None:
    task = read(tmp_path, ORDERS)
    assert (task.entry_point, task.shape) == ("total", "function")
    assert task.context.startswith("from __future__ import annotations\n")
    for kept in ("class Order", "def tax", "def bill", "RATE"):
        assert kept in task.context
    for left_out in ("def total", "__main__", "TABLE", "FIRST", '"""Orders."""'):
        assert left_out not in task.context


@pytest.mark.parametrize(
    "text",
    [
        f"def total(orders):\n    {BODY.replace(chr(10), chr(10) + '    ').rstrip()}\n",
        BODY,
        "    " + BODY.replace("\n", "\n    ").rstrip() + "\n",
        ORDERS.replace('    15.0\n    """\n', '    15.0\n    """\n    return tax(0)\n'),
        "Here it is:\n```python\ndef total(orders):\n    return 1\n```\nDone.",
    ],
    ids=["definition", "body", "indented body", "module", "reply"],
)
def test_a_candidate_may_be_definition_body_module_or_reply(tmp_path: Path, text: str) -> None:
    task = read(tmp_path, ORDERS)
    (tmp_path / "0.py").write_text(text)
    [candidate] = load_candidates([tmp_path / "0.py"], [task])[task.id]
    assert "def total(orders" in candidate.code
    assert "return" in candidate.code
    if text.startswith(("def", '"""')):
        assert candidate.code == text


@pytest.mark.parametrize(
    ("text", "named", "entry_point", "shape"),
    [
        (CART, None, "Cart", "class"),
        (CART, "Cart.total", "Cart", "class"),
        (CART.replace("self, owner", "self"), "Cart.total", "Cart.total", "method"),
        (CART, "other", "other", "function"),
        ("class Solution:\n def f(self, x):\n  'Say x.'\n", None, "Solution.f", "method"),
        ("def deco(f): return f\n@deco\nasync def g(x):\n 'G.'\n", None, "g", "function"),
    ],
)
def test_the_target_is_what_is_named_or_the_only_documented_stub(
    tmp_path: Path, text: str, named: str | None, entry_point: str, shape: str
) -> None:
    task = read(tmp_path, text, named)
    assert (task.entry_point, task.shape) == (entry_point, shape)


def test_a_prompt_of_a_class_shows_no_bodies(tmp_path: Path) -> None:
    text = CART.replace('"""Sum."""', '"""Sum."""\n        return sum(self.items)')
    prompt = read(tmp_path, text.replace("self.items = []", "self.items = list(owner)")).prompt
    assert "Sum." in prompt
    assert "sum(self.items)" not in prompt
    assert "list(owner)" not in prompt


def test_overloads_of_the_target_are_no_context(tmp_path: Path) -> None:
    text = (
        "from typing import overload\n@overload\ndef f(x: int) -> int: ...\n"
        "def f(x):\n    'F.'\ndef g(x):\n    return f(x)\n"
    )
    context = read(tmp_path, text).context
    assert "def f" not in context
    assert "def g" in context


@pytest.mark.parametrize(
    ("text", "named", "told"),
    [
        ("def f(:\n", None, "does not parse"),
        ("class Order:\n    'Data.'\n    count: int\n", "Order", "class Order has no methods"),
        (CART, "Cart.nope", "class Cart has no method nope"),
        (CART, "nope", "nothing called nope"),
        ("x = 1\n", None, "no function or class with a docstring"),
    ],
)
def test_what_cannot_be_a_task_is_told_in_a_sentence(
    tmp_path: Path, text: str, named: str | None, told: str
) -> None:
    with pytest.raises(InputError, match=told) as caught:
        read(tmp_path, text, named)
    assert caught.value.hint


def read(folder: Path, text: str, named: str | None = None) -> Task:
    path = folder / "task.py"
    path.write_text(text)
    [task] = load_tasks(path, entry_point=named)
    return task
