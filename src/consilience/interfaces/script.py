"""A script: reads standard input, prints, and ends."""

from __future__ import annotations

from consilience.code import Extraction, Signature
from consilience.code.parsing import parse
from consilience.code.remarks import any_case, roughly
from consilience.code.scripts import script_in
from consilience.interfaces import Kind
from consilience.interfaces.lines import STOPS, spelled
from consilience.task import Probe, Target, Task


class Script:
    """A whole program, run as `python main.py < input`."""

    kind: Kind = "texts"
    prompts = "_shaped"
    stops: tuple[str, ...] = STOPS[:1]  # what a demonstration looks like, a script is

    def target(self, task: Task) -> Target:
        """Run it on a text; what the statement says of comparing outputs is obeyed."""
        return Target(
            "",
            roughly=roughly(task.prompt),
            any_case=any_case(task.prompt),
            project=task.project,
        )

    def title(self, task: Task) -> str:
        """Say how it is driven."""
        return "standard input"

    def noun(self, task: Task) -> str:
        """Call it a program."""
        return "Python program that reads standard input and prints its answer"

    def present(self, task: Task) -> str:
        """Show the statement as it is."""
        return task.prompt.strip("\n")

    def written(self, task: Task, probe: Probe) -> str:
        """Write the text that is read."""
        return spelled("", probe)

    def extract(self, task: Task, text: str, *, truncated: bool = False) -> Extraction:
        """Take the program out of the reply, whole."""
        code = script_in(text)
        if parse(code) is None:
            return Extraction("no_code", "", truncated)
        return Extraction("ok", code, truncated)

    def defines(self, task: Task, code: str) -> bool:
        """Take any program that parses."""
        return parse(code) is not None

    def signature(self, task: Task, source: str) -> Signature | None:
        """Return nothing: a script takes no arguments."""
        return None
