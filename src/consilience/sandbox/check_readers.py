"""What the two sides of a check say, taken apart line by line and handed to the hub."""

from __future__ import annotations

from consilience.sandbox import Outcome, Status
from consilience.sandbox.check_hub import MOST_CALLS, Hub
from consilience.sandbox.job import MAX_LINE, MAX_TOTAL, Transcript


class CandidateReader:
    """Reads the candidate's side."""

    def __init__(self, hub: Hub) -> None:
        self.transcript = Transcript(0, MOST_CALLS)
        self._hub = hub
        self._fault: Status | None = None
        self._told = 0

    @property
    def fault(self) -> Status | None:
        """Why the candidate must be stopped, or None."""
        fault = self._fault or self.transcript.fault
        return "timeout" if fault is None and self._hub.overdue() else fault

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        was_loaded = self.transcript.loaded
        self.transcript.feed(data)
        if self.transcript.load_failure:
            self._hub.lost(self.transcript.load_failure)
            return
        if self.transcript.loaded and not was_loaded:
            self._hub.loaded()
        if self.transcript.fault:
            return
        fresh, self._told = self.transcript.outcomes[self._told :], self.transcript.position
        try:
            for outcome in fresh:
                self._hub.answer(outcome)
        except ValueError:
            self._fault = "protocol"


class ScriptReader:
    """Reads the script's side."""

    def __init__(self, hub: Hub) -> None:
        self.ending: Outcome | None = None
        self._hub = hub
        self._rest = b""
        self._total = 0
        self._fault: Status | None = None

    @property
    def fault(self) -> Status | None:
        """Why the script must be stopped, or None."""
        return "skipped" if self._fault is None and self._hub.verdict else self._fault

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._total += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        try:
            for line in lines:
                self._line(line)
        except (ValueError, IndexError, RecursionError):
            self._fault = "protocol"
        if len(self._rest) > MAX_LINE or self._total > MAX_TOTAL:
            self._fault, self._rest = "too_large", b""

    def _line(self, line: bytes) -> None:
        kind, _, rest = line.partition(b"\t")
        if self._fault or self.ending or self._hub.verdict:
            return
        if kind == b"C":
            index, _, payload = rest.partition(b"\t")
            if index != b"%d" % self._hub.calls:
                raise ValueError("not the next call")
            self._hub.call(payload.decode("ascii"))
        elif kind == b"E":
            self.ending = _ending(rest)
            if self._hub.unanswered():  # it gave up waiting: whatever it says, it found nothing
                self._hub.stop("failed", f"call {self._hub.calls} was not answered in time")
                self.ending = None
        else:
            raise ValueError("not a line of a script")


def _ending(rest: bytes) -> Outcome:
    """Read how the script says that it ended, by the rules for a call of a candidate."""
    if rest == b"ok\t0\t0\t-":
        return Outcome("ok")
    transcript = Transcript(0, 1)
    transcript.feed(b"0\t" + rest + b"\n")
    if not transcript.outcomes:
        raise ValueError("not an ending")
    return transcript.outcomes[0]
