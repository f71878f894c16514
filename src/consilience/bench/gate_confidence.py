"""What the gate's confidence c(x) is worth: by source, by number of voters, and calibrated.

Voters are drawn from the real samples of one source, without those that fail the task's own
examples. A vote is right where the reference solution gives the same output. From that: how
often c(x) >= .8 is right (the paper's gate), how far a small model of c, of its lead, of the
number of voters and of their temperature is calibrated on a dataset it was not fitted on, and
which tau saves most while the kept labels are certified to be wrong no more often than a risk.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from consilience.bench.machine import machine
from consilience.bench.observations import Column, Observed
from consilience.bench.reliability import area, brier, calibration_error, intervals
from consilience.bench.trust_cases import SOURCES, dealt, examples, usable
from consilience.store import digest
from consilience.trust import Evidence
from consilience.trust.logistic import Logistic, fit

SCHEMA = "consilience.bench.gate/1"
SIZES = (3, 5, 10, 20)
DRAWS = 2
"""Times that a number of voters is drawn anew from one source."""
INPUTS = 30
PAPER = 0.8
TAUS = tuple(round(0.4 + 0.05 * step, 2) for step in range(13))
RISKS = (0.05, 0.1, 0.2)
DELTA = 0.05
"""Chance that a certificate is wrong."""
FIGURES = {"share": 1, "lead": 1, "voters": 1, "warmth": 1}
"""c(x), its distance to the second output, log2 of the voters, their temperature."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What some voters said of one input."""

    dataset: str
    source: str
    task_id: str
    drawn: int
    """Voters asked for, before those that fail an example are left out."""
    evidence: Evidence
    right: bool

    @property
    def confidence(self) -> float:
        """c(x), failures counted."""
        return self.evidence["share"] or 0.0


def run(observed: Iterable[Observed], *, resamples: int = 1000) -> dict[str, Any]:
    """Return the whole record."""
    votes = [vote for each in observed for vote in votes_of(each)]
    return {
        "schema": SCHEMA,
        "machine": machine(),
        "by source and voters": _table(votes),
        "calibrated": {
            f"{train} to {test}": calibrated(votes, train, test, resamples)
            for train, test in (("humaneval", "mbpp+"), ("mbpp+", "humaneval"))
        },
        "tau": [row for key, mine in _grouped(votes).items() for row in certify(key, mine)],
        "model": asdict(_fitted(votes)),
    }


def votes_of(observed: Observed) -> Iterator[Vote]:
    """Let some voters of each source vote on each input that most of them take."""
    for source, models in SOURCES[observed.dataset].items():
        samples = dealt(observed.samples, models)[: max(SIZES)]
        warmth = _warmth([sample.temperature for sample in samples])
        for size, chosen in _draws(observed.task_id, len(samples)):
            programs = [samples[place].program for place in chosen]
            for share, lead, voters, right in _counted(observed, programs):
                found = {"share": share, "lead": lead, "voters": voters, "warmth": warmth}
                yield Vote(observed.dataset, source, observed.task_id, size, found, right)


def _draws(task_id: str, count: int) -> Iterator[tuple[int, list[int]]]:
    """Yield each number of voters with those drawn, by a digest of the task and the draw."""
    for size in SIZES:
        for draw in range(0 if size > count else 1 if size == count else DRAWS):
            order = sorted(range(count), key=lambda i: digest(task_id, str(draw), str(i)))
            yield size, sorted(order[:size])


def _counted(
    observed: Observed, programs: Sequence[int]
) -> Iterator[tuple[float, float, float, bool]]:
    """Yield c(x), its lead, log2 of the voters, and whether the winner is right."""
    passed = examples(observed.columns, programs)
    believed = [p for p, share in zip(programs, passed, strict=True) if share in {None, 1.0}]
    believed = believed or list(programs)
    for column in usable(observed.columns, believed, INPUTS):
        if column.valid:
            yield _count(column, believed)


def _count(column: Column, programs: Sequence[int]) -> tuple[float, float, float, bool]:
    counts = Counter(c for place in programs if (c := column.classes[place]) is not None)
    ranked = counts.most_common(2)
    total = len(programs)
    first = ranked[0][1] if ranked else 0
    second = ranked[1][1] if len(ranked) > 1 else 0
    # In a tie nobody wins, so nothing is right.
    right = bool(ranked) and first > second and ranked[0][0] in column.accepted
    return first / total, (first - second) / total, math.log2(total), right


def _warmth(temperatures: Sequence[float | None]) -> float | None:
    known = [temperature for temperature in temperatures if temperature is not None]
    return sum(known) / len(known) if len(known) == len(temperatures) and known else None


def _grouped(votes: Iterable[Vote]) -> dict[tuple[str, int], list[Vote]]:
    found: dict[tuple[str, int], list[Vote]] = {}
    for vote in votes:
        found.setdefault((f"{vote.dataset}/{vote.source}", vote.drawn), []).append(vote)
    return dict(sorted(found.items()))


def _table(votes: Sequence[Vote]) -> list[dict[str, Any]]:
    """Say how often votes are right, above and below the paper's tau, and what c claims."""
    rows = []
    for (source, drawn), mine in _grouped(votes).items():
        kept = [vote for vote in mine if vote.confidence >= PAPER - 1e-9]
        opened = [vote for vote in mine if vote.confidence < PAPER - 1e-9]
        claims = np.array([vote.confidence for vote in mine])
        truth = np.array([float(vote.right) for vote in mine])
        rows.append({
            "source": source,
            "voters": drawn,
            "tasks": len({vote.task_id for vote in mine}),
            "inputs": len(mine),
            "gated": _share(len(opened), len(mine)),
            "right": _share(sum(vote.right for vote in mine), len(mine)),
            "right where kept": _share(sum(vote.right for vote in kept), len(kept)),
            "right where gated": _share(sum(vote.right for vote in opened), len(opened)),
            "ece of c": _rounded(calibration_error(claims, truth)),
        })
    return rows


def calibrated(votes: Sequence[Vote], train: str, test: str, resamples: int) -> dict[str, Any]:
    """Fit on one dataset's votes; compare the model with c(x) itself on the other's."""
    model = _fitted([vote for vote in votes if vote.dataset == train])
    mine = [vote for vote in votes if vote.dataset == test]
    truth = np.array([float(vote.right) for vote in mine])
    tasks = [vote.task_id for vote in mine]
    claims = {
        "c(x)": np.array([vote.confidence for vote in mine]),
        "calibrated": np.array([model.probability(vote.evidence) for vote in mine]),
    }
    return {
        "votes": len(mine),
        "tasks": len(set(tasks)),
        **{
            name: {
                metric.__name__: intervals(metric, found, truth, tasks, resamples=resamples)
                for metric in (area, calibration_error, brier)
            }
            for name, found in claims.items()
        },
    }


def _fitted(votes: Sequence[Vote]) -> Logistic:
    """Fit so that every task weighs the same, and within it every source and number."""
    sizes = Counter((vote.dataset, vote.task_id) for vote in votes)
    return fit(
        [vote.evidence for vote in votes],
        [vote.right for vote in votes],
        tuple(FIGURES),
        weights=[1 / sizes[vote.dataset, vote.task_id] for vote in votes],
        directions=FIGURES,
    )


def certify(key: tuple[str, int], votes: Sequence[Vote]) -> list[dict[str, Any]]:
    """Find the lowest tau whose kept labels are certified, for each risk (Learn then Test).

    One input a task, drawn by digest, so that trials are independent. From tau = 1 downwards,
    each tau is tested for "wrong more often than the risk among the kept"; the exact binomial
    test is passed at level DELTA or the search ends (fixed sequence testing). What is saved is
    the share of all inputs that stays inductive.
    """
    single = _one_a_task(votes)
    rows = []
    for risk in RISKS:
        found = None
        for tau in sorted(TAUS, reverse=True):
            kept = [v for v in single.values() if v.confidence >= tau - 1e-9]
            wrong = sum(not vote.right for vote in kept)
            if not kept or binomial_tail(wrong, len(kept), risk) > DELTA:
                break
            found = tau
        saved = sum(v.confidence >= found - 1e-9 for v in votes) if found is not None else 0
        rows.append({
            "source": key[0],
            "voters": key[1],
            "tasks": len(single),
            "risk": risk,
            "tau": found,
            "saved": _share(saved, len(votes)),
            "saved at .8": _share(sum(v.confidence >= PAPER - 1e-9 for v in votes), len(votes)),
        })
    return rows


def _one_a_task(votes: Sequence[Vote]) -> dict[str, Vote]:
    """Draw one vote of each task, by a digest of the task."""
    mine: dict[str, list[Vote]] = {}
    for vote in votes:
        mine.setdefault(vote.task_id, []).append(vote)
    return {
        name: each[int(digest("one", name)[:8], 16) % len(each)] for name, each in mine.items()
    }


def binomial_tail(wrong: int, total: int, risk: float) -> float:
    """Return P(at most *wrong* of *total*) where each is wrong with chance *risk*."""
    return math.fsum(
        math.comb(total, k) * risk**k * (1 - risk) ** (total - k) for k in range(wrong + 1)
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
