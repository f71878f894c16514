"""How a model is asked for probes of each kind, and how its replies are read: never evaluated.

calls   asserts, of which the results are ignored (`seeds`)
lines   doctest lines without answers (`lines`)
texts   inputs in fenced blocks; and a small generator program, which runs in the sandbox
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.code import Signature, extract
from consilience.inputs import seeds, shapes
from consilience.inputs.lines import read_lines
from consilience.inputs.surroundings import surroundings
from consilience.interfaces import Kind
from consilience.interfaces.registry import interface
from consilience.models.prompts import render
from consilience.sampling import present, probe_text, sample_call
from consilience.sandbox import Limits, Sandbox
from consilience.task import Probe, Session, Stdin, Task

Dropped = tuple[str, str]
"""What became no input, and why."""

WORDINGS: dict[Kind, tuple[str, ...]] = {
    "calls": ("seeds_plain", "seeds_edge", "seeds_tricky"),
    "lines": ("probes_plain", "probes_edge"),
    "texts": ("texts_plain", "generator"),
}
DRAWN = 12
"""Texts that one generator program makes."""
MAX_TEXT = 20_000
"""Characters of a text that is taken from a reply."""
GENERATOR = "generate"
_RUNNER = "_text"
_RUN = f"""
import random

def {_RUNNER}(seed):
    return {GENERATOR}(random.Random(seed))
"""
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Read:
    """What a reply proposes."""

    probes: tuple[Probe, ...]
    dropped: tuple[Dropped, ...] = ()


def kind_of(task: Task, shape: Signature | None) -> Kind:
    """Say what drives a program of this task: as its examples or parameters do."""
    usual = interface(task).kind
    probes = [example.probe for example in task.examples]
    if usual != "calls" or any(isinstance(probe, tuple) for probe in probes):
        return usual
    return "calls" if takes_plain_data(shape) and not probes else "lines"


def takes_plain_data(shape: Signature | None) -> bool:
    """Tell whether every parameter can be given by position, as plain data."""
    return shape is not None and all(
        parameter.kind != "keyword"
        and (parameter.annotation is None or shapes.from_annotation(parameter.annotation).known)
        for parameter in shape.parameters
    )


def worded(task: Task, wording: str, count: int) -> str:
    """Write the prompt that asks for *count* probes."""
    return render(
        wording,
        task=present(task),
        entry_point=task.entry_point,
        call=sample_call(task),
        example=_example(task),
        count=str(count),
    )


def read(
    task: Task, kind: Kind, reply: str, shape: Signature | None, sandbox: Sandbox | None
) -> Read:
    """Read what *reply* proposes; generators run in the *sandbox*, if there is one."""
    if kind == "calls":
        known = [e.probe for e in task.examples if isinstance(e.probe, tuple)]
        found = seeds.parse(reply, shape, task.entry_point.rpartition(".")[2], known=known)
        return Read(found.kept, found.dropped)
    if kind == "lines":
        around = surroundings(f"{task.context}\n{task.prompt}")
        target = task.entry_point.partition(".")[0]
        sessions, refused = read_lines(reply, {target}, around.bound)
        return Read(tuple(sessions), tuple(refused))
    return _texts(reply, sandbox)


def _example(task: Task) -> str:
    """Show a probe in the form that is asked for."""
    for example in task.examples:
        if isinstance(example.probe, Session):
            return "\n".join(f">>> {step}" for step in example.probe.steps)
        if isinstance(example.probe, Stdin):
            return probe_text(task, example.probe).strip("\n")
    return f">>> {sample_call(task)}"


def _texts(reply: str, sandbox: Sandbox | None) -> Read:
    generator = extract(reply, GENERATOR)
    if generator.status == "ok":
        return _generated(generator.code, sandbox) if sandbox else Read((Stdin(""),))
    blocks = [match[1] for match in _FENCE.finditer(reply)]
    kept = dict.fromkeys(block for block in blocks if block.strip() and len(block) <= MAX_TEXT)
    return Read(tuple(map(Stdin, kept)))


def _generated(code: str, sandbox: Sandbox) -> Read:
    """Run a generator program with seeds of its own."""
    inputs: Sequence[Probe] = [(seed,) for seed in range(DRAWN)]
    [row] = sandbox.run([code + _RUN], _RUNNER, inputs, Limits())
    texts = [
        outcome.value.python()
        for outcome in row
        if outcome.ok and outcome.value is not None and outcome.value.payload.startswith('"')
    ]
    kept = dict.fromkeys(text for text in texts if text.strip() and len(text) <= MAX_TEXT)
    failed = next((o.error or o.status for o in row if not o.ok), "")
    return Read(tuple(map(Stdin, kept)), ((GENERATOR, failed),) if failed else ())
