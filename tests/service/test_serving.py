"""The service as a process: refused starts, a kill -9 in the middle, and an orderly end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from service_stand import ENTROPY

from consilience.bench import service as measured
from consilience.bench.model_stub import adding
from consilience.cli import main


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["serve", "--no-model", *map(str, words)]) in {1, 2}
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path))
    monkeypatch.delenv("CONSILIENCE_TOKEN", raising=False)


def test_open_to_others_it_does_not_start_without_a_token(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    said = refused(capsys, "--host", "0.0.0.0")
    assert "needs a token" in said
    assert "--token-file" in said


def test_a_token_file_that_holds_none_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    assert "cannot be read" in refused(capsys, "--token-file", tmp_path / "no")
    (tmp_path / "token").write_text("\n", encoding="utf-8")
    assert "is empty" in refused(capsys, "--token-file", tmp_path / "token")


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]):
    with adding() as stub:
        said = refused(capsys, "--port", stub.server_port)
    assert "Cannot listen" in said
    assert "--port" in said


def test_help_tells_what_each_flag_does(capsys: pytest.CaptureFixture[str]):
    for verb in ("serve", "mcp"):
        assert main([verb, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "--no-model" in shown
        assert "--base-url" in shown


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


async def agent(url: str, token: str) -> str:
    """Ask over HTTP as an agent does, with the official client."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as carrier,
        Client(streamable_http_client(url, http_client=carrier)) as client,
    ):
        result = await client.call_tool("entropy_of_drafts", ENTROPY)
    [content] = result.content
    return str(getattr(content, "text", ""))


@pytest.mark.parametrize(
    ("ending", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"]
)
def test_it_serves_until_it_is_told_to_end_and_says_what_is_left(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, ending: signal.Signals, code: int
):
    token, port = "0123456789abcdef-token", free_port()
    (tmp_path / "token").write_text(f"{token}\n", encoding="utf-8")
    url = f"http://127.0.0.1:{port}"
    client = httpx2.Client(
        base_url=url,
        headers={"Authorization": f"Bearer {token}"},
        transport=httpx2.HTTPTransport(retries=8),
    )
    seen: list[object] = []

    def use() -> None:
        try:
            with client:
                seen.append(client.post("/v1/entropy", json=ENTROPY, timeout=60).status_code)
            seen.append(asyncio.run(agent(f"{url}/mcp", token)))
        finally:
            if serving.is_set():  # else nobody would catch it
                os.kill(os.getpid(), ending)

    serving = threading.Event()
    serving.set()
    thread = threading.Thread(target=use)
    thread.start()
    words = ["--no-model", "--mcp", "--port", port, "--token-file", tmp_path / "token"]
    found = main(["serve", *map(str, words)])
    serving.clear()
    thread.join()
    assert found == code
    assert seen == [200, "structural: 1.000 (classes 1+1)"]
    said = capsys.readouterr().err
    assert f"{url} (no model, token required)" in said
    assert "Stopped." in said


def test_killed_in_the_middle_it_finishes_every_job_and_pays_for_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(measured, "SETTLED", 0.1)
    record = tmp_path / "service.json"
    words = ["--quick", "3", "--judged", "1", "--killed", "3", "--remark", "a test"]
    assert main(["bench", "service", "-o", str(record), *words]) == 0
    found = json.loads(record.read_text(encoding="utf-8"))
    killed, load = found["kill"], found["load"]
    assert killed["jobs_finished_right"] == killed["jobs_accepted"] == 3
    assert killed["samples_paid_though_stored"] == 0
    assert killed["samples_stored_at_the_kill"] > 0
    assert killed["orders_sent_again_are_the_same_jobs"]
    assert killed["processes_left_by_the_kill"] == 0
    assert killed["exit_code_at_sigterm"] == load["exit_code_at_sigterm"] == 0
    assert [load[name]["right"] for name in ("entropy", "rank", "judge")] == [3, 3, 1]
    assert load["judge"]["samples_paid_twice"] == 0
    assert load["before"]["processes"] >= 2
