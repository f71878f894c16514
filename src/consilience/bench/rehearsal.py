"""A model server for rehearsals: it answers from a pool, and remembers all that it served.

No figure about quality comes from it. It serves to count: a sample is identified by its prompt
and its seed, so one that was served twice was paid twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from consilience.sampling import call_text
from consilience.store import digest
from consilience.task import Candidate, Task

ASSERTS = 8
"""Inputs in an answer to a prompt for inputs."""


class PoolServer:
    """Speaks the protocol on the loopback, after a pause, by prompt and seed alone."""

    def __init__(
        self,
        tasks: Sequence[Task],
        pool: Mapping[str, Sequence[Candidate]],
        *,
        pause: float = 0.2,
    ) -> None:
        """Answer for *tasks* with programs of *pool*; take *pause* seconds a request."""
        self._tasks = {task.entry_point: task for task in tasks}
        self._pool = pool
        self._pause = pause
        self._lock = threading.Lock()
        self.served: Counter[str] = Counter()
        """How often each sample was served."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def total(self) -> int:
        """Count the samples served."""
        with self._lock:
            return self.served.total()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request for `n` samples; its seed counts up within the request."""
        prompt, seed = asked["messages"][-1]["content"], int(asked.get("seed") or 0)
        names = [digest(prompt, str(seed + place)) for place in range(asked.get("n") or 1)]
        time.sleep(self._pause)
        texts = [self._text(prompt, int(name[:12], 16)) for name in names]
        with self._lock:
            self.served.update(names)
        return {
            "choices": [
                {
                    "index": place,
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": "stop",
                }
                for place, text in enumerate(texts)
            ],
            "usage": {
                "prompt_tokens": len(prompt) // 4,
                "completion_tokens": sum(map(len, texts)) // 4,
            },
        }

    def _text(self, prompt: str, draw: int) -> str:
        named = [name for name in self._tasks if f"def {name}(" in prompt]
        task = self._tasks[max(named, key=len)]
        if "`assert` statements" in prompt:
            return _asserts(task, draw)
        programs = self._pool[task.id]
        return f"```python\n{programs[draw % len(programs)].code}\n```"


def _asserts(task: Task, draw: int) -> str:
    inputs = task.reference.inputs if task.reference else ()
    few = [inputs[(draw + step * 7) % len(inputs)] for step in range(ASSERTS)]
    return "\n".join(f"assert {call_text(task.entry_point, args)} == 0" for args in few)


def _handler(server: PoolServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = json.dumps(server.answer(asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing on stderr."""

    return Handler
