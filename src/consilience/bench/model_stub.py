"""Tasks that cost nothing, and a model for them: to load a service, to see what it pays for.

Tasks are to add a number; two samples of three are right, so voters disagree and every input is
asked about by itself.
"""

from __future__ import annotations

import re

from consilience.bench.chat_server import ChatServer

INPUTS = 8
_NUMBER = re.compile(r"def add_(\d+)\(")


def adding(seconds: float = 0.05) -> ChatServer:
    """Serve the model; a request takes *seconds*."""
    return ChatServer(say, seconds=seconds, tokens=(60, 20), keeps=True)


def task(number: int) -> dict[str, str]:
    """Write the task to add *number*, as an order has it."""
    return {"prompt": f'def add_{number}(n: int) -> int:\n    """Return n plus {number}."""\n'}


def program(number: int, added: int) -> str:
    """Write a program for the task *number* that adds *added*."""
    return f"def add_{number}(n):\n    return n + {added}\n"


def say(prompt: str, seed: int) -> str:
    """Answer with inputs where asserts are asked for, else with a program."""
    found = _NUMBER.search(prompt)
    number = int(found[1]) if found else 0
    if "assert" in prompt:
        lines = [f"assert add_{number}({n}) == {n + number}" for n in range(INPUTS)]
        return "\n".join(lines)
    wrong = "Only this call" not in prompt and seed % 3 == 0
    return f"```python\n{program(number, number + wrong)}```"
