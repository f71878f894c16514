"""Which walls stand on this machine: start a worker, attack it, tell what held.

A level is never assumed from a version or a file: it is what the attacks of the self-test
found.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import SandboxError
from consilience.sandbox import Level, Limits
from consilience.sandbox.inside.confinement import LAYERS
from consilience.sandbox.job import MEGABYTE, frame
from consilience.sandbox.process import Setup, WorkerProcess

ATTEMPTS = (
    "read a file outside",
    "read /etc/passwd",
    "read another process",
    "write a file",
    "delete a file",
    "open a network socket",
    "start a process",
    "run a command",
    "signal the worker",
    "trace the worker",
    "make a namespace",
    "raise a limit",
    "take more memory",
    "see the judge's environment",
)
IN_CONTAINER = frozenset({"read /etc/passwd", "read another process"})
"""What is of no use inside a container: its own user list, its own processes."""
TEST_LIMITS = Limits(cpu_seconds=5.0, wall_seconds=10.0, memory_mb=128, total_seconds=20.0)
HINT = (
    "Run `consilience doctor` for the whole table. On Linux, use kernel 5.13 or newer, or "
    "allow unprivileged user namespaces; elsewhere use --sandbox container with Docker or "
    "Podman. "
    "--unsafe-no-sandbox runs programs unconfined: only for code you trust."
)


@dataclass(frozen=True, slots=True)
class LayerReport:
    """A layer, or an attempt to break out, and whether the wall held."""

    name: str
    granted: bool
    detail: str


def start(setup: Setup, level: Level) -> tuple[WorkerProcess, tuple[LayerReport, ...]]:
    """Start a worker with every layer that this machine grants, and prove that it is confined.

    Raises SandboxError, which names what failed, where the self-test finds a hole.
    """
    if level == "none":
        worker = WorkerProcess(setup)
        return worker, tuple(LayerReport(*report) for report in worker.reports)
    worker, lost = _start(setup)
    try:
        reports = (*lost, *(LayerReport(*report) for report in worker.reports))
        reports += tuple(self_test(worker))
        _refuse_holes(
            find_holes(reports, level), scratch_refused=bool(setup.scratch_mb and lost)
        )
    except BaseException:
        worker.close()
        raise
    return worker, reports


def _refuse_holes(holes: str, *, scratch_refused: bool) -> None:
    if scratch_refused:
        raise SandboxError("A scratch folder needs namespaces, which are refused here.")
    if holes:
        message = f"Programs cannot be confined here: {holes}."
        raise SandboxError(message, hint=HINT)


def probe(setup: Setup | None = None) -> tuple[LayerReport, ...]:
    """Report what each layer and each attempt of the self-test found, for `doctor`."""
    worker, lost = _start(setup or Setup(LAYERS))
    try:
        layers = tuple(LayerReport(*report) for report in worker.reports)
        return (*lost, *layers, *self_test(worker))
    finally:
        worker.close()


def find_holes(reports: Sequence[LayerReport], level: Level = "strict") -> str:
    """Return what stands in the way of *level*, in words; empty where nothing does."""
    by_name = {report.name: report for report in reports}
    holes = [
        name for name in ("no_new_privs", "rlimits", "seccomp") if not _held(by_name, name)
    ]
    roots = ("landlock", "namespaces")
    if level == "strict" and not any(_held(by_name, name) for name in roots):
        holes.append("landlock or namespaces")
    harmless = IN_CONTAINER if level == "container" else frozenset()
    wanted = [name for name in ATTEMPTS if name not in harmless]
    holes += [f'could "{name}"' for name in wanted if not _held(by_name, name)]
    return "; ".join(_with_detail(by_name, hole) for hole in holes)


def _with_detail(by_name: dict[str, LayerReport], hole: str) -> str:
    return f"{hole} ({by_name[hole].detail})" if hole in by_name else hole


def self_test(worker: WorkerProcess) -> list[LayerReport]:
    """Have a child of *worker* attempt every way out."""
    reader = _Reader()
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder, "canary")
        canary.write_text("unread")
        Path(folder).chmod(0o755)
        memory = TEST_LIMITS.memory_mb * MEGABYTE
        job = frame({
            "task": "selftest",
            "canary": str(canary),
            "memory": memory,
            "folders": ["/", *([] if worker.setup.scratch_mb else [".", "/tmp"])],  # noqa: S108
            "cpu_total": int(TEST_LIMITS.total_seconds),
        })
        end = time.monotonic() + TEST_LIMITS.total_seconds
        worker.run(job, reader, TEST_LIMITS, end)
        survived = canary.exists()
    reports = reader.reports()
    return reports if survived else [r for r in reports if r.name != "delete a file"]


def _start(setup: Setup) -> tuple[WorkerProcess, tuple[LayerReport, ...]]:
    """Start a worker; where namespaces are refused, one without them, and say so."""
    worker = WorkerProcess(setup)
    refused = [LayerReport(*report) for report in worker.reports if report[0] == "namespaces"]
    if not refused or refused[0].granted:
        return worker, ()
    worker.close()
    layers = tuple(layer for layer in setup.layers if layer != "namespaces")
    return WorkerProcess(setup.with_layers(layers)), tuple(refused)


def _held(by_name: dict[str, LayerReport], name: str) -> bool:
    return name in by_name and by_name[name].granted


class _Reader:
    """Collects the lines of the self-test."""

    fault = None

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._data += data

    def reports(self) -> list[LayerReport]:
        lines = self._data.decode("ascii", "replace").splitlines()
        rows = [line.split("\t") for line in lines]
        return [LayerReport(row[0], row[1] == "1", row[2]) for row in rows if len(row) == 3]
