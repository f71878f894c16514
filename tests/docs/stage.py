"""Where the blocks of the docs are run: a folder with the files they name, and a model.

The model is a script behind a real server on the loopback interface. It stands in for the
embedded model and for every server that a page names, so that the blocks run as they are
printed, in seconds and without weights. What it cannot show is how good a model is.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from consilience.bench.chat_server import ChatServer
from consilience.models import choice, endpoint, weights

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "second_largest": (
        "def second_largest(numbers):\n    found = sorted(set(numbers))\n"
        "    return found[-2] if len(found) > 1 else None\n"
    ),
    "double": "def double(n):\n    return 2 * n\n",
    "negate": "def negate(n):\n    return -n\n",
    "clamp": "def clamp(x, low, high):\n    return max(low, min(x, high))\n",
}
CALLS = {
    "second_largest": ["[]", "[1, 1]", "[2, 10, 10, 2]", "[5, 3, 9]", "[7]", "[-1, -1, 0]"],
    "double": ["0", "3", "-4", "10", "7"],
    "negate": ["0", "3", "-4", "10", "7"],
    "clamp": ["5, 0, 3", "-1, 0, 3", "2, 0, 3"],
}


def answer(prompt: str) -> str:
    """Play a model that knows the tasks of the docs: asserts as inputs, right programs."""
    named = [name for name in PROGRAMS if re.search(rf"\b{name}\b", prompt)]
    name = named[0] if named else "double"
    if "assert" in prompt:
        return "\n".join(f"assert {name}({call}) == 0" for call in CALLS[name])
    return f"```python\n{PROGRAMS[name]}```"


@contextmanager
def server() -> Iterator[str]:
    """Serve the script; give the address."""
    with ChatServer(lambda prompt, seed: answer(prompt)) as web:
        yield web.url


def direct(monkeypatch: pytest.MonkeyPatch, url: str, folder: Path) -> None:
    """Send every model that a block names to *url*, and every cache into *folder*."""
    real = endpoint.Endpoint

    def named(name: str, **_: object) -> endpoint.Endpoint:
        return real(name, base_url=url)

    monkeypatch.setattr(endpoint, "Endpoint", named)
    monkeypatch.setattr(choice, "Endpoint", named)
    monkeypatch.setattr(choice, "LocalModel", named)
    monkeypatch.setenv("OPENAI_API_KEY", "for-the-stub")
    monkeypatch.setenv("CONSILIENCE_CACHE", str(folder / "cache"))
    monkeypatch.setattr(weights, "status", lambda name: _Absent())
    monkeypatch.chdir(folder)


class _Absent:
    """Weights that are not on the machine: the hashed encoder serves, as on a fresh one."""

    state = "absent"


def furnish(folder: Path) -> None:
    """Put the files there that pages speak of without showing them."""
    shutil.copy(ROOT / "demo" / "second_largest.py", folder)
    shutil.copytree(ROOT / "demo" / "candidates", folder / "candidates")
    shutil.copytree(ROOT / "demo", folder / "demo")
    tasks = [
        {"task_id": f"own/{place}", "entry_point": name, "prompt": _prompt(name, shown)}
        for place, (name, shown) in enumerate({"double": "2 * n", "negate": "-n"}.items(), 1)
    ]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(t) + "\n" for t in tasks))
    wrong = "def double(n):\n    return n ** 2\n"
    labelled = [("own/1", wrong, "squares"), ("own/1", PROGRAMS["double"], "adds"),
                ("own/2", PROGRAMS["negate"], "minus")]  # fmt: skip
    rows = [{"task_id": t, "solution": s, "label": name} for t, s, name in labelled]
    (folder / "samples.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))


def _prompt(name: str, meaning: str) -> str:
    return f'def {name}(n: int) -> int:\n    """Return {meaning}."""\n'


def split(words: str) -> tuple[list[str], Path | None]:
    """Split a command line; return its words, and where `>` sends its output."""
    parts = shlex.split(words)
    if ">" in parts:
        place = parts.index(">")
        return parts[:place], Path(parts[place + 1])
    return parts, None
