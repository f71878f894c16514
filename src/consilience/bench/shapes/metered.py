"""A sandbox that counts what the programs in it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.sandbox import Level, Limits, Outcome
from consilience.sandbox.pool import ForkServer
from consilience.task import Probe, Target


@dataclass(slots=True)
class Metered:
    """A `Sandbox` over a server that tells CPU time; the server's owner closes it."""

    server: ForkServer
    cpu_seconds: float = 0.0
    calls: int = 0

    @property
    def level(self) -> Level:
        """The isolation that was proved."""
        return self.server.level

    def run(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        """Drive each program by each input, as the server does.

        Programs that are one after normalisation share an execution, which is counted once.
        """
        executions = self.server.execute(programs, target, inputs, limits)
        distinct = {id(execution): execution for execution in executions}
        self.cpu_seconds += sum(each.cpu_seconds for each in distinct.values())
        self.calls += len(distinct) * len(inputs)
        return [list(execution.outcomes) for execution in executions]

    def close(self) -> None:
        """Leave the server to its owner."""
