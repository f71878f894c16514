"""Classes of samples by what they do when run, in the sandbox."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.errors import SandboxError, UsageError
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.uncertainty import Confidence, Partition
from consilience.uncertainty.clusters import numbered
from consilience.uncertainty.text import plain
from consilience.values import Value, classes
from consilience.votes import count_votes


@dataclass(frozen=True, slots=True)
class Behavioural:
    """Samples are equivalent when they do the same on every input.

    The same: equal values, an exception of the same class, or the same kind of failure. As a
    score it is the mean over inputs of the votes' confidence (CoTT, Eq. 2).
    """

    sandbox: Sandbox
    entry_point: str
    inputs: Sequence[tuple[Any, ...]]
    limits: Limits | None = None
    name: str = "behaviour"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Run *samples* and group those that did the same."""
        columns, dropped = self._columns(samples)
        keys = [_keys(column) for column in columns]
        labels = numbered(zip(*keys, strict=True))
        return Partition(self.name, labels, notes=_notes(dropped))

    def confidence(self, samples: Sequence[str]) -> Confidence:
        """Average the confidence of the votes; for each sample, the share that did the same."""
        columns, dropped = self._columns(samples)
        votes = [count_votes(column) for column in columns]
        value = sum(each.confidence for each in votes) / len(votes)
        shares = [[keys.count(key) / len(keys) for key in keys] for keys in map(_keys, columns)]
        each = tuple(sum(column) / len(column) for column in zip(*shares, strict=True))
        return Confidence(self.name, value, each, notes=_notes(dropped))

    def _columns(self, samples: Sequence[str]) -> tuple[list[list[Outcome]], int]:
        """Return the outcomes by input, without inputs on which the sandbox itself failed."""
        if not self.inputs:
            raise UsageError(
                "Behaviour needs at least one input.", hint="Synthesise some first."
            )
        texts = [plain(text) for text in samples]
        distinct = list(dict.fromkeys(texts))
        rows = self.sandbox.run(distinct, self.entry_point, self.inputs, self.limits)
        by_text = dict(zip(distinct, rows, strict=True))
        columns = [
            list(column) for column in zip(*(by_text[text] for text in texts), strict=True)
        ]
        kept = [column for column in columns if all(_ran(outcome) for outcome in column)]
        if not kept:
            raise SandboxError("The sandbox failed on every input.")
        return kept, len(columns) - len(kept)


def _ran(outcome: Outcome) -> bool:
    return outcome.status != "infrastructure"


def _notes(dropped: int) -> tuple[str, ...]:
    return (f"{dropped} inputs left out: the sandbox failed on them",) if dropped else ()


def _keys(column: Sequence[Outcome]) -> list[Hashable]:
    """Name what each sample did on one input."""
    values: list[Value] = [each.value for each in column if each.ok and each.value is not None]
    numbers = iter(classes(values))
    return [
        ("value", next(numbers))
        if each.ok and each.value is not None
        else (each.status, each.error)
        for each in column
    ]
