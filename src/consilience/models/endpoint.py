"""Any server that speaks OpenAI's chat API: hosted, or vLLM, llama.cpp, Ollama, SGLang.

Asks for n samples in one request; where that is not to be had, several requests make up for it.
Each sample has a seed of its own, so that a server which obeys seeds to the letter does not
give one sample n times.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import httpx2

from consilience.backends.local import Threads
from consilience.models import Reply, Sampling
from consilience.models.ask import Ask
from consilience.models.chat import Chat
from consilience.models.connection import Connection

DEFAULT_BASE_URL = "https://api.openai.com/v1"

_SECONDS = 600.0  # without a byte; long answers of slow servers are normal


class Endpoint:
    """A model behind an OpenAI-compatible address."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        workers: int = 4,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Name the model; nothing is sent before the first request.

        Args:
            model: as the server knows it.
            base_url: default: OPENAI_BASE_URL, else OpenAI's own.
            key: default: CONSILIENCE_API_KEY, else OPENAI_API_KEY; with neither, none is sent.
            workers: requests at a time where n has to be made up by several.
            transport: where requests go instead of to the network, for tests.
        """
        address = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        key = key or os.environ.get("CONSILIENCE_API_KEY") or os.environ.get("OPENAI_API_KEY")
        connection = Connection(address, key, timeout=_SECONDS, transport=transport)
        self.name = model
        self._chat = Chat(connection, model)
        self._threads = Threads(workers)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, base_url={self._chat.connection.base_url!r})"

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Draw *n* samples of the answer to *prompt*."""
        batches = self.batches(prompt, n=n, sampling=sampling, seed=seed)
        return [reply for batch in batches for reply in batch]

    def batches(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        first: int = 0,
    ) -> Iterator[list[Reply]]:
        """Yield samples number *first* to *first* + *n* - 1 as they come in, in order.

        Where the server obeys seeds, a sample depends on the prompt, the seed and its own
        number, not on how the samples were spread over requests.
        """
        ask = Ask(prompt, sampling or Sampling(), seed)
        return self._chat.batches(ask, first, n, self._threads)

    def close(self) -> None:
        """Close the sockets."""
        self._chat.connection.close()
