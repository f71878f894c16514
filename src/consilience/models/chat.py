"""Ask one model for samples, and learn what its server can do.

A server may refuse n (or n above its slots), or ignore it and give fewer samples, or want the
token limit under its newer name. Each is noticed once, remembered, and worked around.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from consilience.backends import Backend
from consilience.errors import ModelError, ModelNotFoundError
from consilience.models import Reply
from consilience.models.answer import read
from consilience.models.ask import Ask
from consilience.models.connection import Answer, Connection
from consilience.models.refusal import RefusedError, TooLongError

_NEWER_LIMIT = "max_completion_tokens"


class Chat:
    """The requests to one model of one server."""

    def __init__(
        self,
        connection: Connection,
        model: str,
        *,
        most: int | None = None,
        fields: Answer | None = None,
    ) -> None:
        """Prepare; nothing is sent.

        Args:
            connection: to the server.
            model: as the server knows it.
            most: samples that a request may ask for; null: to be found out.
            fields: sent with every request, unless the sampling says otherwise.
        """
        self.connection = connection
        self._model = model
        self._most = most
        self._fields = fields or {}
        self._limit = "max_tokens"

    def batches(self, ask: Ask, first: int, n: int, backend: Backend) -> Iterator[list[Reply]]:
        """Yield the samples *first* to *first* + *n* - 1 as they come in, in order.

        The first request finds out how many the server gives; the rest go out side by side.
        """
        opening = self._once(ask, first, n)
        yield opening
        size = self._fitting(n)
        starts = range(first + len(opening), first + n, size)
        shares = [(start, min(size, first + n - start)) for start in starts]
        yield from backend.map(lambda share: self._fill(ask, *share), shares)

    def _fill(self, ask: Ask, first: int, n: int) -> list[Reply]:
        """Ask as often as it takes to get *n* samples."""
        replies: list[Reply] = []
        while len(replies) < n:
            replies += self._once(ask, first + len(replies), n - len(replies))
        return replies

    def _once(self, ask: Ask, first: int, n: int) -> list[Reply]:
        """Ask for *n* samples and return those that one request gave: at least one."""
        n = self._fitting(n)
        try:
            replies, offered = self._post(ask, first, n)
        except ModelNotFoundError as error:
            raise self._with_offers(error) from error
        except RefusedError as error:
            return self._ask_for_less(ask, first, n, error)
        if offered < n:
            self._most = offered
        return replies

    def _post(self, ask: Ask, first: int, n: int) -> tuple[list[Reply], int]:
        body = {"model": self._model, **self._fields, **ask.body(first, n)}
        body[self._limit] = body.pop("max_tokens")

        def parse(answer: Answer) -> tuple[list[Reply], int]:
            replies = read(answer, ask.prompt)[:n]
            return replies, len(answer["choices"])

        replies, offered = self.connection.post("/chat/completions", body, parse)
        if not ask.sampling.logprobs:  # asked for by `fields`, only to count tokens
            replies = [replace(reply, logprobs=()) for reply in replies]
        return replies, offered

    def _ask_for_less(self, ask: Ask, first: int, n: int, error: RefusedError) -> list[Reply]:
        if _NEWER_LIMIT in str(error) and self._limit != _NEWER_LIMIT:
            self._limit = _NEWER_LIMIT
            return self._once(ask, first, n)
        if n == 1 or isinstance(error, TooLongError):
            raise error
        # It may be n that was refused: by some above their slots, by others above one.
        half = n // 2
        replies = self._once(ask, first, half)
        self._most = self._fitting(half)
        return replies

    def _fitting(self, n: int) -> int:
        """Tell how many of *n* samples one request may ask for."""
        return n if self._most is None else min(n, self._most)

    def _with_offers(self, error: ModelNotFoundError) -> ModelNotFoundError:
        try:
            listed = self.connection.get("/models").get("data")
        except ModelError:
            return error
        names = [str(entry.get("id")) for entry in listed or () if isinstance(entry, dict)]
        if not names:
            return error
        shown = ", ".join(sorted(names)[:12]) + (", ..." if len(names) > 12 else "")
        return ModelNotFoundError(str(error), hint=f"It offers: {shown}.")
