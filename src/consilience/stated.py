"""What a task states of its examples: doctest wants, read as values, texts and exceptions.

A want may be a value, what is printed, or a traceback, and the text alone does not always tell:
`5` is echoed by one program and printed by another. So it is kept in words, with the value it
was read as, and `values.equal` accepts either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from consilience.code import read_literal
from consilience.code.parsing import is_expression
from consilience.interfaces.lines import IMPORTS
from consilience.interfaces.registry import interface
from consilience.sandbox import Limits, Sandbox
from consilience.task import Example, Session, Target, Task, Wants
from consilience.values import Value

_TRACEBACK = re.compile(r"\A\s*Traceback \(most recent call last\):")
_RAISED = re.compile(r"^(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?::|\s*$)", re.MULTILINE)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_NOTHING = "_nothing"
_PROGRAM = f"{_NOTHING} = None\n"


def expected(example: Example) -> Value:
    """Return what *example* expects; wants are read as far as that goes without running."""
    stated = example.expected
    if isinstance(stated, Wants):
        return _session(stated, {})
    return stated if isinstance(stated, Value) else Value.of(stated)


def resolve(task: Task, sandbox: Sandbox) -> Task:
    """Read the wants of the task's examples; expressions are evaluated beside its context.

    `Order('a', 2.0)` and `array([1, 2])` are values only where their names are known, which is
    in the sandbox. An example of which nothing is stated is left out.
    """
    if not any(isinstance(example.expected, Wants) for example in task.examples):
        return task
    examples = [_plain(example) for example in task.examples]
    texts = {text for text in _texts(examples) if is_expression(text.strip())}
    known = _evaluated(sorted(texts), interface(task).target(task), sandbox)
    settled = [
        replace(each, expected=_session(each.expected, known))
        if isinstance(each.expected, Wants)
        else each
        for each in examples
    ]
    return replace(task, examples=tuple(settled))


def _plain(example: Example) -> Example:
    """Have a step echo its text where what is stated is a text that no expression gives."""
    wants, probe = example.expected, example.probe
    if not isinstance(wants, Wants) or not isinstance(probe, Session):
        return example
    steps = [
        f"repr({step})"
        if re.fullmatch(r"<.+>", want.strip()) and is_expression(step.strip())
        else step
        for step, want in zip(probe.steps, wants.texts, strict=True)
    ]
    return replace(example, probe=Session(tuple(steps)))


def _texts(examples: Iterable[Example]) -> Iterable[str]:
    for example in examples:
        if isinstance(example.expected, Wants):
            yield from (text for text in example.expected.texts if _literal(text) is None)


def _session(wants: Wants, known: Mapping[str, Value]) -> Value:
    return Value.session(_value(text, known) for text in wants.texts)


def _value(text: str, known: Mapping[str, Value]) -> Value:
    if _TRACEBACK.match(text):
        names = _RAISED.findall(text[text.index(":") + 1 :])
        return Value.raised(names[-1] if names else "Exception")
    return Value.stated(text, _literal(text) or known.get(text))


def _literal(text: str) -> Value | None:
    try:
        return Value.of(read_literal(text.strip()))
    except (ValueError, TypeError):
        return None


def _evaluated(texts: Sequence[str], target: Target, sandbox: Sandbox) -> dict[str, Value]:
    """Run each text as an expression beside the context; those that fail mean no value."""
    if not texts:
        return {}
    named = {name for text in texts for name in _NAME.findall(text)}
    imports = [line for name, line in IMPORTS.items() if name in named]
    imports += ["from numpy import array"] if "array" in named else []
    context = "\n".join([*imports, target.context])
    beside = Target(_NOTHING, context, project=target.project)
    probes = [Session((text.strip(),)) for text in texts]
    [row] = sandbox.run([_PROGRAM], beside, probes, Limits())
    return {
        text: outcome.value
        for text, outcome in zip(texts, row, strict=True)
        if outcome.ok and outcome.value is not None and not outcome.value.opaque
    }
