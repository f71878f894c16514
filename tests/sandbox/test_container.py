"""The worker of a container, run here without the container: only the pipes are in between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.errors import SandboxError
from consilience.sandbox import Limits, container
from consilience.sandbox.inside.confinement import LAYERS
from consilience.sandbox.pool import ForkServer
from consilience.sandbox.process import interpreter
from consilience.values import Value

ENGINE = """#!/bin/sh
# Stands in for Docker: drops its own flags, runs the worker on this machine.
while [ "$1" != python ]; do shift; done
shift
unset $(env | cut -d= -f1 | grep SECRET)
export PYTHONHASHSEED=0
exec {python} "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" {folder}
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "docker"
    folder = Path(container.__file__).parent
    script.write_text(ENGINE.format(python=interpreter(), folder=folder))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.fixture
def server(engine: None) -> Iterator[ForkServer]:
    with ForkServer(workers=1, level="container") as sandbox:
        yield sandbox


def test_programs_run_over_the_pipes(server: ForkServer) -> None:
    assert server.level == "container"
    rows = server.run([f"def f(x): return [x] * {n}" for n in range(1, 4)], "f", [(1,), (2,)])
    assert [row[1].value for row in rows] == [Value.of([2] * n) for n in range(1, 4)]


def test_large_jobs_and_large_results_pass(server: ForkServer) -> None:
    text = "ab" * 400_000
    outcome = server.run(["def f(x): return x"], "f", [(text,)])[0][0]
    assert outcome.value == Value.of(text)


def test_deaths_and_loops_are_told_over_the_pipes(server: ForkServer) -> None:
    program = (
        "import os, signal\ndef f(x):\n    if x == 1: os._exit(7)\n"
        "    if x == 2:\n        signal.setitimer(signal.ITIMER_PROF, 0)\n"
        "        signal.setitimer(signal.ITIMER_REAL, 0)\n"
        "        while True: pass\n    return x\n"
    )
    limits = Limits(cpu_seconds=0.2, wall_seconds=1.0)
    outcomes = server.run([program], "f", [(0,), (1,), (2,), (3,)], limits)[0]
    assert [outcome.status for outcome in outcomes] == ["ok", "exit", "timeout", "ok"]


def test_the_container_gets_nothing_it_does_not_need(engine: None) -> None:
    command = container.command("an-image")
    flags = " ".join(command)
    assert "--network none" in flags
    assert "--read-only" in flags
    assert "--cap-drop ALL" in flags
    assert "no-new-privileges" in flags
    assert flags.count("--volume") == 1
    assert ":/consilience/inside:ro" in flags
    assert command.index("an-image") < command.index("python")


def test_no_engine_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="Docker or Podman") as refusal:
        container.command()
    assert refusal.value.hint


def test_the_layers_inside_do_without_namespaces(server: ForkServer) -> None:
    names = {report.name for report in server.reports}
    assert set(LAYERS) - {"namespaces"} <= names
    assert "namespaces" not in names
