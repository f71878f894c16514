"""The MCP interface: what an agent may ask, over stdio or over HTTP.

Tools answer twice: in words, for the model that reads them, and as the same JSON that HTTP
gives. A refusal is an answer too, so that the agent can mend its call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import msgspec
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import (
    StreamableHTTPASGIApp,
    StreamableHTTPSessionManager,
)

from consilience import __version__
from consilience.errors import ConsilienceError
from consilience.service import Bounds, Kind
from consilience.service.answers import Entropies, Tests, Verdict
from consilience.service.jobs import Queue
from consilience.service.journal import Journal
from consilience.service.lanes import Job
from consilience.service.orders import ORDERS, Order, convert
from consilience.service.refusals import NoSuchThingError, fault
from consilience.service.waiting import POLL, until_over
from consilience.service.work import Answer, Work

INSTRUCTIONS = (
    "Consilience tells which of several programs for the same task to trust, with no"
    " ground-truth tests. Draft several programs; entropy_of_drafts says in milliseconds"
    " whether they agree (near 0: take any; near 1: judge them). judge_candidates runs them in"
    " a sandbox on tests that a model writes, and abstains where they lead alike; it may take"
    " minutes. write_tests gives those tests alone; rank_candidates uses tests you have."
)


@dataclass(frozen=True, slots=True)
class _Tool:
    kind: Kind
    does: str
    answer: type
    words: Callable[[Answer], str]


def build(queue: Queue, bounds: Bounds, check: Callable[[Order], None]) -> Server[Any]:
    """Make the MCP server whose calls go through *queue*; *check* finds faulty orders."""

    async def list_tools(_: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(name) for name in _TOOLS])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            tool = _tool(params.name)
            order = convert(tool.kind, params.arguments or {}, bounds)
            await asyncio.to_thread(check, order)
            job = queue.submit(tool.kind, order, keep=False)
            answer = await _followed(job, queue, context)
        except ConsilienceError as error:
            return _refused(error)
        return _answered(tool, answer)

    return Server(
        "consilience",
        version=__version__,
        title="Consilience",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(work: Work, bounds: Bounds, *, asking: int = 2) -> None:
    """Serve one agent over stdin and stdout until it closes them.

    Nothing else reaches stdout: it is diverted to stderr for everyone but the protocol.
    """
    journal = Journal(None)  # nothing has to outlive the agent that asked
    queue = Queue(work.do, journal, bounds, asking=asking)
    try:
        asyncio.run(_over_stdio(build(queue, bounds, work.check)))
    finally:
        queue.close(grace=0.0)
        journal.close()


def over_http(
    queue: Queue, bounds: Bounds, check: Callable[[Order], None]
) -> tuple[StreamableHTTPASGIApp, Callable[[object], AbstractAsyncContextManager[None]]]:
    """Make the application for the path /mcp, and the lifespan that it needs.

    Every call stands alone, so agents need no session and the service may be started anew. Who
    may call at all is checked before, as for every other path.
    """
    manager = StreamableHTTPSessionManager(
        build(queue, bounds, check), stateless=True, max_request_body_size=bounds.body_bytes
    )
    return StreamableHTTPASGIApp(manager), lambda _: manager.run()


async def _over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _listed(name: str) -> types.Tool:
    tool = _TOOLS[name]
    return types.Tool(
        name=name,
        description=tool.does,
        input_schema=_schema(ORDERS[tool.kind]),
        output_schema=_schema(tool.answer),
        annotations=types.ToolAnnotations(
            read_only_hint=True, open_world_hint=False, idempotent_hint=True
        ),
    )


def _schema(kind: type) -> dict[str, Any]:
    """Write the JSON schema of *kind* as an object at the root, as the protocol demands."""
    (_,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    root: dict[str, Any] = parts.pop(kind.__name__)
    return root | ({"$defs": parts} if parts else {})


def _tool(name: str) -> _Tool:
    if name not in _TOOLS:
        message = f"There is no tool {name[:60]!r}."
        raise NoSuchThingError(message, hint=f"There is: {', '.join(_TOOLS)}.")
    return _TOOLS[name]


async def _followed(job: Job, queue: Queue, context: ServerRequestContext[Any]) -> Answer:
    """Wait for the job, and tell the agent how far it is; call it off when the agent does."""
    told = 0
    try:
        while not job.over.done():
            await until_over(job, POLL)
            steps = job.watch.steps()
            done = sum(step["done"] for step in steps)
            if steps and done > told:
                told, last = done, steps[-1]
                message = f"{last['stage']} {last['done']}/{last['total']}"
                await context.session.report_progress(done, message=message)
    except asyncio.CancelledError:
        queue.drop(job)
        raise
    answer: Answer = msgspec.json.decode(job.over.result())
    return answer


def _answered(tool: _Tool, answer: Answer) -> types.CallToolResult:
    words = types.TextContent(text=tool.words(answer))
    return types.CallToolResult(content=[words], structured_content=answer)


def _refused(error: ConsilienceError) -> types.CallToolResult:
    told = fault(error)
    hint = f"\nhint: {told['hint']}" if told["hint"] else ""
    words = types.TextContent(text=told["error"] + hint)
    return types.CallToolResult(content=[words], structured_content=told, is_error=True)


def _verdict(answer: Answer) -> str:
    places = [
        f"{place['rank']:g}. {place['label']}: {place['passed']} of {place['tests']} tests"
        for place in answer["ranking"]
    ]
    return "\n".join([answer["reason"], *places])


def _entropies(answer: Answer) -> str:
    lines = []
    for found in answer["entropies"]:
        sizes = "+".join(str(len(group["members"])) for group in found["classes"])
        lines.append(f"{found['measure']}: {found['normalised']:.3f} (classes {sizes})")
        lines += [f"note: {note}" for note in found["notes"]]
    return "\n".join(lines)


_TOOLS = {
    "judge_candidates": _Tool(
        "judge",
        "Say which of several candidate programs for one task to trust, how far, and why."
        " A model writes tests, the candidates run on them in a sandbox. May take minutes.",
        Verdict,
        _verdict,
    ),
    "entropy_of_drafts": _Tool(
        "entropy",
        "Say how far several drafts of the same program agree: 0 all mean the same, 1 all"
        " differ. Fast: nothing runs and no model is asked.",
        Entropies,
        _entropies,
    ),
    "write_tests": _Tool(
        "tests",
        "Write tests for a task whose expected outputs several programs agree on; as a pytest"
        " file and as a suite for rank_candidates. May take minutes.",
        Tests,
        lambda answer: str(answer["pytest"]),
    ),
    "rank_candidates": _Tool(
        "rank",
        "Rank candidate programs by tests you have: assertions, or a suite of write_tests."
        " They run in a sandbox; no model is asked.",
        Verdict,
        _verdict,
    ),
}
