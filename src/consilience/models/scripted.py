"""A model that says what it was told to say: for tests and rehearsals."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from consilience.errors import ModelError
from consilience.models import Reply, Sampling, Usage

Script = Sequence[str | Reply] | Callable[[str, int], str | Reply]


class ScriptedModel:
    """Answers from a list, in order, or from a function of (prompt, index of the sample).

    With a list, the samples of all prompts are dealt from it one after the other; when it is
    used up, that is a `ModelError`. With a function, the index counts the samples asked of that
    prompt over the model's life: two requests for one sample are like one request for two.
    """

    def __init__(self, replies: Script, *, name: str = "scripted") -> None:
        self.name = name
        self.prompts: list[str] = []
        """Every prompt asked, one entry a request."""
        self.requests: list[tuple[str, int, int | None]] = []
        """(prompt, n, seed) of every request."""
        self._replies = replies
        self._given = 0
        self._asked: dict[str, int] = {}
        self._lock = threading.Lock()

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Return the next *n* scripted replies; a token is counted for each word."""
        return self._answer(prompt, n, seed, None)

    def batches(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        first: int = 0,
    ) -> Iterator[list[Reply]]:
        """Answer with samples number *first* on: the form in which a `StoredModel` asks."""
        yield self._answer(prompt, n, seed, first)

    def _answer(self, prompt: str, n: int, seed: int | None, first: int | None) -> list[Reply]:
        with self._lock:
            first = self._asked.get(prompt, 0) if first is None else first
            self.prompts.append(prompt)
            self.requests.append((prompt, n, seed))
            self._asked[prompt] = first + n
            texts = [self._say(prompt, index) for index in range(first, first + n)]
        return [_reply(text, prompt if place == 0 else "") for place, text in enumerate(texts)]

    def _say(self, prompt: str, index: int) -> str | Reply:
        if callable(self._replies):
            return self._replies(prompt, index)
        if self._given == len(self._replies):
            message = f"The script of {self.name} is used up after {self._given} replies."
            raise ModelError(message)
        self._given += 1
        return self._replies[self._given - 1]


def _reply(said: str | Reply, prompt: str) -> Reply:
    """Count words as tokens; *prompt* is empty on all but a request's first reply."""
    if isinstance(said, Reply):
        return said
    return Reply(said, usage=Usage(len(prompt.split()), len(said.split()), int(bool(prompt))))
