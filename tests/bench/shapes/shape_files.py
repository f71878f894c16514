"""Tasks of the four shapes, of our own invention, as the files that `bench shapes` reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from textwrap import dedent

SCRIPT = {
    "task_id": "own/pairs",
    "prompt": dedent(
        """
        You are given $N$ numbers. Print how many of them are even.

        Sample Input 1

        3
        1 2 4

        Sample Output 1

        2
        """
    ),
    "starter_code": "",
    "difficulty": "easy",
}
METHOD = {
    "task_id": "own/peak",
    "prompt": "Return the largest number.\n\nExample 1:\n\nInput: nums = [1,3]\nOutput: 3\n",
    "starter_code": "class Solution:\n    def peak(self, nums: List[int]) -> int:\n        ",
    "difficulty": "hard",
}
FUNCTION = {
    "task_id": "own/double",
    "prompt": 'def double(n: int):\n    """Double n.\n\n    >>> double(2)\n    4\n    """\n',
    "entry_point": "double",
}
CLASS = {
    "task_id": "own/till",
    "class_name": "Till",
    "prompt": dedent(
        '''
        import json

        class Till:
            """A till that keeps its coins in a file."""

            def __init__(self, name):
                """Open the till that is kept in *name*."""

            def add(self, coin):
                """Add a coin and give the sum.

                >>> till = Till("till.json")
                >>> till.add(2)
                2
                """
        '''
    ),
    "reference": dedent(
        """
        class Till:
            def __init__(self, name):
                self.name, self.coins = name, []

            def add(self, coin):
                self.coins.append(coin)
                with open(self.name, "w") as file:
                    json.dump(self.coins, file)
                return sum(self.coins)
        """
    ),
    "test": dedent(
        """
        import os
        import unittest

        class TillAdds(unittest.TestCase):
            def test_sum(self):
                till = Till("till.json")
                till.add(2)
                self.assertEqual(till.add(3), 5)

        class TillKeeps(unittest.TestCase):
            def test_file(self):
                Till("kept.json").add(7)
                self.assertTrue(os.path.exists("kept.json"))
        """
    ),
    "test_classes": ["TillAdds", "TillKeeps"],
}
FORGETS = (
    "class Till:\n    def __init__(self, name): pass\n    def add(self, coin): return coin\n"
)
PROGRAMS = {
    "own/pairs": [
        ("input()\nprint(sum(int(n) % 2 == 0 for n in input().split()))\n", True),
        ("_ = input()\nprint(len([n for n in input().split() if int(n) % 2 == 0]))\n", True),
        ("input()\nprint(sum(int(n) % 2 for n in input().split()))\n", False),
        ("print(2)\n", False),
    ],
    "own/peak": [
        ("class Solution:\n    def peak(self, nums):\n        return max(nums)\n", True),
        ("class Solution:\n    def peak(self, nums):\n        return nums[-1]\n", False),
        ("class Solution:\n    def peak(self, nums):\n        return sorted(nums)[-1]\n", True),
    ],
    "own/double": [
        ("def double(n):\n    return 2 * n\n", True),
        ("def double(n):\n    return n + n\n", True),
        ("def double(n):\n    return n * n\n", False),
    ],
}
TASKS = [SCRIPT, METHOD, FUNCTION]


def write(folder: Path, tasks: list[dict], samples: list[dict]) -> tuple[Path, Path]:
    """Write a file of tasks and one of samples, compressed."""
    found = folder / "own_tasks.jsonl.gz", folder / "own_samples.jsonl.gz"
    for path, rows in zip(found, (tasks, samples), strict=True):
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
    return found


def stated() -> list[dict]:
    """Give samples whose file says which are right."""
    return [
        {"task_id": name, "solution": code, "model": "own", "right": right}
        for name, programs in PROGRAMS.items()
        for code, right in programs
    ]


def replies() -> list[dict]:
    """Give replies with a class in them, right, wrong and broken, whose file says nothing."""
    texts = [
        CLASS["reference"],
        FORGETS,
        "class Till:\n    def __init__(self",
        CLASS["reference"],
    ]
    return [
        {"task_id": "own/till", "reply": f"Sure:\n```python\n{text}\n```", "model": "own",
         "sample": n}
        for n, text in enumerate(texts)
    ]  # fmt: skip
