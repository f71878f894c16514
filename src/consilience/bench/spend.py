"""What each lever saves, and what it costs in verdicts: replays of one recorded run.

Every variant judges the same tasks with the same candidates from the same samples; a lever
reads fewer of them. Nothing is simulated here: a sample that no run has drawn is drawn live, or
the variant is left out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from consilience.bench import live, spend_choice
from consilience.bench.intervals import Difference, Interval, bootstrap, paired
from consilience.bench.machine import machine
from consilience.bench.ranking_tasks import RankingTask
from consilience.bench.spend_replay import Recorded, Remembering
from consilience.errors import InputError, ModelError
from consilience.judge import Judge
from consilience.models import Ledger
from consilience.sandbox import Sandbox
from consilience.settings import Settings
from consilience.store import Store
from consilience.task import Candidate, Task

SCHEMA = "consilience.bench.spend/1"
SCORES = ("top1", "bottom1", "rho")
PLAIN = "plain cott"
RESAMPLES = 2_000
"""Of each interval: there are hundreds of them."""
EPSILONS = (0.05, 0.1, 0.2)
"""Harm to the share of right labels that a choice may be held to."""

LEVERS: Mapping[str, Mapping[str, Any]] = {
    "two programs an input": {"n_transductive": 2, "sequential": False},
    "only what can change": {"settle": "top1", "at_once": 1},
    "do no harm": {"rule": "supported"},
    "witness": {"witness": True, "at_once": 1},
}
"""The levers that are combined, each as it is set when all are on."""

ALONE: Mapping[str, Mapping[str, Any]] = {
    PLAIN: {},
    "induction alone": {"method": "rstar"},
    "transduction always (tt)": {"method": "tt"},
    "rule: supported": {"rule": "supported"},
    "rule: pooled": {"rule": "pooled"},
    "rule: pooled, weight .5": {"rule": "pooled", "weight": 0.5},
    "two programs, one request": {"n_transductive": 2, "sequential": False},
    "three programs, one request": {"n_transductive": 3, "sequential": False},
    "all samples, one request": {"sequential": False},
    "stop: doubt .05": {"first": 2, "doubt": 0.05},
    "stop: doubt .1": {"first": 2, "doubt": 0.1},
    "induction: 4 first": {"first_inductive": 4, "doubt": 0.1},
    "induction: fours, doubt .05": {"first_inductive": 4, "batch": 4, "doubt": 0.05},
    "induction: fours, doubt .1": {"first_inductive": 4, "batch": 4, "doubt": 0.1},
    "settle: differ": {"settle": "differ"},
    "settle: order, risk .05": {"settle": "order", "at_once": 1},
    "settle: order, risk .2": {"settle": "order", "risk": 0.2, "at_once": 1},
    "settle: top1, risk .05": {"settle": "top1", "at_once": 1},
    "settle: top1, risk .2": {"settle": "top1", "risk": 0.2, "at_once": 1},
    "witness": {"witness": True, "at_once": 1},
    "reuse 1": {"reuse": 1.0, "at_once": 1},
    "no examples": {"examples": False},
    "tau .5": {"tau": 0.5},
    "tau .6": {"tau": 0.6},
    "tau .7": {"tau": 0.7},
    "tau .9": {"tau": 0.9},
}
"""Each lever by itself, and what it is compared with."""


def variants() -> dict[str, dict[str, Any]]:
    """Return every variant's changes to the settings, by its name."""
    every = {key: value for lever in LEVERS.values() for key, value in lever.items()}
    without = {
        f"all levers but {name}": {
            key: value
            for other, lever in LEVERS.items()
            if other != name
            for key, value in lever.items()
        }
        for name in LEVERS
    }
    alone = {name: dict(changes) for name, changes in ALONE.items()}
    more = {
        "all levers, risk .2": {**every, "risk": 0.2},
        "all levers, 4 general programs first": {
            **every,
            "first_inductive": 4,
            "doubt": 0.1,
        },
    }
    return {**alone, "all levers": every, **without, **more}


class Replay(Protocol):
    """A recorded run that can be judged again with other settings."""

    settings: Settings

    @property
    def source(self) -> Mapping[str, Any]:
        """Say which model's votes these are, and how they are replayed."""
        ...

    @property
    def names(self) -> list[str]:
        """The tasks' ids."""
        ...

    def rows(self, changes: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Judge every task with *changes* to the settings; score and count.

        Raises:
            ModelError: a sample is needed that is not to be had.
        """
        ...


@dataclass(slots=True)
class StoredRun:
    """A recorded run whose replies are in a store: everything else is done anew."""

    tasks: Sequence[RankingTask]
    model: Recorded
    sandbox: Sandbox
    settings: Settings

    @property
    def source(self) -> Mapping[str, Any]:
        """Say which model's votes these are, and how they are replayed."""
        return {"model": self.model.name, "replay": "samples from the store, programs run"}

    @property
    def names(self) -> list[str]:
        """The tasks' ids."""
        return [posed.task.id for posed in self.tasks]

    def rows(self, changes: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Judge every task with *changes* to the settings; score and count.

        Raises:
            ModelError: a sample is neither in the store nor to be had.
        """
        settings = replace(self.settings, **changes)
        return [self._row(posed, settings) for posed in self.tasks]

    def _row(self, posed: RankingTask, settings: Settings) -> dict[str, Any]:
        missing = self.model.missing
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite") as store:
            judge = Judge(self.model, self.sandbox, store, settings, Ledger())
            verdict = judge.judge(posed.task, posed.candidates)
        truth = [float(share) for share in posed.truth]
        return {
            "task_id": posed.task.id,
            **live.score(verdict, truth),
            **live.labels(verdict, self.sandbox),
            "tokens": {
                stage: [usage.prompt_tokens, usage.completion_tokens]
                for stage, usage in verdict.usage.items()
            },
            "drawn_live": self.model.missing - missing,
        }


def opened(
    record: Mapping[str, Any],
    tasks: Sequence[Task],
    pool: Mapping[str, Sequence[Candidate]],
    model: Recorded,
    sandbox: Remembering,
) -> StoredRun:
    """Pose the tasks of *record* again, with its candidates, truth and settings.

    Raises:
        InputError: the record names a task or candidate that is not there.
    """
    known = {task.id: task for task in tasks}
    names = {field.name for field in fields(Settings)}
    given = {key: value for key, value in record["settings"].items() if key in names}
    try:
        posed = [_posed(row, known[row["task_id"]], pool) for row in record["tasks"]]
    except KeyError as error:
        message = f"The record names {error}, which the tasks and samples do not have."
        raise InputError(
            message, hint="Name the files that the record was made from."
        ) from None
    return StoredRun(posed, model, sandbox, Settings(**given))


def _posed(
    row: Mapping[str, Any], task: Task, pool: Mapping[str, Sequence[Candidate]]
) -> RankingTask:
    labelled = {candidate.label: candidate for candidate in pool[task.id]}
    chosen = tuple(
        replace(labelled[label], index=place) for place, label in enumerate(row["candidates"])
    )
    truth = tuple(Fraction(str(share)) for share in row["truth"])
    return RankingTask(task, chosen, truth, row["truth_inputs"], row["truth_inputs"])


def run(
    replay: Replay,
    *,
    wanted: Sequence[str] = (),
    earlier: Mapping[str, Any] | None = None,
    done: Callable[[str, Mapping[str, Any] | None], None] = lambda name, found: None,
) -> dict[str, Any]:
    """Judge all tasks by all variants; return each one's figures beside plain CoTT's.

    A variant for which samples are missing is listed with the reason. The rows of an *earlier*
    record of the same run are taken over.
    """
    known = _known(replay, earlier or {})
    found: dict[str, list[dict[str, Any]]] = {}
    told: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for name, changes in variants().items():
        if wanted and name not in (*wanted, PLAIN, *known):
            continue
        try:
            found[name] = known.get(name) or replay.rows(changes)
        except ModelError as error:
            left_out[name] = str(error)
            done(name, None)
            continue
        told[name] = {"changes": changes, **_summary(found[name], found[PLAIN])}
        done(name, told[name])
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "tasks_judged": len(replay.names),
        "resamples": RESAMPLES,
        **replay.source,
        "settings": asdict(replay.settings),
        "tasks": replay.names,
        "variants": told,
        "left_out": left_out,
        **_choices(found),
        "rows": found,
    }


def _known(replay: Replay, earlier: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of those variants that are the same in an earlier record."""
    same = earlier.get("settings") == asdict(replay.settings)
    if not same or earlier.get("tasks") != replay.names:
        return {}
    return {
        name: rows
        for name, rows in earlier["rows"].items()
        if earlier["variants"][name]["changes"] == variants().get(name)
    }


def _choices(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Say how transduction did where induction was in doubt, and what may be chosen."""
    alone = spend_choice.ORDER[0]
    if alone not in found:
        return {}
    return {
        "transduction": experience(found[PLAIN], found[alone]),
        "evidence": [asdict(each) for each in spend_choice.choose(found, 0.1)[1]],
        "held_out": [spend_choice.held_out(found, epsilon) for epsilon in EPSILONS],
    }


def experience(
    plain: Sequence[Mapping[str, Any]], alone: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Compare the labels of inputs where the gate was open: by CoTT, and by induction alone.

    Where it was closed both have the same ones, so all that differs is on the open inputs.
    """
    closed = [row["labels"].get("inductive", {"tests": 0, "right": 0}) for row in plain]
    shut = sum(counts["right"] for counts in closed)
    right = [sum(_right(row) for row in rows) for rows in (plain, alone)]
    return {
        "tasks": len(plain),
        "gated": sum(_made(row) for row in plain) - sum(counts["tests"] for counts in closed),
        "right_with": right[0] - shut,
        "right_without": right[1] - shut,
        "by_task": asdict(_paired([_right(row) for row in plain], [_right(r) for r in alone])),
        "tokens_with": round(sum(map(tokens, plain)) / len(plain)),
        "tokens_without": round(sum(map(tokens, alone)) / len(alone)),
    }


def _right(row: Mapping[str, Any]) -> int:
    return sum(counts["right"] for name, counts in row["labels"].items() if name != "given")


def _made(row: Mapping[str, Any]) -> int:
    return sum(counts["tests"] for name, counts in row["labels"].items() if name != "given")


def _summary(
    rows: Sequence[Mapping[str, Any]], plain: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    spent, base = ([tokens(row) for row in each] for each in (rows, plain))
    routes = sorted({route for row in rows for route in row["labels"]})
    counts = {
        route: {
            key: sum(row["labels"].get(route, {}).get(key, 0) for row in rows)
            for key in ("tests", "right", "invalid")
        }
        for route in routes
    }
    return {
        "tokens_per_task": round(sum(spent) / len(rows)),
        "programs_per_task": _programs(rows),
        "share_of_plain": round(sum(spent) / sum(base), 4) if sum(base) else None,
        "tokens_minus_plain": asdict(_paired(spent, base)),
        "stages": {
            stage: round(sum(sum(row["tokens"].get(stage, (0, 0))) for row in rows) / len(rows))
            for stage in sorted({stage for row in rows for stage in row["tokens"]})
        },
        **{name: asdict(_interval([row[name] for row in rows])) for name in SCORES},
        "minus_plain": {
            name: asdict(_paired([r[name] for r in rows], [p[name] for p in plain]))
            for name in SCORES
        },
        "labels": counts,
        "label_accuracy": asdict(_interval([accuracy(row) for row in rows])),
        "label_accuracy_minus_plain": asdict(
            paired([accuracy(row) for row in rows], [accuracy(row) for row in plain])
        ),
        "same_order": sum(r["scores"] == p["scores"] for r, p in zip(rows, plain, strict=True)),
        "same_winner": sum(
            r["winner"] == p["winner"] for r, p in zip(rows, plain, strict=True)
        ),
        "drawn_live": sum(row["drawn_live"] for row in rows),
    }


def _interval(values: Sequence[float | None]) -> Interval:
    return bootstrap(values, resamples=RESAMPLES)


def _paired(one: Sequence[float | None], other: Sequence[float | None]) -> Difference:
    return paired(one, other, resamples=RESAMPLES)


def _programs(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the general programs drawn for a task, where that was counted."""
    drawn = [row["programs"] for row in rows if "programs" in row]
    return round(sum(drawn) / len(drawn), 2) if drawn else None


def tokens(row: Mapping[str, Any]) -> int:
    """Add up the tokens of all stages of one task."""
    return sum(sum(counts) for counts in row["tokens"].values())


def accuracy(row: Mapping[str, Any]) -> float | None:
    """Return the share of right labels among the synthesised ones (given tests aside)."""
    total = _made(row)
    return _right(row) / total if total else None
