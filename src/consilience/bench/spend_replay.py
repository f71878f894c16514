"""Answer from a store as a live model would, and count what each request would have cost.

The store counts a sample's prompt once a request, as the requests were when they were paid for.
Another way to ask needs another count: here every request reads its prompt once, whoever asked
for how many samples before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from consilience.errors import ModelError
from consilience.models import Reply, Sampling
from consilience.models.ask import Ask
from consilience.models.stored import KIND, Piecemeal
from consilience.sandbox import Level, Limits, Outcome, Sandbox
from consilience.store import Store, digest
from consilience.task import Probe, Target
from consilience.values import identity

OUTCOME = "bench-outcome"


class Recorded:
    """A model whose samples are in a store; what is not there is drawn *live*, and kept."""

    def __init__(self, name: str, store: Store, live: Piecemeal | None = None) -> None:
        self.name = name
        self.missing = 0
        """Samples that the store did not have."""
        self._store = store
        self._live = live

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Return samples number 0 to *n* - 1."""
        [replies] = self.batches(prompt, n=n, sampling=sampling, seed=seed)
        return replies

    def batches(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        first: int = 0,
    ) -> Iterator[list[Reply]]:
        """Yield one request's samples, the prompt counted on the first of them.

        Raises:
            ModelError: some are not in the store and there is no live model.
        """
        ask = Ask(prompt, sampling or Sampling(), seed)
        wanted = range(first, first + n)
        found = self._found(ask, {0, *wanted})
        lacking = [number for number in wanted if number not in found]
        for number in lacking:
            found |= self._drawn(ask, number)
        opening = found.get(0, found[first]).usage.prompt_tokens
        yield [
            replace(
                found[number],
                usage=replace(
                    found[number].usage,
                    prompt_tokens=opening if number == first else 0,
                    calls=int(number == first),
                ),
            )
            for number in wanted
        ]

    def _found(self, ask: Ask, numbers: set[int]) -> dict[int, Reply]:
        keys = {ask.key(self.name, number): number for number in sorted(numbers)}
        kept = self._store.get_many(KIND, keys)
        return {
            keys[key]: msgspec.json.decode(value, type=Reply) for key, value in kept.items()
        }

    def _drawn(self, ask: Ask, number: int) -> Mapping[int, Reply]:
        self.missing += 1
        if self._live is None:
            message = f"Sample {number} of a prompt is not in the store {self._store.path}."
            raise ModelError(message, hint="Name the server that can draw it: --base-url.")
        [reply] = [
            reply
            for batch in self._live.batches(
                ask.prompt, n=1, sampling=ask.sampling, seed=ask.seed, first=number
            )
            for reply in batch
        ]
        self._store.put_many(KIND, {ask.key(self.name, number): msgspec.json.encode(reply)})
        return {number: reply}


class Remembering:
    """A sandbox that runs a program on an input once, however many variants ask.

    What a program did is kept in the store too, so that a later replay runs none of them again.
    """

    def __init__(self, sandbox: Sandbox, store: Store) -> None:
        self._sandbox = sandbox
        self._store = store
        self._known: dict[str, Outcome] = {}

    @property
    def level(self) -> Level:
        """The isolation that was proved."""
        return self._sandbox.level

    def run(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        """Drive *target* of each program by each input, or remember what it did."""
        names = [identity.key(args) for args in inputs]
        allowed = "" if limits is None else str(msgspec.to_builtins(limits))
        table = [
            [digest(program, str(target), allowed, name) for name in names]
            for program in programs
        ]
        self._load(key for row in table for key in row)
        for program, row in dict(zip(programs, table, strict=True)).items():
            lacking = {
                key: args
                for key, args in zip(row, inputs, strict=True)
                if key not in self._known
            }
            if lacking:
                calls = list(lacking.values())
                [outcomes] = self._sandbox.run([program], target, calls, limits)
                self._keep(dict(zip(lacking, outcomes, strict=True)))
        return [[self._known[key] for key in row] for row in table]

    def _load(self, keys: Iterable[str]) -> None:
        unknown = [key for key in keys if key not in self._known]
        kept = self._store.get_many(OUTCOME, unknown)
        for key, value in kept.items():
            self._known[key] = msgspec.json.decode(value, type=Outcome)

    def _keep(self, outcomes: Mapping[str, Outcome]) -> None:
        self._known |= outcomes
        sound = {k: o for k, o in outcomes.items() if o.status != "infrastructure"}
        encoded = {key: msgspec.json.encode(outcome) for key, outcome in sound.items()}
        self._store.put_many(OUTCOME, encoded)

    def close(self) -> None:
        """End every process that the sandbox started."""
        self._sandbox.close()
