"""A model server for rehearsals: it answers from a pool of recorded samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consilience.bench.chat_server import ChatServer
from consilience.sampling import probe_text
from consilience.store import digest
from consilience.task import Candidate, Task

ASSERTS = 8
"""Inputs in an answer to a prompt for inputs."""


def pool_server(
    tasks: Sequence[Task], pool: Mapping[str, Sequence[Candidate]], *, pause: float = 0.2
) -> ChatServer:
    """Serve programs of *pool* for *tasks*; a request takes *pause* seconds."""
    named = {task.entry_point: task for task in tasks}

    def say(prompt: str, seed: int) -> str:
        task = named[max((name for name in named if f"def {name}(" in prompt), key=len)]
        draw = int(digest(prompt, str(seed))[:12], 16)
        if "`assert` statements" in prompt:
            return _asserts(task, draw)
        programs = pool[task.id]
        return f"```python\n{programs[draw % len(programs)].code}\n```"

    return ChatServer(say, seconds=pause)


def _asserts(task: Task, draw: int) -> str:
    inputs = task.reference.inputs if task.reference else ()
    few = [inputs[(draw + step * 7) % len(inputs)] for step in range(ASSERTS)]
    return "\n".join(f"assert {probe_text(task, args)} == 0" for args in few)
