"""A script's way through its inputs: a process an input, with real standard streams.

What a script printed is what the kernel carried through the pipe, whoever wrote it and however
the script ended; what its process says of itself is only how.
"""

from __future__ import annotations

import marshal
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final

from consilience.sandbox import Outcome
from consilience.sandbox.execution import Execution, death
from consilience.sandbox.job import MEGABYTE, PATIENCE, Job, Transcript
from consilience.sandbox.process import Ending, WorkerProcess
from consilience.task import Target
from consilience.values import Value

MOST: Final = 8 * MEGABYTE
"""Bytes that a script may print."""
WHOLE: Final = 160_000
"""Characters up to which printed text is kept; of longer text a digest."""
CHUNK: Final = 1 << 16


@dataclass(slots=True)
class ScriptRun:
    """One script's way through its inputs."""

    job: Job
    outcomes: list[Outcome] = field(default_factory=list)
    printed: int = 0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    deaths: int = 0

    def on(self, worker: WorkerProcess) -> Execution:
        """Run the script on every input, each time anew."""
        end = time.monotonic() + self.job.limits.total_seconds
        for place in range(self.job.start, self.job.stop):
            self.outcomes.append(self._spared(end) or self._once(worker, place, end))
        return Execution(
            tuple(self.outcomes), self.printed, self.cpu_seconds, self.peak_memory, self.deaths
        )

    def _spared(self, end: float) -> Outcome | None:
        if time.monotonic() > end:
            return Outcome("skipped", message="the program's whole time is over")
        late = sum(outcome.status == "timeout" for outcome in self.outcomes)
        if late >= PATIENCE:
            return Outcome("skipped", message="it ran out of time before")
        return None

    def _once(self, worker: WorkerProcess, place: int, end: float) -> Outcome:
        job = replace(self.job, start=place, stop=place + 1)
        transcript = Transcript(place, place + 1)
        with _streams(marshal.loads(self.job.inputs[place])) as (theirs, output):  # noqa: S302
            ending = worker.run(job.pack(), transcript, job.limits, end, streams=theirs)
        self.cpu_seconds += ending.cpu_seconds
        self.peak_memory = max(self.peak_memory, ending.peak_memory)
        self.printed += len(output.data)
        outcome = _ended(transcript, ending)
        self.deaths += not transcript.outcomes
        if output.overflow:
            return Outcome("too_large", message=f"it printed more than {MOST >> 20} MiB")
        if outcome.status != "ok":
            return outcome
        return replace(outcome, value=observed(output.data, self.job.target))


def observed(data: bytearray, target: Target) -> Value:
    """Return what was printed as it is compared: whole, or of long text its digest."""
    text = data.decode("utf-8", "replace")
    text = text.casefold() if target.any_case else text
    if len(text) <= WHOLE:
        return Value.printed(text, roughly=target.roughly)
    return Value.digest(text)


def _ended(transcript: Transcript, ending: Ending) -> Outcome:
    """Tell how the process ended: by its own word, or else by how it died."""
    if transcript.outcomes and not ending.killed:
        return transcript.outcomes[0]
    left = os.WIFEXITED(ending.status) and os.WEXITSTATUS(ending.status) == 0
    if transcript.loaded and left and not (ending.killed or transcript.fault):
        return Outcome("ok")  # os._exit(0): it has printed and left
    return death(ending, loading=not transcript.loaded, fault=transcript.fault)


@dataclass(slots=True)
class _Output:
    """What came through the pipe, up to the limit."""

    data: bytearray = field(default_factory=bytearray)
    overflow: bool = False

    def read(self, pipe: int) -> None:
        """Read to the end; close the pipe early on a script that prints without end."""
        with suppress(OSError):
            while part := os.read(pipe, CHUNK):
                if len(self.data) + len(part) > MOST:
                    self.overflow = True
                    break
                self.data += part
        os.close(pipe)


@contextmanager
def _streams(text: str) -> Iterator[tuple[tuple[int, int], _Output]]:
    """Lend a file that holds *text* and the pipe's end to write to; read the other end."""
    stdin = _file_with(text.encode("utf-8", "surrogateescape"))
    ours, theirs = os.pipe()
    output = _Output()
    reader = threading.Thread(target=output.read, args=(ours,), daemon=True)
    reader.start()
    try:
        yield (stdin, theirs), output
    finally:
        os.close(stdin)
        os.close(theirs)
        reader.join()


def _file_with(data: bytes) -> int:
    """Return a descriptor of a file in memory that can be read and not be written."""
    writable = os.memfd_create("stdin")
    try:
        with os.fdopen(os.dup(writable), "wb") as file:
            file.write(data)
        return os.open(f"/proc/self/fd/{writable}", os.O_RDONLY)
    finally:
        os.close(writable)
