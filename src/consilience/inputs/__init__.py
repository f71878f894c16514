"""The inputs that every method of a comparison shares.

`seeds` reads them out of a model's reply, `disagreement` selects, `mutation` multiplies. This
module only says what a finished set is. No reference solution is ever asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from consilience.task import Origin, TestInput


@dataclass(frozen=True, slots=True)
class InputSet:
    """The inputs of one task, and what was left out on the way."""

    inputs: tuple[TestInput, ...]
    dropped: tuple[tuple[str, str], ...] = ()
    """Texts or calls that became no input, each with the reason."""

    @property
    def counts(self) -> Mapping[Origin, int]:
        """Count the inputs by where they came from."""
        return Counter(test_input.origin for test_input in self.inputs)
