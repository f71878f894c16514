"""All that a task states of its program, in whatever form: one way in for every shape."""

from __future__ import annotations

from consilience.code.doctests import doctests
from consilience.code.examples import examples
from consilience.code.leetcode import worded_examples
from consilience.code.printed_samples import printed_samples
from consilience.task import Example, Session, Shape, Wants


def examples_of(prompt: str, entry_point: str, shape: Shape) -> tuple[Example, ...]:
    """Find the examples in *prompt* of a program of this *shape*, each probe once.

    Calls with plain arguments come first, as tuples; sessions are for the rest.
    """
    if shape == "script":
        return printed_samples(prompt)
    if shape == "class":
        found = [*doctests(prompt, {entry_point}), *worded_examples(prompt, entry_point)]
    else:
        name = entry_point.rpartition(".")[2]
        sessions = [s for s in doctests(prompt, {name}) if not _is_plain(s, name)]
        found = [*examples(prompt, name), *sessions, *worded_examples(prompt, entry_point)]
    return tuple({_key(each): each for each in reversed(found)}.values())[::-1]


def _is_plain(example: Example, name: str) -> bool:
    """Tell one call of plain arguments with a plain result, which `examples` finds."""
    probe, wants = example.probe, example.expected
    if not isinstance(probe, Session) or not isinstance(wants, Wants) or len(probe.steps) > 1:
        return False
    return bool(examples(f">>> {probe.steps[0]}\n{wants.texts[0]}\n", name))


def _key(example: Example) -> str:
    probe = example.probe
    return "\n".join(probe.steps) if isinstance(probe, Session) else repr(probe)
