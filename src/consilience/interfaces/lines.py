"""Probes as text, and the modules that lines of Python may name without importing them."""

from __future__ import annotations

import re

from consilience.task import Probe, Session, Stdin, Task
from consilience.values import source

# What follows a program (explanations, demonstrations) is paid for and thrown away. An opening
# fence never matches the first, since its language follows on the same line.
STOPS = ("\n```\n", "\nif __name__", "\nprint(", "\nassert ")

IMPORTS = {
    "asyncio": "import asyncio",
    "collections": "import collections",
    "datetime": "import datetime",
    "decimal": "import decimal",
    "itertools": "import itertools",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "Counter": "from collections import Counter",
    "Decimal": "from decimal import Decimal",
    "Fraction": "from fractions import Fraction",
    "OrderedDict": "from collections import OrderedDict",
    "Path": "from pathlib import Path",
    "date": "from datetime import date",
    "defaultdict": "from collections import defaultdict",
    "deque": "from collections import deque",
    "timedelta": "from datetime import timedelta",
}
"""What a doctest names and its reader knows."""
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


def spelled(callee: str, probe: Probe) -> str:
    """Write a probe as a person would; *callee* is what arguments are given to."""
    if isinstance(probe, Session):
        return "\n".join(probe.steps)
    if isinstance(probe, Stdin):
        return probe.text
    return f"{callee}({', '.join(map(source, probe))})"


def imports_for(task: Task) -> str:
    """Return the imports that the task's own sessions, and those like them, rely on."""
    lines = [
        step
        for example in task.examples
        if isinstance(example.probe, Session)
        for step in example.probe.steps
    ]
    if re.search(
        rf"\basync def {re.escape(task.entry_point.rpartition('.')[2])}\b", task.prompt
    ):
        lines.append("asyncio")
    named = {name for line in lines for name in _NAME.findall(line)} & set(IMPORTS)
    lacking = [name for name in sorted(named) if not _binds(task.context, name)]
    return "".join(f"{IMPORTS[name]}\n" for name in lacking)


def _binds(context: str, name: str) -> bool:
    """Tell whether the user's own file says what *name* is."""
    bound = (
        rf"^(?:from|import)\b.*\b{name}\b|^(?:class|def|async def)\s+{name}\b|^{name}\s*[:=]"
    )
    return bool(re.search(bound, context, re.MULTILINE))
