"""An arena for hostile programs: what they could spoil, and sandboxes of both kinds."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from consilience.errors import SandboxError
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer

LISTENER_PORT = 47999
SECRET = "CONSILIENCE_TEST_SECRET"
STACKS = {"namespaces": ("landlock",), "landlock": ("namespaces",), "all": ()}
"""Name of a stack: the layers that it goes without."""


def attacks_file() -> Path:
    """Return where the 54 attacks are; the folder lies beside the data."""
    beside_repository = Path(__file__).parents[2].parent / "shared" / "data"
    data = Path(os.environ.get("CONSILIENCE_DATA", beside_repository))
    folders = (data.parent, Path("/work/shared"))
    found = [folder / "attacks" / "attacks.jsonl" for folder in folders]
    return next((path for path in found if path.exists()), found[0])


@dataclass(frozen=True)
class Arena:
    """The folders that an escape would leave a trace in, and what must stay untouched."""

    exfil: Path
    canary: Path
    shared: Path
    connections: list[object]

    def arm(self, source: str) -> str:
        """Fill an attack's placeholders."""
        places = {"{EXFIL}": self.exfil, "{CANARY}": self.canary, "{SHARED}": self.shared}
        for placeholder, path in places.items():
            source = source.replace(placeholder, str(path))
        return source

    def traces(self) -> list[str]:
        """List what an escape has left behind or taken away."""
        left = [str(path) for folder in (self.exfil, self.shared) for path in folder.iterdir()]
        kept = ("secret.txt", "victim.txt", "tree/leaf.txt")
        left += [f"gone: {name}" for name in kept if not (self.canary / name).exists()]
        return left + ["connected"] * len(self.connections)


@pytest.fixture(scope="session")
def attacks() -> dict[str, dict[str, str]]:
    path = attacks_file()
    if not path.exists():
        pytest.skip(f"the attacks are not on this machine: no {path}")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["name"]: row for row in rows}


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    os.environ[SECRET] = "do not read"
    root = tmp_path_factory.mktemp("arena")
    # Open to everybody, so that only the sandbox stands between an attack and its aim.
    for folder in (*root.parents[:3], root):
        if folder != Path("/tmp"):
            folder.chmod(0o755)
    exfil, canary, shared = (root / name for name in ("exfil", "canary", "shared"))
    for folder in (exfil, canary, shared, canary / "tree"):
        folder.mkdir()
        folder.chmod(0o777)
    for name in ("secret.txt", "victim.txt", "tree/leaf.txt"):
        (canary / name).write_text("SECRET")
        (canary / name).chmod(0o666)
    connections: list[object] = []
    with Listening(connections):
        yield Arena(exfil, canary, shared, connections)
    del os.environ[SECRET]


class Listening:
    def __init__(self, connections: list[object]) -> None:
        self._connections = connections

    def __enter__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", LISTENER_PORT), reuse_port=True)
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _accept(self) -> None:
        try:
            while True:
                connection, address = self._server.accept()
                connection.close()
                self._connections.append(address)
        except OSError:
            return


def open_server(stack: str, **options: object) -> ForkServer:
    """Start a sandbox with the layers of *stack*, or skip where this machine lacks them."""
    try:
        return ForkServer(without=STACKS[stack], **options)  # type: ignore[arg-type]
    except SandboxError as error:
        pytest.skip(f"no {stack} here: {error}")


@pytest.fixture(scope="session", params=["namespaces", "landlock"])
def stack_server(request: pytest.FixtureRequest, arena: Arena) -> Iterator[ForkServer]:
    with open_server(request.param, workers=1) as server:
        yield server


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with open_server("all", workers=2) as sandbox:
        yield sandbox


@pytest.fixture
def tight() -> Limits:
    return Limits(cpu_seconds=0.3, wall_seconds=3.0, memory_mb=256, total_seconds=20.0)
