"""The page on the service: its commands and its client run as they are printed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import httpx2
import pytest
from service_stand import BOUNDS, Service
from starlette.testclient import TestClient

from consilience.service.door import Door
from consilience.service.web import Desk, application

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
BASE = "http://127.0.0.1:8321"
SHOWN: list[str] = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [block for block in SHOWN if "curl" in block]


@pytest.fixture
def client(service: Service) -> TestClient:
    desk = Desk(service.queue, BOUNDS, service.work.check)
    return TestClient(Door(application(desk), None, frozenset()), base_url=BASE)


def test_the_commands_of_the_page_are_answered(client: TestClient):
    assert len(COMMANDS) == 3
    for command in COMMANDS:
        _, url, _, header, _, body = shlex.split(command)
        name, _, value = header.partition(": ")
        answered = client.post(url, content=body, headers={name: value})
        assert answered.status_code == 200, answered.text


def test_the_client_of_the_page_runs(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    [code] = re.findall(r"```python[^\n]*\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.setattr(httpx2, "Client", lambda **_: client)
    exec(compile(code, "client.py", "exec"), {})
    assert "candidate 1 passes" in capsys.readouterr().out


def test_the_configuration_of_the_page_is_json():
    [configuration] = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert json.loads(configuration)["mcpServers"]["consilience"]["args"] == ["mcp"]
