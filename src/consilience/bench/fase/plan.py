"""The parts of the experiment's record: each sample set, the model's answers, the costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from consilience.bench.fase import cost
from consilience.bench.fase.experiment import asked_set, measure_set
from consilience.bench.fase.sets import LIVE, SOURCES, SampleSet, read_sets
from consilience.store import Store
from consilience.uncertainty import Encoder

GRADED = "fase-grades.json"
ANSWERS = "fase-answers.json"
PRICES = "fase-prices.json"
"""Answers asked again on a quiet machine, with the CPU time of the server: for the costs."""
LIBRARIES = "fase-libraries.json"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the record, measured when it is missing."""

    name: str
    measure: Callable[[], Any]
    of_sets: bool = True

    def missing(self, record: Mapping[str, Any]) -> bool:
        """Tell whether *record* lacks it."""
        return self.name not in (record["sets"] if self.of_sets else record)

    def add(self, record: dict[str, Any]) -> None:
        """Measure it into *record*; sets keep the order of `SOURCES`."""
        if not self.of_sets:
            record[self.name] = self.measure()
            return
        found = record["sets"] | {self.name: self.measure()}
        record["sets"] = {each.name: found[each.name] for each in SOURCES if each.name in found}


def parts(
    data: Path, records: Path, encoder: Encoder, store: Store | None = None
) -> Iterator[Part]:
    """Yield every part whose samples are there; *encoder* is MiniLM in the record."""
    encoders = {"minilm": encoder}
    graded = _read(records / GRADED).get("files", {})
    grades = {
        file: {task_id: row["grades"] for task_id, row in found.items()}
        for file, found in graded.items()
    }
    for source in SOURCES:
        for given in read_sets((data, records), grades, (source.name,)):
            if given.tasks:
                yield Part(source.name, partial(measure_set, given, encoders, store))
    answered = _read(records / ANSWERS).get("tasks", [])
    live = list(read_sets((records,), grades, ("live coder x10",)))
    if answered and live:
        priced = _read(records / PRICES).get("tasks", [])
        measure = partial(asked_set, live[0], answered, encoders, store, priced=priced)
        yield Part("asked", measure, of_sets=False)
        tasks = [row["task_id"] for row in answered]
        yield Part("cost", partial(_cost, _only(live[0], tasks), encoders), of_sets=False)
    libraries = _read(records / LIBRARIES).get("summary")
    if libraries:
        yield Part("libraries", lambda: libraries, of_sets=False)


def _only(given: SampleSet, tasks: list[str]) -> SampleSet:
    return replace(given, tasks=tuple(task for task in given.tasks if task.id in tasks))


def _cost(given: SampleSet, encoders: Mapping[str, Encoder]) -> dict[str, Any]:
    """Time the measures on the tasks that the model was asked about."""
    found = cost.costs([task.samples for task in given.tasks], encoders["minilm"])
    return {"samples": LIVE["coder"], "tasks": len(given.tasks), "parts": found}


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}
