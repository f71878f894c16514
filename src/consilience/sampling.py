"""Draw programs from a model: candidates to be judged, and voters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from consilience.code import Extraction
from consilience.interfaces.registry import interface
from consilience.models import ChatModel, Reply, Sampling
from consilience.models.prompts import render
from consilience.settings import Settings
from consilience.task import Candidate, Probe, Task

Workflow = Literal["coder", "analyst"]
"""*coder*: the model writes programs from the task alone. *analyst*: it first writes an account
of the task's data and control flow, once, which every program is then written from."""
ACCOUNT_TOKENS = 200


def sample(
    task: Task,
    model: ChatModel,
    *,
    n: int = 10,
    sampling: Sampling | None = None,
    seed: int = 0,
    workflow: Workflow = "coder",
) -> tuple[Candidate, ...]:
    """Draw *n* candidates for *task*, one an answer; without a program the code is empty."""
    given = ""
    if workflow == "analyst":
        given = account(task, model, sampling=sampling, seed=seed)
    drawn = programs(task, model, n=n, sampling=sampling, seed=seed, given=given)
    return tuple(
        Candidate(task.id, found.code, index, f"{model.name}#{index}")
        for index, found in enumerate(drawn)
    )


def account(
    task: Task, model: ChatModel, *, sampling: Sampling | None = None, seed: int = 0
) -> str:
    """Let the analyst describe inputs, data, control flow, output and edge cases; no code.

    The signature is shown as prose and an opening fence ends the account: shown code, a small
    coder answers with code.
    """
    words = present(task).replace("```python\n", "").replace("\n```", "")
    prompt = render(
        "analyst", task=words.replace(":\n    ...", ""), entry_point=task.entry_point
    )
    asked = replace(sampling or Sampling(), stop=("```",), max_tokens=ACCOUNT_TOKENS)
    return model.complete(prompt, n=1, sampling=asked, seed=seed)[0].text.strip()


def code_sampling(task: Task, settings: Settings) -> Sampling:
    """Return how *settings* draw a program, general or for one input."""
    stops = interface(task).stops
    return Sampling(settings.temperature, settings.top_p, settings.code_tokens, stops)


def programs(
    task: Task,
    model: ChatModel,
    *,
    n: int,
    sampling: Sampling | None = None,
    seed: int = 0,
    given: str = "",
) -> list[Extraction]:
    """Draw *n* general programs: written for the task, not for one input.

    *given* is an analyst's account of the task; where it is empty, the coder works alone.
    """
    if given:
        prompt = asking("program_analysed", task, account=given)
    else:
        prompt = asking("program", task)
    sampling = sampling or Sampling()
    if not sampling.stop:
        sampling = replace(sampling, stop=interface(task).stops)
    replies = model.complete(prompt, n=n, sampling=sampling, seed=seed)
    return read(task, replies)


def read(task: Task, replies: Sequence[Reply]) -> list[Extraction]:
    """Take the program for *task* out of each reply."""
    shape = interface(task)
    return [shape.extract(task, reply.text, truncated=reply.truncated) for reply in replies]


def present(task: Task) -> str:
    """Show the task as a prompt shows it."""
    return interface(task).present(task)


def probe_text(task: Task, probe: Probe) -> str:
    """Write a probe as a person would: `f([1, 2], 'a')`, lines of Python, a text."""
    return interface(task).written(task, probe)


def sample_call(task: Task) -> str:
    """Write a call that shows the form: the task's own first example, else the parameters."""
    shape = interface(task)
    calls = [example.probe for example in task.examples if isinstance(example.probe, tuple)]
    if calls:
        return shape.written(task, calls[0])
    found = shape.signature(task, task.prompt)
    names = ", ".join(parameter.name for parameter in found.parameters) if found else "..."
    return f"{task.entry_point}({names})"


def asking(role: str, task: Task, **fields: str) -> str:
    """Fill the prompt that has this *role* for the task's shape."""
    shape = interface(task)
    return render(
        role + shape.prompts,
        task=shape.present(task),
        entry_point=task.entry_point,
        noun=shape.noun(task),
        **fields,
    )
