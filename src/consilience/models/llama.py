"""Run llama.cpp's server inside this process, reachable from this process only.

The server listens on a free port of the loopback interface and wants a key that is made up anew
each time. Asking it over HTTP costs about a millisecond, and unlike its direct call it can be
interrupted: Ctrl-C closes the socket, and the server stops generating.
"""

from __future__ import annotations

import atexit
import importlib
import os
import secrets
from pathlib import Path
from typing import Any

from consilience.errors import MissingExtraError, WeightsError
from consilience.models.connection import Connection
from consilience.models.loopback import Loopback

_SILENT = -1  # llama.cpp writes to stdout otherwise, which is for results


class LlamaServer:
    """A loaded model that answers over HTTP."""

    def __init__(self, weights: Path, *, slots: int, context: int, threads: int) -> None:
        """Load *weights* (GGUF).

        Args:
            weights: the file.
            slots: samples drawn at a time; they share the weights' pass through memory.
            context: tokens of prompt and answer, of each slot.
            threads: of the computation.

        Raises:
            MissingExtraError: xllamacpp is not installed.
            WeightsError: the file cannot be loaded.
        """
        library = _library()
        key = secrets.token_hex(16)
        settings = _settings(library, weights, key)
        settings.n_parallel = slots
        settings.n_ctx = slots * context
        settings.n_threads_http = 2 * slots
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        try:
            self._server: Any = library.Server(settings)
        except (RuntimeError, ValueError) as error:
            message = f"llama.cpp cannot load {weights}: {error}."
            raise WeightsError(message, hint="Is it a complete GGUF file?") from error
        address = f"{self._server.listening_address}/v1"
        self.connection = Connection(address, key, transport=Loopback())
        atexit.register(self.close)  # at its own end the interpreter would wait for the answers

    def close(self) -> None:
        """End the server and free the weights; a request on its way fails."""
        atexit.unregister(self.close)
        self.connection.close()
        self._server = None


def require() -> None:
    """Raise a `MissingExtraError` where llama.cpp is not installed."""
    _library()


def _library() -> Any:
    # Threads that spin while they wait cost five times the CPU on a shared machine (measured).
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as error:
        message = "xllamacpp"
        raise MissingExtraError(message, "local") from error


def _settings(library: Any, weights: Path, key: str) -> Any:
    settings = library.CommonParams()
    settings.model.path = str(weights)
    settings.api_keys = [key]
    settings.verbosity = _SILENT
    settings.fit_params = False  # would load the weights twice
    settings.warmup = False
    settings.ui = False
    settings.endpoint_slots = False
    return settings
