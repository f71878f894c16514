"""Measure extraction: wrap real solutions in eight ways of talking, take them out, compare.

A program that comes back counts as the same if its normal form is that of the original, or if
both do the same in the sandbox on the task's first inputs: same values, exceptions, time-outs.
It counts as mended, and not in the rate, if the original does not even load (an import of
something absent, a failing assertion or prose behind the function) and the extracted program
does.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from consilience.bench.machine import machine
from consilience.code import extract, normalise
from consilience.code.parsing import parse
from consilience.formats import load_tasks
from consilience.formats.jsonl import read_rows
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.task import Task
from consilience.values import equal

MAX_INPUTS = 8
LIMITS = Limits(cpu_seconds=1.0, wall_seconds=10.0, total_seconds=20.0)

_SKETCH = """The idea in pseudocode:
```
for each element: look at it, decide, remember
return what was remembered
```
and roughly, as an outline:
```python
def {name}(*args):
    # to be filled in
    ...
```
Now in full:
"""

WAYS: dict[str, Callable[[str, str], str]] = {
    "bare": lambda code, _: code,
    "fenced": lambda code, _: (
        f"Sure! Here is a solution.\n\n```python\n{code}\n```\n\nIt runs in linear time.\n"
    ),
    "prose around, no fence": lambda code, name: (
        f"The function `{name}` can be written as follows.\n\n{code}\n\n"
        "Explanation: the function first looks at its arguments, then returns the result.\n"
        "Note that for empty input (if any) nothing special is needed.\n"
    ),
    "thoughts": lambda code, name: (
        f"<think>\nMaybe like this:\n```python\ndef {name}(*args):\n    return None\n```\n"
        f"No, that is wrong.\n</think>\n\nThe answer:\n```python\n{code}\n```\n"
    ),
    "sketch first": lambda code, name: f"{_SKETCH.format(name=name)}```python\n{code}\n```\n",
    "demonstration": lambda code, name: (
        f"```python\n{code}\n\n# Example usage\nprint({name}.__name__)\n\n"
        f'if __name__ == "__main__":\n    print("done")\n```\n'
        f"Run it like this:\n```python\nprint(callable({name}))\n```\n"
    ),
    "unclosed fence": lambda code, _: f"Here you go:\n\n```python\n{code}",
    "list item, CRLF": lambda code, _: (
        "1. The code:\n\n   ```python\n"
        + "".join(f"   {line}\n" if line else "\n" for line in code.split("\n"))
        + "   ```\n2. That is all.\n"
    ).replace("\n", "\r\n"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A solution from a pool, and how many samples are like it to the letter."""

    task: Task
    code: str
    count: int


Verdict = Literal["same", "different", "mended", "broken"]
"""The last two where the original does not load: the program does, or fails in another way."""

Rival = Callable[[Sequence[tuple[str, str]]], list[str]]
"""Another extractor: (reply, entry point) to program, for many at once."""


def run(
    pools: Mapping[Path, Path],
    sandbox: Sandbox,
    *,
    rival: Rival | None = None,
    rival_every: int = 100,
    workers: int = 2,
) -> dict[str, Any]:
    """Measure on *pools* (file of samples to file of tasks); give the record.

    The *rival* sees every *rival_every*-th distinct sample, and is compared with us on those.
    """
    started = time.time()
    samples, left_out = read_pools(pools)
    taken = _take_out(samples, workers)
    judge = _Judge(sandbox)
    record: dict[str, Any] = {
        "what": "solutions that come out of their wrapping with the behaviour they had",
        "machine": machine(),
        "isolation": sandbox.level,
        "samples": sum(sample.count for sample in samples) + left_out,
        "left_out": left_out,
        "left_out_because": "the original does not parse or does not define the entry point",
        "distinct": len(samples),
        "ways": judge.rates(samples, taken),
    }
    if rival is not None:
        chosen = samples[::rival_every]
        record["subset"] = {
            "distinct": len(chosen),
            "ours": judge.rates(chosen, taken[::rival_every]),
            "rival": judge.rates(chosen, _take_out_by(rival, chosen)),
        }
    record["programs_compared_by_running"] = judge.ran
    record["seconds"] = round(time.time() - started, 1)
    return record


def read_pools(pools: Mapping[Path, Path]) -> tuple[list[Sample], int]:
    """Read the distinct solutions that are programs; count the samples that are not."""
    samples, left_out = [], 0
    for pool, tasks_file in pools.items():
        tasks = {task.id: task for task in load_tasks(tasks_file)}
        counts = Counter((row.text("task_id"), row.text("solution")) for row in read_rows(pool))
        for (task_id, code), count in counts.items():
            tree = parse(code)
            names = {getattr(node, "name", "") for node in tree.body} if tree else set()
            if tasks[task_id].entry_point in names:
                samples.append(Sample(tasks[task_id], code, count))
            else:
                left_out += count
    return samples, left_out


def evalplus_sanitizer(python: Path) -> Rival:
    """Use evalplus's sanitiser, installed with the interpreter *python*."""
    program = (
        "import json, sys\nfrom evalplus.sanitize import sanitize\n"
        "for line in sys.stdin:\n"
        "    reply, name = json.loads(line)\n"
        "    try: code = sanitize(reply, name)\n"
        "    except Exception: code = ''\n"
        "    print(json.dumps(code), flush=True)\n"
    )

    def sanitize(replies: Sequence[tuple[str, str]]) -> list[str]:
        lines = "".join(json.dumps(reply) + "\n" for reply in replies)
        command = [str(python), "-W", "ignore", "-c", program]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)  # noqa: S603 - our own text, a path that the caller gives
        return [json.loads(line) for line in done.stdout.splitlines()]

    return sanitize


def _take_out(samples: Sequence[Sample], workers: int) -> list[dict[str, str]]:
    jobs = [(s.code, s.task.entry_point, s.task.prompt) for s in samples]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(_take_out_one, jobs, chunksize=64))


def _take_out_one(job: tuple[str, str, str]) -> dict[str, str]:
    code, entry_point, prompt = job
    return {
        way: normalise(extract(wrap(code, entry_point), entry_point, prompt).code)
        for way, wrap in WAYS.items()
    }


def _take_out_by(rival: Rival, samples: Sequence[Sample]) -> list[dict[str, str]]:
    replies = [
        (wrap(s.code, s.task.entry_point), s.task.entry_point)
        for s in samples
        for wrap in WAYS.values()
    ]
    programs = iter(rival(replies))
    return [{way: normalise(next(programs)) for way in WAYS} for _ in samples]


class _Judge:
    """Tells whether two programs are the same, running each pair at most once."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._verdicts: dict[tuple[str, str, str], Verdict] = {}
        self.ran = 0

    def rates(
        self, samples: Sequence[Sample], taken: Sequence[Mapping[str, str]]
    ) -> dict[str, dict[str, float]]:
        """Give, for each way, how many samples came back the same, mended or different."""
        pairs = [(sample, programs) for sample, programs in zip(samples, taken, strict=True)]
        self._settle((s, program) for s, programs in pairs for program in programs.values())
        rates = {}
        for way in WAYS:
            counts: Counter[str] = Counter(same=0, different=0, mended=0, broken=0)
            for sample, programs in pairs:
                counts[self._verdict(sample, programs[way])] += sample.count
            loading = counts["same"] + counts["different"]
            rates[way] = {**counts, "rate": round(counts["same"] / max(loading, 1), 5)}
        return rates

    def _verdict(self, sample: Sample, program: str) -> Verdict:
        original = normalise(sample.code)
        same = original == program
        return "same" if same else self._verdicts[sample.task.id, original, program]

    def _settle(self, pairs: Iterable[tuple[Sample, str]]) -> None:
        """Run what differs in text, task by task."""
        by_task: dict[str, set[tuple[str, str]]] = defaultdict(set)
        tasks = {}
        for sample, program in pairs:
            original = normalise(sample.code)
            key = (sample.task.id, original, program)
            if original != program and key not in self._verdicts:
                by_task[sample.task.id].add((original, program))
                tasks[sample.task.id] = sample.task
        for task_id, differing in by_task.items():
            self._settle_task(tasks[task_id], differing)

    def _settle_task(self, task: Task, pairs: set[tuple[str, str]]) -> None:
        programs = sorted({program for pair in pairs for program in pair})
        inputs = task.reference.inputs[:MAX_INPUTS] if task.reference else ()
        outcomes = self._sandbox.run(programs, task.entry_point, inputs, LIMITS)
        behaviour = dict(zip(programs, outcomes, strict=True))
        self.ran += len(programs)
        for original, program in pairs:
            verdict = _compare(behaviour[original], behaviour[program])
            self._verdicts[task.id, original, program] = verdict


def _compare(original: Sequence[Outcome], program: Sequence[Outcome]) -> Verdict:
    if all(map(_alike, original, program)):
        return "same"
    loads = [not outcomes[0].status.startswith("load_") for outcomes in (original, program)]
    if loads[0]:
        return "different"
    return "mended" if loads[1] else "broken"


def _alike(a: Outcome, b: Outcome) -> bool:
    if a.value is not None and b.value is not None:
        return equal(a.value, b.value) or a.value == b.value
    return (a.status, a.error) == (b.status, b.error)
