"""Vectors from any server that speaks OpenAI's /v1/embeddings."""

from __future__ import annotations

import os
from typing import Any

import httpx2
import numpy as np
import numpy.typing as npt

from consilience.errors import BadReplyError
from consilience.models.connection import Connection
from consilience.models.endpoint import DEFAULT_BASE_URL
from consilience.models.refusal import RefusedError, TooLongError

Array = npt.NDArray[np.float32]

_BATCH = 64
_SHORTEST = 16  # characters; a text this short that is refused will not pass when halved


class EmbeddingEndpoint:
    """An encoder behind an OpenAI-compatible address.

    A text that the server calls too long is halved until it passes, and its parts' vectors are
    averaged; `windows` then tells. A refused batch is taken apart, so one text cannot void it.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Name the model; nothing is sent before the first text."""
        address = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        key = key or os.environ.get("CONSILIENCE_API_KEY") or os.environ.get("OPENAI_API_KEY")
        self._connection = Connection(address, key, timeout=600.0, transport=transport)
        self._model = model
        self._parts: dict[str, int] = {}
        self.name = f"{model} at {address}"

    def encode(self, sentences: list[str], /) -> Array:
        """Return one vector for each text; zero for a blank one, which servers refuse."""
        asked = [text for text in sentences if text.strip()]
        rows: list[Array] = []
        for start in range(0, len(asked), _BATCH):
            rows += self._batch(asked[start : start + _BATCH])
        vectors = np.zeros((len(sentences), len(rows[0]) if rows else 1), dtype=np.float32)
        places = [index for index, text in enumerate(sentences) if text.strip()]
        for place, row in zip(places, rows, strict=True):
            if len(row) != vectors.shape[1]:
                raise BadReplyError("The server returned vectors of different lengths.")
            vectors[place] = row
        return vectors

    def windows(self, text: str) -> int:
        """Tell into how many parts a text had to be split when it was encoded."""
        return self._parts.get(text, 1)

    def close(self) -> None:
        """Close the sockets."""
        self._connection.close()

    def _batch(self, texts: list[str]) -> list[Array]:
        try:
            return self._ask(texts)
        except RefusedError as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._batch(texts[:middle]) + self._batch(texts[middle:])
            if not isinstance(error, TooLongError) or len(texts[0]) <= _SHORTEST:
                raise
            return [self._pooled(texts[0])]

    def _pooled(self, text: str) -> Array:
        """Average the unit vectors of a text's halves, weighted by their length."""
        middle = _line_near_middle(text)
        halves = [half for half in (text[:middle], text[middle:]) if half.strip()]
        total = np.sum(
            [len(half) * _unit(row) for half in halves for row in self._batch([half])], axis=0
        )
        self._parts[text] = sum(self.windows(half) for half in halves)
        return np.asarray(_unit(total), dtype=np.float32)

    def _ask(self, texts: list[str]) -> list[Array]:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        return self._connection.post(
            "/embeddings", body, lambda answer: _rows(answer, len(texts))
        )


def _line_near_middle(text: str) -> int:
    """Cut after the last line that ends in the second quarter, else at the middle."""
    middle = len(text) // 2
    line = text.rfind("\n", middle // 2, middle) + 1
    return line or middle


def _unit(row: Array) -> Array:
    length = float(np.linalg.norm(row))
    return row / np.float32(length) if length > 0 else row


def _rows(answer: dict[str, Any], count: int) -> list[Array]:
    """Read the vectors in the order of the texts: by `index` where given, else as they come."""
    try:
        data = list(answer["data"])
        if all("index" in each for each in data):
            data.sort(key=lambda each: int(each["index"]))
        rows = [np.asarray(each["embedding"], dtype=np.float32) for each in data]
    except (KeyError, TypeError, ValueError) as error:
        raise BadReplyError("The server's answer holds no vectors.") from error
    if len(rows) != count or any(row.ndim != 1 or not np.isfinite(row).all() for row in rows):
        message = f"The server did not return one finite vector for each of {count} texts."
        raise BadReplyError(message)
    return rows
