"""What a program is, for all who must know: how it is driven, written about, found in text.

A task is a function, a method, a class or a script (`Task.shape`). Each shape is one module
here, named in `registry`; nothing else in the house asks which shape a task has. What drives a
program is a probe (`task.Probe`); the three kinds of probe are told apart by their type.
"""

from __future__ import annotations

from typing import Literal, Protocol

from consilience.code import Extraction, Signature
from consilience.task import Probe, Target, Task

Kind = Literal["calls", "lines", "texts"]
"""What drives a program: arguments as plain data, lines of Python, texts to be read."""


class Interface(Protocol):
    """What a shape of program knows of itself."""

    @property
    def kind(self) -> Kind:
        """What drives such programs, unless the task's examples or parameters ask for lines."""
        ...

    @property
    def prompts(self) -> str:
        """What the names of its prompts end in: nothing for functions."""
        ...

    @property
    def stops(self) -> tuple[str, ...]:
        """Texts behind which a reply holds no more of the program; servers take four."""
        ...

    def target(self, task: Task) -> Target:
        """Say what the sandbox drives, what stands around it, and what is seen of it."""
        ...

    def title(self, task: Task) -> str:
        """Name what is judged, for a person: `f`, `Solution.f`, "standard input"."""
        ...

    def noun(self, task: Task) -> str:
        """Say what is to be written, for a model: "Python class `Stack`"."""
        ...

    def present(self, task: Task) -> str:
        """Show the task as a prompt shows it."""
        ...

    def written(self, task: Task, probe: Probe) -> str:
        """Write *probe* as a person would: a call, lines of Python, a text."""
        ...

    def extract(self, task: Task, text: str, *, truncated: bool = False) -> Extraction:
        """Take the program for *task* out of a reply."""
        ...

    def defines(self, task: Task, code: str) -> bool:
        """Tell whether *code* is a whole program that defines what is driven."""
        ...

    def signature(self, task: Task, source: str) -> Signature | None:
        """Find in *source* what a call of the target takes; None where there are no calls."""
        ...
