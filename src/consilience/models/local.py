"""A model on this machine: llama.cpp in this process, weights from the registry or a file.

All samples of a prompt come from one request: the prompt is read once, and every step of the
samples shares one pass through the weights (0.5B, two cores: 11 tokens a second alone, 40 with
16 at a time). Requests of several threads share the slots too.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from consilience.backends.local import Threads
from consilience.errors import ModelNotFoundError, ModelUnavailableError
from consilience.models import Reply, Sampling, weights
from consilience.models.ask import Ask
from consilience.models.chat import Chat
from consilience.models.llama import LlamaServer, require
from consilience.store import digest

# llama.cpp's own defaults (top_k 40, min_p 0.05) would distort what temperature and top_p ask
# for. But top_p sorts all 151,000 tokens of the vocabulary, a fifth of the time of the 0.5B
# model (69 tokens a second, 83 without: two cores, 16 slots), so those that are 100,000 times
# less likely than the likeliest go first: together they are far less than the 5 % that top_p
# cuts off. The order stays (temperature last; OpenAI and vLLM divide by it first): another
# would draw other texts for the seeds whose replies are stored.
# The log-probabilities are there to count tokens: its usage is that of the first sample only.
_FIELDS = {
    "top_k": 0,
    "min_p": 1e-5,
    "samplers": ["min_p", "top_p", "temperature"],
    "logprobs": True,
    "top_logprobs": 1,
}
_SLICE = 1 << 20  # bytes at either end of a file that identify it


class LocalModel:
    """An embedded model; its weights are loaded at the first request."""

    def __init__(
        self,
        model: str | os.PathLike[str] = weights.DEFAULT_CODER,
        *,
        slots: int = 16,
        context: int = 2048,
        threads: int | None = None,
        reuse: bool = False,
    ) -> None:
        """Find the weights.

        Args:
            model: a name of the registry, or the path of a GGUF file.
            slots: samples drawn at a time.
            context: tokens of prompt and answer together, of each sample.
            threads: of the computation; default: the cores that this process may use.
            reuse: do not read the beginning of a prompt again that a slot has just read. Saves
                a few seconds a prompt, but then a seed gives the same text only most times, for
                the rounding depends on how much was read at once.

        Raises:
            MissingExtraError: xllamacpp is not installed.
            WeightsError: the weights are not on this machine.
            ModelNotFoundError: there is neither such a name nor such a file.
        """
        require()
        self._file, self.name = _found(model)
        self._slots, self._context = slots, context
        self._compute = threads or _cores()
        self._fields = {**_FIELDS, "cache_prompt": reuse}
        self._lock = threading.Lock()
        self._server: LlamaServer | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"LocalModel({self.name!r})"

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
        """Yield samples number *first* to *first* + *n* - 1, at most `slots` at a time."""
        chat = Chat(
            self._started().connection, self.name, most=self._slots, fields=self._fields
        )
        return chat.batches(Ask(prompt, sampling or Sampling(), seed), first, n, Threads(1))

    def close(self) -> None:
        """Free the weights; a request on its way fails."""
        with self._lock:
            self._closed = True
            if self._server is not None:
                self._server.close()
            self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> LlamaServer:
        with self._lock:
            if self._closed:
                message = f"{self.name} was closed."
                raise ModelUnavailableError(message)
            if self._server is None:
                self._server = LlamaServer(
                    self._file, slots=self._slots, context=self._context, threads=self._compute
                )
            return self._server


def _found(model: str | os.PathLike[str]) -> tuple[Path, str]:
    """Return the file and the name under which its replies are stored."""
    coders = [entry.name for entry in weights.entries() if entry.kind == "coder"]
    if isinstance(model, str) and model in coders:
        return weights.path(model), model
    file = Path(model).expanduser()
    if file.is_file():
        return file, f"{file.stem}@{_fingerprint(file)}"
    message = f"There is no model {str(model)!r}: neither a file nor a name of the registry."
    raise ModelNotFoundError(
        message, hint=f"Known names: {', '.join(coders)}. Or give a GGUF file."
    )


def _fingerprint(file: Path) -> str:
    """Tell two files of one name apart without reading all of them."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        head = opened.read(_SLICE)
        opened.seek(max(0, size - _SLICE))
        return digest(str(size), head, opened.read(_SLICE))[:8]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
