"""The MCP interface, asked by the official client: in this process, and over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from service_stand import BOUNDS, ENTROPY, JUDGE, RANK, TASK, Service, until

from consilience.service.agents import build

RUN = "import sys; from consilience.cli import main; sys.exit(main(sys.argv[1:]))"
COMMAND = ["-c", RUN, "mcp", "--no-model"]


def ask(service: Service, talk: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
    """Let the official client talk to the server in this process."""

    async def meet() -> Any:
        server = build(service.queue, BOUNDS, service.work.check)
        async with Client(server, mode=mode) as client:
            return await talk(client)

    return asyncio.run(meet())


def called(service: Service, name: str, arguments: dict[str, Any]) -> Any:
    return ask(service, lambda client: client.call_tool(name, arguments))


def words(result: Any) -> str:
    [content] = result.content
    return str(content.text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_say_what_they_do_and_take(service: Service, mode: str):
    tools = {each.name: each for each in ask(service, Client.list_tools, mode).tools}
    assert list(tools) == [
        "judge_candidates",
        "entropy_of_drafts",
        "write_tests",
        "rank_candidates",
    ]
    for tool in tools.values():
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.annotations.read_only_hint
    assert set(tools["judge_candidates"].input_schema["required"]) == {"task", "candidates"}


def test_an_agent_is_told_whom_to_trust_in_words_and_as_data(service: Service):
    steps: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        steps.append(message or "")

    def talk(client: Client) -> Awaitable[Any]:
        return client.call_tool("judge_candidates", JUDGE, progress_callback=progress)

    result = ask(service, talk)
    assert not result.is_error
    assert words(result).startswith("candidate 1 passes")
    assert result.structured_content["winner"]["index"] == 1
    assert steps


def test_tests_are_written_and_drafts_compared(service: Service):
    written = called(service, "write_tests", {"task": TASK})
    compile(words(written), "test_find.py", "exec")
    order = {"suite": written.structured_content["suite"], "candidates": JUDGE["candidates"]}
    ranked = called(service, "rank_candidates", order)
    assert ranked.structured_content["winner"]["index"] == 1
    assert "structural: 1.000 (classes 1+1)" in words(
        called(service, "entropy_of_drafts", ENTROPY)
    )


def test_a_wrong_call_is_answered_so_that_the_agent_can_mend_it(service: Service):
    for name, arguments, told in [
        ("judge_candidates", {"task": TASK}, "candidates"),
        ("judge_candidates", JUDGE | {"candidates": ["x"] * 4}, "(3)"),
        ("rank_candidates", {"candidates": ["x"]}, "tests"),
        ("nosuch", {}, "rank_candidates"),
    ]:
        result = called(service, name, arguments)
        assert result.is_error
        assert told in words(result)
        assert "hint:" in words(result)


def test_a_call_that_the_agent_gives_up_is_called_off(service: Service):
    original, held = service.work.sandbox, [True]

    class Held:
        level = original.level

        def run(self, *args: Any) -> Any:
            until(lambda: not held)
            return original.run(*args)

    object.__setattr__(service.work, "sandbox", Held())

    async def talk(client: Client) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(client.call_tool("judge_candidates", JUDGE), 0.5)

    ask(service, talk)
    [job] = service.queue._lanes.alive.values()
    held.clear()
    until(job.over.done)
    assert job.entry.state == "cancelled"


def test_the_official_client_is_served_over_stdio(tmp_path: Path):
    home = {"CONSILIENCE_CACHE": str(tmp_path), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    command = StdioServerParameters(command=sys.executable, args=COMMAND, env=home)

    async def talk() -> Any:
        async with Client(command) as client:
            return await client.call_tool("rank_candidates", RANK)

    result = asyncio.run(talk())
    assert result.structured_content["winner"]["index"] == 1


def test_nothing_but_the_protocol_reaches_stdout(tmp_path: Path):
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    loud = {"code": "print('loud')\ndef find(a, b):\n    print('louder')\n    return a // b"}
    call = {"name": "rank_candidates", "arguments": RANK | {"candidates": [loud, loud]}}
    messages = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    process = subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"CONSILIENCE_CACHE": str(tmp_path)},
    )
    assert process.stdin
    assert process.stdout
    with process, process.stdin, process.stdout:
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
            process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(30) == 0
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["winner"] is None
