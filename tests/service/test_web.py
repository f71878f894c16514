"""The HTTP interface as a client meets it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import validate
from service_stand import BOUNDS, ENTROPY, JUDGE, PROMPT, RANK, RIGHT, TASK, Service, until
from starlette.requests import Request
from starlette.testclient import TestClient

from consilience.service import answers, web
from consilience.service.door import Door
from consilience.service.openapi import document
from consilience.service.refusals import TooSlowError
from consilience.service.web import Desk, application

TOKEN = "0123456789abcdef-token"


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    desk = Desk(service.queue, BOUNDS, service.work.check)
    door = Door(application(desk), None, frozenset({"localhost"}))
    with TestClient(door, base_url="http://localhost") as client:
        yield client


def problem(response: Any, status: int) -> dict[str, str]:
    """Check that a refusal has the shape of all errors; return it."""
    assert response.status_code == status
    told: dict[str, str] = response.json()
    assert told.keys() == {"error", "hint", "kind"}
    assert told["error"].endswith(".")
    return told


def test_a_judgement_is_a_job_with_progress_and_a_verdict(client: TestClient):
    sent = client.post("/v1/judge", json=JUDGE)
    assert sent.status_code == 202
    url = sent.headers["Location"]
    assert sent.json()["url"] == url
    status = client.get(url, params={"wait": 20}).json()
    assert status["state"] == "done"
    assert [step["stage"] for step in status["progress"]] == [
        "induction",
        "inputs",
        "candidates",
    ]
    assert all(step["done"] == step["total"] for step in status["progress"])
    verdict = client.get(status["result"]).json()
    assert verdict["winner"] == {"index": 1, "label": "candidate 1"}
    msgspec.convert(verdict, answers.Verdict)
    msgspec.convert(status, answers.Status)


def test_who_waits_long_enough_gets_the_verdict_at_once(client: TestClient, service: Service):
    answered = client.post("/v1/judge?wait=20", json=JUDGE)
    assert answered.status_code == 200
    assert answered.json()["winner"]["index"] == 1
    asked = len(service.model.prompts)
    assert client.post("/v1/judge?wait=20", json=JUDGE).json() == answered.json()
    assert len(service.model.prompts) == asked  # the store paid


def test_a_verdict_on_a_spent_budget_says_that_it_is_partial(client: TestClient):
    order = JUDGE | {"choices": {"max_tokens": 1, "method": "tt"}}
    verdict = client.post("/v1/judge?wait=20", json=order).json()
    assert "1 tokens" in verdict["partial"]


def test_tests_that_were_written_serve_to_rank(client: TestClient):
    tests = client.post("/v1/tests?wait=20", json={"task": TASK}).json()
    msgspec.convert(tests, answers.Tests)
    compile(tests["pytest"], "test_find.py", "exec")
    order = {"suite": tests["suite"], "candidates": JUDGE["candidates"]}
    ranked = client.post("/v1/rank", json=order)
    assert ranked.status_code == 200
    assert ranked.json()["winner"]["index"] == 1


def test_quick_orders_are_answered_in_the_request(client: TestClient):
    assert client.post("/v1/rank", json=RANK).json()["winner"]["index"] == 1
    found = client.post("/v1/entropy", json=ENTROPY).json()
    msgspec.convert(found, answers.Entropies)
    assert found["entropies"][0]["normalised"] == 1.0


def test_quick_orders_become_jobs_where_the_client_prefers_that(client: TestClient):
    sent = client.post("/v1/entropy", json=ENTROPY, headers={"Prefer": "respond-async"})
    assert sent.status_code == 202
    url = sent.headers["Location"]
    assert client.get(url, params={"wait": 20}).json()["state"] == "done"
    assert client.get(f"{url}/result").json()["entropies"][0]["labels"] == [0, 1]


def test_an_order_sent_again_under_its_key_is_answered_from_the_journal(
    client: TestClient, service: Service
):
    key = {"Idempotency-Key": "mine"}
    first = client.post("/v1/judge?wait=20", json=JUDGE, headers=key)
    again = client.post("/v1/judge", json=JUDGE, headers=key)
    assert again.status_code == 200
    assert again.headers["Location"] == first.headers["Location"]
    assert again.json() == first.json()
    told = problem(client.post("/v1/rank", json=RANK, headers=key), 422)
    assert told["kind"] == "MismatchError"
    problem(client.post("/v1/rank", json=RANK, headers={"Idempotency-Key": "x" * 201}), 400)


def test_a_job_can_be_cancelled_and_then_has_no_result(client: TestClient, service: Service):
    original, held = service.work.sandbox.run, []

    def slow(*args: Any) -> Any:
        held.append(args)
        until(lambda: len(held) > 5)
        return original(*args)

    object.__setattr__(service.work, "sandbox", _Sandbox(service.work.sandbox, slow))
    url = client.post("/v1/judge", json=JUDGE).headers["Location"]
    until(lambda: held)
    told = problem(client.get(f"{url}/result"), 409)
    assert "wait=" in told["hint"]
    client.delete(url)
    held.extend([()] * 9)
    assert client.get(url, params={"wait": 20}).json()["state"] == "cancelled"
    problem(client.get(f"{url}/result"), 410)
    assert client.delete(url).json()["state"] == "cancelled"


class _Sandbox:
    def __init__(self, sandbox: Any, run: Any) -> None:
        self.level, self.run = sandbox.level, run


def test_a_job_that_failed_tells_why_wherever_one_asks(client: TestClient):
    order = ENTROPY | {"measures": ["nosuch"]}
    assert problem(client.post("/v1/entropy", json=order), 400)["kind"] == "UsageError"
    sent = client.post("/v1/entropy?wait=0", json=order)
    url = sent.headers["Location"]
    status = client.get(url, params={"wait": 20}).json()
    assert status["state"] == "failed"
    assert "nosuch" in status["problem"]["error"]
    assert problem(client.get(f"{url}/result"), 400) == status["problem"]


def test_a_surprise_tells_no_secrets(client: TestClient, service: Service):
    def broken(*_: Any) -> Any:
        raise RuntimeError("/home/someone/secret")

    object.__setattr__(service.work, "sandbox", _Sandbox(service.work.sandbox, broken))
    with TestClient(
        client.app, base_url="http://localhost", raise_server_exceptions=False
    ) as other:
        told = problem(other.post("/v1/rank", json=RANK), 500)
    assert "secret" not in json.dumps(told)


def test_faults_of_an_order_are_told_before_anything_is_promised(client: TestClient):
    assert "field" in problem(client.post("/v1/judge", json=JUDGE | {"x": 1}), 400)["error"]
    vague = JUDGE | {"task": {"prompt": "Divide."}}
    assert "entry_point" in problem(client.post("/v1/judge", json=vague), 400)["hint"]
    problem(client.post("/v1/rank", json={"candidates": [RIGHT]}), 400)


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(web, "BODY_SECONDS", 0.01)
    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/rank", "headers": headers}
    request = Request(scope, lambda: asyncio.sleep(60, {}))
    with pytest.raises(TooSlowError) as caught:
        asyncio.run(web._body(request, 100))
    assert caught.value.status == 408


def test_limits_have_statuses_of_their_own(client: TestClient):
    told = problem(client.post("/v1/judge", json=JUDGE | {"candidates": [RIGHT] * 4}), 413)
    assert told["kind"] == "TooLargeError"
    json_type = {"Content-Type": "application/json"}
    problem(client.post("/v1/judge", content=b" " * 20_001, headers=json_type), 413)
    chunks = iter([b" " * 9_000] * 3)
    problem(client.post("/v1/judge", content=chunks, headers=json_type), 413)
    problem(client.post("/v1/judge", content=b"{}"), 415)
    problem(client.post("/v1/judge", data={"task": "x"}), 415)


def test_a_full_queue_says_when_to_come_back(client: TestClient, service: Service):
    gone: list[int] = []

    def held(*_: Any) -> Any:
        until(lambda: gone)
        return []

    object.__setattr__(service.work, "sandbox", _Sandbox(service.work.sandbox, held))
    for number in range(4):
        named = {"task": {"prompt": f"{PROMPT}# {number}"}}
        assert client.post("/v1/tests", json=named).status_code == 202
        until(lambda number=number: sum(service.queue.counts()) == number + 1)
        if number < 2:
            until(lambda number=number: service.queue.counts()[1] == number + 1)
    refused = client.post("/v1/tests", json={"task": TASK})
    problem(refused, 429)
    assert int(refused.headers["Retry-After"]) >= 1
    assert client.get("/healthz").json() == {"status": "ok", "waiting": 2, "running": 2}
    gone.append(1)


def test_what_is_not_there_names_what_is(client: TestClient):
    assert "POST /v1/judge" in problem(client.get("/v2/judge"), 404)["hint"]
    assert problem(client.get("/v1/judge"), 405)["kind"] == "WrongMethodError"
    problem(client.get("/v1/jobs/nosuch"), 404)
    problem(client.delete("/v1/jobs/nosuch"), 404)
    assert "wait" in problem(client.post("/v1/rank?wait=long", json=RANK), 400)["error"]
    problem(client.post("/v1/rank?wait=nan", json=RANK), 400)


def test_web_pages_are_kept_out(client: TestClient):
    evil = {"Origin": "http://evil.example"}
    problem(client.post("/v1/rank", json=RANK, headers=evil), 403)
    problem(client.get("/", headers={"Host": "evil.example"}), 421)
    allowed = client.get("/", headers={"Origin": "http://localhost"})
    assert allowed.status_code == 200
    assert not [name for name in allowed.headers if name.startswith("access-control")]
    assert client.options("/v1/rank").status_code == 405


def test_the_token_is_asked_for(service: Service):
    desk = Desk(service.queue, BOUNDS, service.work.check)
    door = Door(application(desk), TOKEN, frozenset({"localhost"}))
    with TestClient(door, base_url="http://localhost") as client:
        refused = client.post("/v1/rank", json=RANK)
        problem(refused, 401)
        assert refused.headers["WWW-Authenticate"].startswith("Bearer")
        assert client.get("/healthz").status_code == 200
        given = {"Authorization": f"Bearer {TOKEN}"}
        assert client.post("/v1/rank", json=RANK, headers=given).status_code == 200


def test_a_server_without_a_model_ranks_all_the_same(service: Service, client: TestClient):
    object.__setattr__(service.work, "model", None)
    assert "--no-model" in problem(client.post("/v1/judge", json=JUDGE), 503)["hint"]
    assert client.post("/v1/rank", json=RANK).status_code == 200


def test_the_openapi_document_is_valid_and_names_every_path(client: TestClient):
    described = json.loads(document())
    validate(described)
    named = client.get("/").json()["paths"]
    listed = {
        f"{method.upper()} {path}"
        for path, item in described["paths"].items()
        for method in item
        if method in {"get", "post", "delete"}
    }
    assert listed == {*named, "GET /"}
    assert client.get("/openapi.json").json() == described
