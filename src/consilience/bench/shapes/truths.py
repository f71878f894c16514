"""Which candidates are right: as the samples say, or as the tests of their tasks find.

Found truth is kept in a file of its own, a line a distinct program, and never measured twice:
a program is known by the digest of its text and of the tests it stood beside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from consilience.bench.shapes.unittests import Truth, harness, has_tests, measure
from consilience.errors import InputError
from consilience.formats.jsonl import append_rows, read_rows
from consilience.formats.samples import read_truths
from consilience.sandbox.pool import ForkServer
from consilience.task import Candidate, Task

Truths = dict[str, tuple[bool, ...]]
"""Whether each candidate is right, by task, in the order of the candidates."""
Candidates = Mapping[str, Sequence[Candidate]]


def truths(
    tasks: Sequence[Task],
    candidates: Candidates,
    samples: Path,
    kept: Path,
    sandbox: ForkServer,
    *,
    left_out: Callable[[str, str], None] = lambda task_id, why: None,
) -> Truths:
    """Return the truth about *candidates*, which were read from *samples*.

    Tasks without truth are missing. Those whose own reference does not pass their tests on
    this machine are *left_out*, with the reason: a package that is not there, say.

    Raises:
        InputError: neither do the samples say what is right, nor do the tasks bring tests.
    """
    stated = _whole(read_truths(samples, tasks), candidates)
    if stated:
        return stated
    if not any(has_tests(task) for task in tasks):
        message = f"{samples.name} does not say which samples are right."
        hint = 'It needs a field "right" (true or false), or its tasks a module "test".'
        raise InputError(message, hint=hint)
    known, found = _Kept(kept), {}
    for task in tasks:
        if not has_tests(task) or not candidates.get(task.id):
            continue
        reference = Candidate(task.id, task.reference.solution if task.reference else "")
        (own,) = known.verdicts(task, [reference], sandbox)
        if own.right:
            verdicts = known.verdicts(task, candidates[task.id], sandbox)
            found[task.id] = tuple(each.right for each in verdicts)
        else:
            left_out(task.id, f"its own reference does not pass ({own.why})")
    return found


def _whole(stated: Truths, candidates: Candidates) -> Truths:
    """Keep the tasks where every candidate has a truth; others cannot be put side by side."""
    return {
        name: stated[name]
        for name, its in candidates.items()
        if len(stated.get(name, ())) == len(its)
    }


class _Kept:
    """The file that truth is kept in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[tuple[str, str], Truth] = {}
        if path.exists():
            for row in read_rows(path, forgive_torn_end=True):
                key = row.text("task_id"), row.text("program")
                self._known[key] = Truth(bool(row.fields.get("right")), row.text("why"))

    def verdicts(
        self, task: Task, programs: Sequence[Candidate], sandbox: ForkServer
    ) -> list[Truth]:
        """Return the truth about each of *programs*, running those that are not known yet."""
        digests = [_digest(task, each.code) for each in programs]
        new = {
            digest: each
            for digest, each in zip(digests, programs, strict=True)
            if (task.id, digest) not in self._known
        }
        ran = measure(task, [each.code for each in new.values()], sandbox) if new else []
        for (digest, each), truth in zip(new.items(), ran, strict=True):
            self._known[task.id, digest] = truth
            append_rows(self._path, [_row(each, digest, truth)])
        return [self._known[task.id, digest] for digest in digests]


def _row(candidate: Candidate, digest: str, truth: Truth) -> dict[str, object]:
    model, _, sample = candidate.label.rpartition(" ")
    whose = {"model": model, "sample": sample}
    said = {"right": truth.right, "why": truth.why}
    return {"task_id": candidate.task_id, **whose, **said, "program": digest}


def _digest(task: Task, code: str) -> str:
    return hashlib.sha256(f"{task.context}\0{code}\0{harness(task)}".encode()).hexdigest()[:16]
