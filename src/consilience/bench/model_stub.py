"""A model server that costs nothing: to load a service, and to see what it pays for.

It speaks the chat protocol on the loopback interface. Tasks are to add a number; two samples of
three are right, so voters disagree and every input is asked about by itself. Every sample that
was asked for is counted by prompt and seed: asked for twice is paid twice.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

INPUTS = 8
_NUMBER = re.compile(r"def add_(\d+)\(")


class ModelStub(ThreadingHTTPServer):
    """Answers until it is closed; `served` counts the samples asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seconds: float = 0.05) -> None:
        """Take *seconds* for each request."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seconds = seconds
        self.served: Counter[tuple[str, int]] = Counter()
        self.lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address for --base-url."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def count(self) -> int:
        """Count the samples asked for, those twice asked for twice."""
        with self.lock:
            return self.served.total()

    def distinct(self) -> int:
        """Count the samples asked for, each once."""
        with self.lock:
            return len(self.served)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that was killed."""


def task(number: int) -> dict[str, str]:
    """Write the task to add *number*, as an order has it."""
    return {"prompt": f'def add_{number}(n: int) -> int:\n    """Return n plus {number}."""\n'}


def program(number: int, added: int) -> str:
    """Write a program for the task *number* that adds *added*."""
    return f"def add_{number}(n):\n    return n + {added}\n"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelStub

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt, count = asked["messages"][-1]["content"], asked.get("n", 1)
        seeds = [asked.get("seed", 0) + place for place in range(count)]
        time.sleep(self.server.seconds)
        with self.server.lock:
            self.server.served.update((prompt, seed) for seed in seeds)
        choices = [
            {
                "index": place,
                "message": {"role": "assistant", "content": _answer(prompt, seed)},
                "finish_reason": "stop",
            }
            for place, seed in enumerate(seeds)
        ]
        usage = {"prompt_tokens": 60, "completion_tokens": 20 * count}
        self._send(json.dumps({"choices": choices, "usage": usage}).encode())

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""


def _answer(prompt: str, seed: int) -> str:
    found = _NUMBER.search(prompt)
    number = int(found[1]) if found else 0
    if "assert" in prompt:
        lines = [f"assert add_{number}({n}) == {n + number}" for n in range(INPUTS)]
        return "\n".join(lines)
    wrong = "Only this call" not in prompt and seed % 3 == 0
    return f"```python\n{program(number, number + wrong)}```"
