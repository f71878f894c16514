"""Run a check script against a candidate, each in a child that knows nothing of the other.

Tests of the form `assert f(literal) == literal` are taken apart and compared by the judge. Any
other script (loops, helpers, `check(candidate)`, unittest classes) runs here: in its child the
function under test is a proxy, and only arguments and results cross, as wire values. So a
candidate can neither see what is expected nor forge the outcome, and a script can neither see
nor change the candidate.

What cannot cross is refused with a reason and never counted as wrong: functions, objects of
own classes, structures that contain themselves. Exceptions cross by the name of their builtin
class. Two arguments that share a list arrive as two lists, and a script that patches what the
candidate uses (files, clocks) patches its own process only.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, replace

from consilience.sandbox import Limits, Outcome
from consilience.sandbox.check_hub import CheckStatus, Hub, Verdict
from consilience.sandbox.check_readers import CandidateReader, ScriptReader
from consilience.sandbox.check_script import Script, read_script
from consilience.sandbox.execution import death
from consilience.sandbox.job import MEGABYTE, frame
from consilience.sandbox.pool import ForkServer
from consilience.sandbox.process import HarnessError, WorkerDiedError, WorkerProcess

SCRIPT_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=60.0, total_seconds=60.0)
RUNNER = ("unittest",)
"""What the workers of scripts have loaded beforehand."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What a check script found.

    `failed`: the script raised after it had called the candidate, or the candidate died;
    `refused`: a value could not cross, the script called nothing, or it failed and relies on
    files or patches that the candidate does not share; `broken`: it does not work by itself.
    """

    status: CheckStatus
    reason: str = ""
    calls: int = 0

    @property
    def passed(self) -> bool | None:
        """Tell whether the candidate passed; None where nothing was found out."""
        known = {"passed": True, "failed": False}
        return known.get(self.status)


def check(  # noqa: PLR0913 - the last three are keywords
    server: ForkServer,
    program: str,
    script: str,
    entry_point: str,
    *,
    preamble: str = "",
    limits: Limits | None = None,
    script_limits: Limits = SCRIPT_LIMITS,
) -> CheckOutcome:
    """Run *script* against *program* and tell what it found.

    Args:
        server: whose workers to use, two at a time.
        program: the candidate.
        script: what checks it; it calls *entry_point*, or `candidate`.
        entry_point: the function under test.
        preamble: code of the task itself, for helpers that the script takes from there.
        limits: of the candidate: CPU and wall time a call.
        script_limits: of the script: CPU time in all; its total is that of the whole check.
    """
    plan = read_script(script, entry_point, preamble)
    if plan.fault:
        return CheckOutcome("broken", plan.fault)
    lost = ""
    for _ in range(2):
        try:
            with server.lend(program) as one, server.lend(script, preload=RUNNER) as other:
                return _Check(program, plan, limits or Limits(), script_limits).run(one, other)
        except (WorkerDiedError, HarnessError) as error:
            lost = str(error)
    return CheckOutcome("infrastructure", f"twice: {lost}"[:200])


class _Check:
    """One check: a thread a side, and the hub between them."""

    def __init__(
        self, program: str, script: Script, limits: Limits, script_limits: Limits
    ) -> None:
        self._program, self._script = program, script
        self._limits, self._script_limits = limits, script_limits
        self._end = time.monotonic() + script_limits.total_seconds
        self._hub = Hub(limits, self._end)
        self._fault: BaseException | None = None

    def run(self, candidate: WorkerProcess, tester: WorkerProcess) -> CheckOutcome:
        thread = threading.Thread(target=self._serve, args=(candidate,), daemon=True)
        thread.start()
        try:
            found = self._test(tester)
        finally:
            self._hub.close()
            thread.join()
        if self._fault:
            raise self._fault
        return CheckOutcome(found.status, found.reason, self._hub.calls)

    def _test(self, worker: WorkerProcess) -> Verdict:
        """Run the script; say how the check ended."""
        reader, limits = ScriptReader(self._hub), self._script_limits
        limits = replace(limits, wall_seconds=limits.total_seconds)
        job = self._job(limits, self._script.code, "script") | {
            "preamble": self._script.preamble,
            "calls": self._script.calls,
            "unittest": self._script.unittest,
            "modules": self._script.modules,
        }
        ending = worker.run(frame(job), reader, limits, self._end, self._hub.script.open)
        if reader.ending is None and self._hub.verdict:
            return self._hub.verdict
        return self._judge(reader.ending or death(ending, fault=reader.fault))

    def _judge(self, ending: Outcome) -> Verdict:
        """Read how the script ended as a finding about the candidate."""
        calls = self._hub.calls
        if ending.ok:
            nothing = f"the script never calls {self._script.entry_point}"
            return Verdict("passed", "") if calls else Verdict("refused", nothing)
        told = ": ".join(filter(None, (ending.error or ending.status, ending.message)))
        told += self._where(ending.micros)
        if not calls:
            return Verdict("broken", f"the script fails before it calls anything: {told}")
        if self._script.world:
            why = f"the script uses {self._script.world}, which the candidate does not share"
            return Verdict("refused", f"{why}: {told}")
        return Verdict("failed", told)

    def _where(self, number: int) -> str:
        """Quote the line of the script that ended it."""
        lines = self._script.code.splitlines()
        return (
            f" (line {number}: {lines[number - 1].strip()})" if 0 < number <= len(lines) else ""
        )

    def _serve(self, worker: WorkerProcess) -> None:
        """Run the candidate until the script needs it no longer."""
        reader, hub = CandidateReader(self._hub), self._hub
        patient = replace(self._limits, wall_seconds=self._script_limits.total_seconds)
        job = self._job(self._limits, self._program, "serve")
        try:
            ending = worker.run(frame(job), reader, patient, self._end, hub.candidate.open)
        except BaseException as error:  # raised again by the other thread
            self._fault = error
            hub.stop("infrastructure", str(error))
            return
        loading = not reader.transcript.loaded
        hub.lost(death(ending, loading=loading, fault=reader.fault))

    def _job(self, limits: Limits, code: str, task: str) -> dict[str, object]:
        return {
            "task": task,
            "code": code,
            "entry": self._script.entry_point,
            "seed": 0,
            "cpu": limits.cpu_seconds,
            "wall": limits.wall_seconds,
            "memory": limits.memory_mb * MEGABYTE,
            "cpu_total": math.ceil(self._script_limits.total_seconds) + 2,
        }
