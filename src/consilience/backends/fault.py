"""An error that travels between processes: its class, its sentence, its hint."""

from __future__ import annotations

from dataclasses import dataclass

from consilience.errors import ConsilienceError


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of ours, as data; exceptions with own signatures do not survive pickling."""

    kind: type[ConsilienceError]
    message: str
    hint: str

    @classmethod
    def of(cls, error: ConsilienceError, *, place: str = "") -> Fault:
        """Take down *error*, and where it happened."""
        message = f"On {place}: {error}" if place else f"{error}"
        return cls(type(error), message, error.hint)

    def error(self) -> ConsilienceError:
        """Make the error again: of the same class, without its own signature."""
        error = self.kind.__new__(self.kind)
        ConsilienceError.__init__(error, self.message, hint=self.hint)
        return error
