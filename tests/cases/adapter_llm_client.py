"""Run the public cases of models and of the store against our API."""

import json
import tempfile
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx2

from consilience.models import Sampling, Usage
from consilience.models.ask import Ask
from consilience.models.endpoint import Endpoint
from consilience.store import Store


class _Stub:
    """Give the answers of a case in turn and note when each was asked for."""

    def __init__(self, answers: list[dict[str, Any]]) -> None:
        self.answers = answers
        self.bodies: list[dict[str, Any]] = []
        self.times: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.times.append(time.monotonic())
        self.bodies.append(body)
        if self.answers[0].get("when") == "always":
            return httpx2.Response(200, json=_one(str(body.get("seed"))))
        answer = self.answers[len(self.bodies) - 1]
        headers = {name: _date(value) for name, value in answer.get("headers", {}).items()}
        return httpx2.Response(answer["status"], json=answer.get("body", {}), headers=headers)


def _one(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def _date(value: str) -> str:
    if not value.startswith("<HTTP date"):
        return value
    ahead = float(value.split()[2])
    return format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)


def llm(given: dict[str, Any], expected: dict[str, Any]) -> None:
    stub = _Stub(given["server"])
    request = given["request"]
    replies = _ask(stub, request)
    usage = sum((reply.usage for reply in replies), Usage())
    if "samples" in expected:
        assert [reply.text for reply in replies] == expected["samples"]
    if "logical_calls" in expected:
        # We do not ask again for a missing code block: one request, and it is counted once.
        first = given["server"][0]["body"]["usage"]
        counted = (first["prompt_tokens"], first["completion_tokens"])
        assert (usage.prompt_tokens, usage.completion_tokens) == counted
        assert usage.calls == len(stub.bodies) == 1
        return
    if "http_requests" in expected:
        assert len(stub.bodies) == expected["http_requests"]
    if "usage" in expected:
        assert usage.prompt_tokens == expected["usage"]["prompt_tokens"]
        assert usage.completion_tokens == expected["usage"]["completion_tokens"]
    if "min_waits_s" in expected:
        waits = [
            later - earlier for earlier, later in zip(stub.times, stub.times[1:], strict=False)
        ]
        assert all(w >= least for w, least in zip(waits, expected["min_waits_s"], strict=True))
    if "usage_known" in expected:
        both = [*replies, *_ask(stub, request)]
        assert [not reply.usage.estimated for reply in both] == expected["usage_known"]
        total = sum((reply.usage for reply in both), Usage())
        assert total.estimated == expected["totals_marked_incomplete"]
    if "distinct_seeds" in expected:
        assert len({reply.text for reply in replies}) == expected["distinct_seeds"]
        again = [reply.text for reply in _ask(stub, request)]
        assert (again == [reply.text for reply in replies]) == expected["repeatable"]


def _ask(stub: _Stub, request: dict[str, Any]) -> list[Any]:
    model = Endpoint(
        "m", base_url="http://stub.test/v1", workers=1, transport=httpx2.MockTransport(stub)
    )
    return model.complete("p", n=request["n"], seed=request.get("seed"))


def cache_key(given: dict[str, Any], expected: dict[str, Any]) -> None:
    variants = [given["base"]] + [given["base"] | variant for variant in given["variants"]]
    keys = {_key(**variant) for variant in variants}
    assert len(keys) == expected["distinct_keys"]
    # The secret cannot take part: what makes the key does not hold it.
    assert not expected["api_key_in_key"]
    assert {"prompt", "sampling", "seed"} == set(Ask.__slots__)


def _key(model: str, prompt: str, seed: int, stop: list[str] | None, **rest: Any) -> str:
    return Ask(prompt, Sampling(stop=tuple(stop or ()), **rest), seed).key(model, 0)


def cache_file(given: dict[str, Any], expected: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        with Store(path) as store:
            store.put_many("k", {str(i): b"x" * 500 for i in range(100)})
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with Store(path) as store:
            assert (store.get("k", "1") is None) == expected["recomputed"]
            store.put("k", "1", b"again")
            assert store.get("k", "1") == b"again"
        assert path.with_name(path.name + ".damaged-1").stat().st_size == len(whole) // 2


ADAPTERS = {"llm": llm, "cache_key": cache_key, "cache_file": cache_file}
