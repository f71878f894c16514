"""An error that travels between processes: its class, its sentence, its hint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from consilience.errors import ConsilienceError


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of ours, as data; exceptions with own signatures do not survive pickling."""

    kind: type[ConsilienceError]
    message: str
    state: dict[str, Any] = field(default_factory=dict)
    """What else the error says: its hint, what had come by then."""

    @classmethod
    def of(cls, error: ConsilienceError, *, place: str = "") -> Fault:
        """Take down *error*, and where it happened."""
        message = f"On {place}: {error}" if place else f"{error}"
        return cls(type(error), message, vars(error) | {"hint": error.hint})

    def error(self) -> ConsilienceError:
        """Make the error again: of the same class, without its own signature."""
        error = self.kind.__new__(self.kind)
        ConsilienceError.__init__(error, self.message)
        vars(error).update(self.state)
        return error
