"""The OpenAPI 3.1 document of the HTTP interface, made of the classes behind it."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from consilience import __version__
from consilience.service import answers, orders

PATHS = {
    "POST /v1/judge": "judge candidates by tests that a model writes: a job",
    "POST /v1/tests": "write tests: a job",
    "POST /v1/rank": "rank candidates by tests you have: answered at once where possible",
    "POST /v1/entropy": "say how uncertain samples are: answered at once where possible",
    "GET /v1/jobs/{id}": "how a job stands; ?wait=SECONDS waits for it to be over",
    "GET /v1/jobs/{id}/result": "what came of a job",
    "DELETE /v1/jobs/{id}": "call a job off",
    "GET /openapi.json": "this interface for programs",
    "GET /healthz": "whether the server is up, and how busy",
}
"""What there is, for people."""

_ORDERS = {
    "judge": (orders.JudgeOrder, answers.Verdict),
    "tests": (orders.TestsOrder, answers.Tests),
    "rank": (orders.RankOrder, answers.Verdict),
    "entropy": (orders.EntropyOrder, answers.Entropies),
}
_NAMES = ("Problem", "Status", "Verdict", "Tests", "Entropies")
_TIMES = {
    True: "A job, as it may take minutes: 202 at once, or the answer if ?wait= is long enough.",
    False: "Answered at once; what takes longer than the server waits goes on as a job.",
}
_REFUSALS = {
    "400": "The order cannot be read, or makes no sense.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from a web page of someone else.",
    "408": "The body did not come in time.",
    "413": "The order is over a limit of this server.",
    "415": "The body is not JSON.",
    "421": "The Host header names another host.",
    "422": "The Idempotency-Key stands for another order.",
    "429": "Too many jobs wait; Retry-After says when to come back.",
    "503": "The server is going down, or has no model.",
}


@cache
def document() -> bytes:
    """Return the document as JSON."""
    kinds = [pair[0] for pair in _ORDERS.values()]
    _, schemas = msgspec.json.schema_components(
        [*kinds, *(getattr(answers, name) for name in _NAMES)],
        ref_template="#/components/schemas/{name}",
    )
    paths = {f"/v1/{name}": {"post": _order(name)} for name in _ORDERS} | _jobs() | _others()
    return msgspec.json.encode({
        "openapi": "3.1.0",
        "info": {
            "title": "Consilience",
            "version": __version__,
            "summary": "Which of a language model's programs to trust, how far, and why.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    })


def _order(name: str) -> dict[str, Any]:
    order, answer = _ORDERS[name]
    found = {
        "200": _answer("The answer, where it came in time.", answer.__name__),
        "202": _answer("Accepted as a job.", "Status", job=True),
    }
    return {
        "operationId": name,
        "summary": (order.__doc__ or "").partition("\n")[0],
        "description": _TIMES[name in {"judge", "tests"}],
        "parameters": [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "schema": {"type": "string", "minLength": 1, "maxLength": 200},
                "description": "Your own name for this order: sent again, it is the same job.",
            },
            _wait("How long to wait for the answer before it becomes a job."),
        ],
        "requestBody": {"required": True, "content": _content(order.__name__)},
        "responses": found | _refused(*_REFUSALS),
    }


def _jobs() -> dict[str, Any]:
    known = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    status = {"200": _answer("How it stands.", "Status")} | _refused("401", "404")
    results = [{"$ref": f"#/components/schemas/{name}"} for name in _NAMES[2:]]
    result = {"description": "The result.", "content": _any(results)}
    return {
        "/v1/jobs/{id}": {
            "parameters": [known],
            "get": {
                "operationId": "status",
                "summary": "Say how a job stands.",
                "parameters": [_wait("How long to wait for the job to be over.")],
                "responses": status,
            },
            "delete": {
                "operationId": "cancel",
                "summary": "Call a job off at its next step; one that is over stays as it is.",
                "responses": status,
            },
        },
        "/v1/jobs/{id}/result": {
            "parameters": [known],
            "get": {
                "operationId": "result",
                "summary": "Return what came of a job.",
                "responses": {"200": result, "default": _answer("Why it failed.", "Problem")}
                | _refused("401", "404", "409", "410"),
            },
        },
    }


def _others() -> dict[str, Any]:
    anything = {"description": "JSON.", "content": _any([{"type": "object"}])}
    simple = {"/": "index", "/healthz": "health", "/openapi.json": "openapi"}
    told = {f"GET {path}": text for path, text in {"/": "what there is here"}.items()} | PATHS
    return {
        path: {
            "get": {
                "operationId": name,
                "summary": told[f"GET {path}"],
                "security": [],
                "responses": {"200": anything},
            }
        }
        for path, name in simple.items()
    }


def _wait(description: str) -> dict[str, Any]:
    schema = {"type": "number", "minimum": 0}
    return {"name": "wait", "in": "query", "schema": schema, "description": description}


def _answer(description: str, name: str, *, job: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {"description": description, "content": _content(name)}
    if job:
        text = {"schema": {"type": "string"}, "description": "The status of the job."}
        found["headers"] = {"Location": text}
    return found


_LATER = {
    "404": "There is no such job.",
    "409": "The job is not over; Retry-After says when to ask again.",
    "410": "The job was cancelled.",
}


def _refused(*codes: str) -> dict[str, Any]:
    return {code: _answer((_REFUSALS | _LATER)[code], "Problem") for code in codes}


def _content(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _any(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {"application/json": {"schema": schema}}
