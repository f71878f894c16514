"""Kill -9 in the middle of a run, start it again: the same result, and no reply paid twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from consilience.store import Store

NAMES = ("add", "subtract", "multiply")
SIGNS = {"add": "+", "subtract": "-", "multiply": "*"}
RUN = "import sys; from consilience.cli import main; sys.exit(main(sys.argv[1:]))"


class Stub(BaseHTTPRequestHandler):
    """A slow server that answers by the prompt alone, and counts the samples it has served."""

    served = 0
    lock = threading.Lock()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt, count = asked["messages"][-1]["content"], asked.get("n", 1)
        time.sleep(0.15)
        name = next(name for name in NAMES if f"def {name}(" in prompt)
        text = f"```python\ndef {name}(a, b):\n    return a {SIGNS[name]} b\n```"
        if "assert" in prompt:
            text = "\n".join(f"assert {name}({n}, {n + 1}) == 0" for n in range(6))
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        choices = [choice | {"index": place} for place in range(count)]
        usage = {"prompt_tokens": 9, "completion_tokens": 7 * count}
        data = json.dumps({"choices": choices, "usage": usage}).encode()
        with Stub.lock:
            Stub.served += count
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            pass  # the client was killed

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def command(url: str, tasks: Path, store: Path) -> list[str]:
    words = ["judge", tasks, "-n", "2", "--json", "--quiet", "--workers", "1", "-m", "stub"]
    options = ["--preset", "economy", "--method", "tt", "--inputs", "4", "--store", store]
    return [sys.executable, "-c", RUN, *map(str, [*words, *options, "--base-url", url])]


def stored(path: Path) -> int:
    with Store(path) as store:
        return sum(held.count for held in store.info())


def test_a_killed_run_goes_on_and_pays_for_nothing_twice(url: str, tmp_path: Path):
    tasks = tmp_path / "tasks.jsonl"
    rows = [
        {
            "task_id": name,
            "prompt": f'def {name}(a: int, b: int) -> int:\n    """{name} the two."""\n',
            "entry_point": name,
        }
        for name in NAMES
    ]
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    begun = Stub.served
    whole = subprocess.run(
        command(url, tasks, tmp_path / "a.sqlite"), capture_output=True, check=True
    )
    price = Stub.served - begun

    killed = subprocess.Popen(
        command(url, tasks, tmp_path / "b.sqlite"), stdout=subprocess.DEVNULL
    )
    while Stub.served < begun + price + price // 2:
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    time.sleep(0.5)  # requests that were under way are served to nobody
    kept, before = stored(tmp_path / "b.sqlite"), Stub.served
    assert 0 < kept < price

    again = subprocess.run(
        command(url, tasks, tmp_path / "b.sqlite"), capture_output=True, check=True
    )
    assert again.stdout == whole.stdout
    assert Stub.served - before == price - kept


def test_an_interrupted_run_says_how_to_go_on(url: str, tmp_path: Path):
    task = tmp_path / "add.py"
    task.write_text(
        'def add(a: int, b: int) -> int:\n    """Add the two."""\n', encoding="utf-8"
    )
    before = Stub.served
    run = subprocess.Popen(
        command(url, task, tmp_path / "c.sqlite"), stderr=subprocess.PIPE, text=True
    )
    while Stub.served == before:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "Traceback" not in told
    assert "run the same command to go on" in told
