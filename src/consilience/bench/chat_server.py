"""A chat server on the loopback interface that says what it is told to, and counts it.

No figure about quality comes from it: it is there to load a service, to rehearse losses, and to
see what is paid for. A sample is known by its prompt and its seed, which counts up within a
request; one that was asked for twice was paid twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Say = Callable[[str, int], str]
"""Answers a prompt, by the seed of the sample."""


class ChatServer(ThreadingHTTPServer):
    """Answers until it is closed."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        say: Say,
        *,
        seconds: float = 0.0,
        tokens: tuple[int, int] = (50, 20),
        keeps: bool = False,
    ) -> None:
        """Open a port.

        Args:
            say: what to answer.
            seconds: that each request takes.
            tokens: of every prompt, and of every sample, for the usage.
            keeps: connections open for further requests.
        """
        super().__init__(("127.0.0.1", 0), _Handler)
        self.say, self.seconds, self.tokens, self.keeps = say, seconds, tokens, keeps
        self._served: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address for --base-url."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def served(self) -> Counter[tuple[str, int]]:
        """How often each sample was asked for, by prompt and seed."""
        with self._lock:
            return self._served.copy()

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        prompt, first = asked["messages"][-1]["content"], asked.get("seed") or 0
        seeds = range(first, first + (asked.get("n") or 1))
        time.sleep(self.seconds)
        with self._lock:
            self._served.update((prompt, seed) for seed in seeds)
        choices = [
            {
                "index": place,
                "message": {"role": "assistant", "content": self.say(prompt, seed)},
                "finish_reason": "stop",
            }
            for place, seed in enumerate(seeds)
        ]
        read, written = self.tokens
        usage = {"prompt_tokens": read, "completion_tokens": written * len(seeds)}
        return {"choices": choices, "usage": usage}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that was killed."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ChatServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(self.server.answer(asked)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if not self.server.keeps:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""
