"""Draw programs from a model: candidates to be judged, and voters."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeGuard

from consilience.code import Extraction, extract, signature
from consilience.code.parsing import parse
from consilience.models import ChatModel, Reply, Sampling
from consilience.models.prompts import render
from consilience.settings import Settings
from consilience.task import Candidate, Task
from consilience.values import source

# What follows a program (explanations, demonstrations) is paid for and thrown away. An opening
# fence never matches the first, since its language follows on the same line. Servers take four.
STOP = ("\n```\n", "\nif __name__", "\nprint(", "\nassert ")

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


def code_sampling(settings: Settings) -> Sampling:
    """Return how *settings* draw a program, general or for one input."""
    return Sampling(settings.temperature, settings.top_p, settings.code_tokens, STOP)


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
    fields = {"task": present(task), "entry_point": task.entry_point}
    if given:
        prompt = render("program_analysed", account=given, **fields)
    else:
        prompt = render("program", **fields)
    replies = model.complete(prompt, n=n, sampling=sampling or Sampling(stop=STOP), seed=seed)
    return read(task, replies)


def read(task: Task, replies: Sequence[Reply]) -> list[Extraction]:
    """Take the program for *task* out of each reply."""
    return [
        extract(reply.text, task.entry_point, task.prompt, truncated=reply.truncated)
        for reply in replies
    ]


def present(task: Task) -> str:
    """Show the task as a prompt shows it: the signature as code, what it asks for as prose.

    Shown as code, a docstring is copied into every program: more than half of the tokens that
    the embedded model wrote on HumanEval went into such copies.
    """
    text = task.prompt.strip("\n")
    tree = parse(text)
    if tree is None:
        return text
    target = next((node for node in tree.body if _defines(node, task.entry_point)), None)
    if target is None:
        prose = ast.get_docstring(tree)
        return prose if prose and len(tree.body) == 1 else f"```python\n{text}\n```"
    prose = ast.get_docstring(target) or ""
    if prose:
        target.body = [ast.Expr(ast.Constant(...)), *target.body[1:]]
    return f"```python\n{ast.unparse(tree)}\n```\n\n{prose}".rstrip()


def call_text(entry_point: str, args: tuple[Any, ...]) -> str:
    """Write a call as a person would: `f([1, 2], 'a')`."""
    return f"{entry_point}({', '.join(source(argument) for argument in args)})"


def sample_call(task: Task) -> str:
    """Write a call that shows the form: the task's own first example, else the parameters."""
    if task.examples:
        return call_text(task.entry_point, task.examples[0].probe)
    shape = signature(task.prompt, task.entry_point)
    names = ", ".join(parameter.name for parameter in shape.parameters) if shape else "..."
    return f"{task.entry_point}({names})"


def _defines(node: ast.stmt, entry_point: str) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and node.name == entry_point
