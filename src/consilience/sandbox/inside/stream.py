"""What stands in for standard output while a function runs: it counts, and keeps the start."""

from __future__ import annotations

import io
from typing import Any, Final

KEPT: Final = 200_000
"""Characters kept of what one call prints; a call that prints more shows its start alone."""


class Sink(io.TextIOBase):
    """Takes what is printed, counts it, and keeps what came since `begin`."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.parts: list[str] = []
        self.room = KEPT
        self.buffer = _ByteSink(self)

    def begin(self) -> None:
        """Forget what was printed so far."""
        if self.parts:
            self.parts = []
            self.room = KEPT

    @property
    def text(self) -> str:
        """What was printed since `begin`."""
        return "".join(self.parts)

    def write(self, text: str) -> int:
        """Take *text*."""
        if not isinstance(text, str):
            message = f"write() argument must be str, not {type(text).__name__}"
            raise TypeError(message)
        size = len(text)
        self.count += size
        if self.room > 0:
            self.parts.append(str.__getitem__(text, slice(self.room)))
            self.room -= size
        return size

    def writable(self) -> bool:
        """Say yes."""
        return True


class _ByteSink(io.RawIOBase):
    def __init__(self, sink: Sink) -> None:
        super().__init__()
        self._sink = sink

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self._sink.write(view.tobytes().decode("utf-8", "replace"))
        return view.nbytes

    def writable(self) -> bool:
        """Say yes."""
        return True
