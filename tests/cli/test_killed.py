"""Kill -9 in the middle of a run, start it again: the same result, and no reply paid twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.bench.chat_server import ChatServer
from consilience.store import Store

NAMES = ("add", "subtract", "multiply")
SIGNS = {"add": "+", "subtract": "-", "multiply": "*"}
RUN = "import sys; from consilience.cli import main; sys.exit(main(sys.argv[1:]))"


def say(prompt: str, seed: int) -> str:
    name = next(name for name in NAMES if f"def {name}(" in prompt)
    if "assert" in prompt:
        return "\n".join(f"assert {name}({n}, {n + 1}) == 0" for n in range(6))
    return f"```python\ndef {name}(a, b):\n    return a {SIGNS[name]} b\n```"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Serve slowly, by the prompt alone, and count the samples."""
    with ChatServer(say, seconds=0.15, tokens=(9, 7)) as server:
        yield server


def command(url: str, tasks: Path, store: Path) -> list[str]:
    words = ["judge", tasks, "-n", "2", "--json", "--quiet", "--workers", "1", "-m", "stub"]
    options = ["--preset", "economy", "--method", "tt", "--inputs", "4", "--store", store]
    return [sys.executable, "-c", RUN, *map(str, [*words, *options, "--base-url", url])]


def stored(path: Path) -> int:
    with Store(path) as store:
        return sum(held.count for held in store.info())


def test_a_killed_run_goes_on_and_pays_for_nothing_twice(server: ChatServer, tmp_path: Path):
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
    begun = server.served.total()
    whole = subprocess.run(
        command(server.url, tasks, tmp_path / "a.sqlite"), capture_output=True, check=True
    )
    price = server.served.total() - begun

    killed = subprocess.Popen(
        command(server.url, tasks, tmp_path / "b.sqlite"), stdout=subprocess.DEVNULL
    )
    while server.served.total() < begun + price + price // 2:
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    time.sleep(0.5)  # requests that were under way are served to nobody
    kept, before = stored(tmp_path / "b.sqlite"), server.served.total()
    assert 0 < kept < price

    again = subprocess.run(
        command(server.url, tasks, tmp_path / "b.sqlite"), capture_output=True, check=True
    )
    assert again.stdout == whole.stdout
    assert server.served.total() - before == price - kept


def test_an_interrupted_run_says_how_to_go_on(server: ChatServer, tmp_path: Path):
    task = tmp_path / "add.py"
    task.write_text(
        'def add(a: int, b: int) -> int:\n    """Add the two."""\n', encoding="utf-8"
    )
    before = server.served.total()
    run = subprocess.Popen(
        command(server.url, task, tmp_path / "c.sqlite"), stderr=subprocess.PIPE, text=True
    )
    while server.served.total() == before:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "Traceback" not in told
    assert "run the same command to go on" in told
