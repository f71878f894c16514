"""All that a task states of its program, in whatever form: one way in for every shape."""

from __future__ import annotations

from consilience.code.doctests import doctests
from consilience.code.examples import examples
from consilience.code.leetcode import worded_examples
from consilience.code.printed_samples import printed_samples
from consilience.task import Example, Session, Shape


def examples_of(prompt: str, entry_point: str, shape: Shape) -> tuple[Example, ...]:
    """Find the examples in *prompt* of a program of this *shape*, each probe once.

    Calls with plain arguments come first, as tuples; sessions are for the rest.
    """
    if shape == "script":
        return printed_samples(prompt)
    if shape == "class":
        found = [*doctests(prompt, {entry_point}), *worded_examples(prompt, entry_point)]
    else:
        owner, _, name = entry_point.rpartition(".")
        found = [*examples(prompt, name), *doctests(prompt, {name} - {owner})]
        found += worded_examples(prompt, entry_point)
    return tuple({_key(each): each for each in reversed(found)}.values())[::-1]


def _key(example: Example) -> str:
    probe = example.probe
    return "\n".join(probe.steps) if isinstance(probe, Session) else repr(probe)
