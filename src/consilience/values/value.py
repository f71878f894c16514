"""A value that came out of a program, as data: never an object of that program."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from consilience.values import wire
from consilience.values.canonical import tidy
from consilience.values.encoding import encode
from consilience.values.plain import describe, literal, to_python

# Inside a JSON string every quote is escaped, so `["F"` is a tag, or a pair of a dict: this
# only tells where to look.
_TEXT = r'"(?:[^"\\]|\\.)*"'
_ALIEN = frozenset("Fgox")
_OPAQUE = re.compile(rf'\["(?:[Fgox]"|S",{_TEXT},{_TEXT},1,)')


@dataclass(frozen=True, slots=True)
class Value:
    """A value in wire form (see `wire`).

    `==` compares the text, which tells 1 from 1.0 and True: right for inputs. For outcomes use
    `values.equal`.
    """

    payload: str

    @classmethod
    def from_wire(cls, payload: str) -> Value:
        """Take over text from a child process, or raise `InvalidWireError`."""
        if wire.is_simple(payload):
            return cls(payload)
        return cls(wire.dump(wire.parse(payload)))

    @classmethod
    def of(cls, thing: Any) -> Value:
        """Hold plain data, or raise ValueError."""
        return cls(wire.dump(encode(thing)))

    @classmethod
    def raised(cls, class_name: str) -> Value:
        """Hold an exception of this class as an outcome."""
        return cls(wire.dump(["!", class_name]))

    @classmethod
    def printed(cls, text: str, *, roughly: bool = False) -> Value:
        """Hold text that was printed; *roughly* has its numbers agree within a tolerance."""
        return cls(wire.dump(["p" if roughly else "P", text]))

    @classmethod
    def digest(cls, text: str) -> Value:
        """Hold long printed text by its digest, as it is compared."""
        tidied = tidy(text)
        sha = hashlib.sha256(tidied.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(wire.dump(["H", sha, "printed text", len(tidied), tidied[:200]]))

    @classmethod
    def session(cls, steps: Iterable[Value]) -> Value:
        """Hold what was seen after each step; what a single step gave stands for itself."""
        parts = [step.payload for step in steps]
        return cls(parts[0] if len(parts) == 1 else f'["O",{",".join(parts)}]')

    @classmethod
    def stated(cls, text: str, read: Value | None = None) -> Value:
        """Hold what a task says in a doctest's words, and the value that *text* was read as."""
        parts = [wire.dump(text), *([read.payload] if read else [])]
        return cls(f'["W",{",".join(parts)}]')

    @property
    def steps(self) -> tuple[Value, ...]:
        """What was seen after each step of a session; of anything else, itself."""
        if not self.payload.startswith('["O"'):
            return (self,)
        return tuple(Value(wire.dump(node)) for node in json.loads(self.payload)[1:])

    @property
    def printed_text(self) -> str | None:
        """The text, where it is text that was printed."""
        printed = self.payload.startswith(('["P"', '["p"'))
        return json.loads(self.payload)[1] if printed else None

    @property
    def stated_text(self) -> str | None:
        """The text of a task, where it is what a task says."""
        return json.loads(self.payload)[1] if self.payload.startswith('["W"') else None

    @property
    def in_words(self) -> bool:
        """Tell whether it is, or holds, what a task says: only ever expected, never seen."""
        return '["W"' in self.payload and self._holds("W")

    @property
    def raised_class(self) -> str | None:
        """The class of the exception, where the outcome is one."""
        return json.loads(self.payload)[1] if self.payload.startswith('["!"') else None

    @property
    def opaque(self) -> bool:
        """Tell whether it holds an object that only its own program understands.

        Instances of the program's classes, used-up iterators, functions: never a test.
        """
        if not _OPAQUE.search(self.payload):
            return False
        return any(
            node[0] in _ALIEN or (node[0] == "S" and node[3] == 1) for node in self._tagged()
        )

    @property
    def comparable(self) -> bool:
        """Tell whether it can equal anything: functions and modules cannot."""
        return '["F"' not in self.payload or not self._holds("F")

    def _holds(self, tag: str) -> bool:
        return any(node[0] == tag for node in self._tagged())

    def _tagged(self) -> Iterator[list[Any]]:
        return wire.tagged(wire.load(self.payload))

    def python(self) -> Any:
        """Give back plain data that equals this value, or raise ValueError."""
        return to_python(wire.load(self.payload))

    def literal(self) -> str | None:
        """Write it as a Python expression that needs no import, or give None."""
        try:
            return literal(wire.load(self.payload))
        except ValueError:
            return None

    def preview(self, width: int = 80) -> str:
        """Write it on one line for a person, in at most *width* characters."""
        text = describe(wire.load(self.payload))
        return text if len(text) <= width else text[: width - 1] + "…"
