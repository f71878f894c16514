"""Draw programs from a model: candidates to be judged, and voters."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.code import Extraction, extract
from consilience.models import ChatModel, Reply, Sampling
from consilience.models.prompts import render
from consilience.task import Candidate, Task

# A closing fence on a line of its own ends the program: what a model says afterwards is paid for
# and thrown away. An opening fence never matches, since its language follows on the same line.
STOP = ("\n```\n",)


def sample(
    task: Task, model: ChatModel, *, n: int = 10, sampling: Sampling | None = None, seed: int = 0
) -> tuple[Candidate, ...]:
    """Draw *n* candidates for *task*, one an answer; an answer without a program has empty code."""
    drawn = programs(task, model, n=n, sampling=sampling, seed=seed)
    return tuple(
        Candidate(task.id, found.code, index, f"{model.name}#{index}")
        for index, found in enumerate(drawn)
    )


def programs(
    task: Task, model: ChatModel, *, n: int, sampling: Sampling | None = None, seed: int = 0
) -> list[Extraction]:
    """Draw *n* general programs: written for the task, not for one input."""
    prompt = render("program", task=present(task), entry_point=task.entry_point)
    replies = model.complete(prompt, n=n, sampling=sampling or Sampling(stop=STOP), seed=seed)
    return read(task, replies)


def read(task: Task, replies: Sequence[Reply]) -> list[Extraction]:
    """Take the program for *task* out of each reply."""
    return [
        extract(reply.text, task.entry_point, task.prompt, truncated=reply.truncated)
        for reply in replies
    ]


def present(task: Task) -> str:
    """Show the task as a prompt shows it: code in a fence, prose as it stands."""
    text = task.prompt.strip("\n")
    looks_like_code = f"def {task.entry_point}" in text or text.lstrip().startswith('"""')
    return f"```python\n{text}\n```" if looks_like_code and "```" not in text else text
