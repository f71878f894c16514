"""What this server answers: the schemas of the OpenAPI document, and the status of a job.

More fields than these may come; what is here stays. A test holds real answers against them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from consilience.service import Kind, State
from consilience.service.journal import Entry
from consilience.service.watch import Step

_Time = Annotated[datetime, Meta(tz=True)]


class Problem(Struct, frozen=True):
    """Why a request was refused, or a job failed."""

    error: Annotated[str, Meta(description="One sentence.")]
    hint: Annotated[str, Meta(description="What to do about it; may be empty.")]
    kind: Annotated[str, Meta(description="A name for programs, such as InputError.")]


class Status(Struct, frozen=True):
    """How a job stands."""

    id: str
    kind: Kind
    task: Annotated[str, Meta(description="What you call the task; may be empty.")]
    state: State
    ahead: Annotated[int | None, Meta(description="Jobs before this one, while it waits.")]
    progress: Annotated[
        list[Step], Meta(description="How far each stage is, in the order they began.")
    ]
    attempts: Annotated[
        int, Meta(description="How often it was begun: more than once after a restart.")
    ]
    submitted: _Time
    started: _Time | None
    finished: _Time | None
    problem: Annotated[Problem | None, Meta(description="Why it failed.")]
    url: Annotated[str, Meta(description="GET this for the status; DELETE it to cancel.")]
    result: Annotated[str, Meta(description="GET this for the result once the job is done.")]


class Winner(Struct, frozen=True):
    """The candidate to trust."""

    index: Annotated[int, Meta(description="Its place in the order.")]
    label: str


class Place(Struct, frozen=True):
    """One candidate in the ranking."""

    rank: Annotated[float, Meta(description="1 is best; those that tie share a mean rank.")]
    index: int
    label: str
    passed: int
    tests: int
    score: Annotated[float | None, Meta(description="Share of tests passed; null: no tests.")]


class Lead(Struct, frozen=True):
    """What the winner's lead over the next best candidate rests on."""

    rival: str
    for_: Annotated[int, Meta(description="Tests that speak for it.")] = msgspec.field(
        name="for"
    )
    against: int
    confidence: float | None


class Verdict(Struct, frozen=True):
    """Which candidate to trust, how far, and why."""

    schema: str
    task: str
    entry_point: str
    model: Annotated[str | None, Meta(description="Who wrote the tests.")]
    judged: Annotated[
        bool,
        Meta(description="false: nothing came back from any candidate; `reason` says why."),
    ]
    winner: Annotated[Winner | None, Meta(description="null where several lead alike.")]
    reason: Annotated[str, Meta(description="Why, in a sentence.")]
    partial: Annotated[str | None, Meta(description="What was reached before the end.")]
    lead: Lead | None
    ranking: list[Place]
    deciding: Annotated[
        list[dict[str, Any]], Meta(description="The tests that tell each rival apart.")
    ]
    tests: Annotated[
        list[dict[str, Any]],
        Meta(description="Each test with route, votes, confidence and what candidates gave."),
    ]
    dropped: list[dict[str, Any]]
    usage: Annotated[dict[str, Any], Meta(description="Tokens by stage.")]
    cost: dict[str, Any]


class Tests(Struct, frozen=True):
    """Tests of a task, with the votes behind each."""

    __test__ = False

    schema: str
    task: str
    entry_point: str
    model: str
    suite: Annotated[
        list[dict[str, Any]], Meta(description="To rank by: send it as `suite`, unchanged.")
    ]
    pytest: Annotated[str, Meta(description="The reliable tests as a pytest file.")]
    usage: dict[str, Any]


class EntropyOfSamples(Struct, frozen=True):
    """How uncertain the samples are, by one measure."""

    schema: str
    measure: str
    bits: float
    normalised: Annotated[float, Meta(description="In [0, 1]: 0 all agree, 1 all differ.")]
    labels: Annotated[list[int], Meta(description="The class of each sample.")]
    classes: list[dict[str, Any]]
    shares: list[float]
    radius: float | None
    edges: list[dict[str, Any]]
    bridge: dict[str, Any] | None
    unparsable: list[int]
    calls: int
    notes: list[str]


class Entropies(Struct, frozen=True):
    """One entropy for each measure that was asked for, in that order."""

    entropies: list[EntropyOfSamples]


def status(entry: Entry, ahead: int | None) -> Status:
    """Say how a job stands."""
    url = f"/v1/jobs/{entry.id}"
    steps = msgspec.json.decode(entry.progress, type=list[Step]) if entry.progress else []
    problem = msgspec.json.decode(entry.fault, type=Problem) if entry.fault else None
    return Status(
        id=entry.id,
        kind=entry.kind,
        task=entry.task,
        state=entry.state,
        ahead=ahead,
        progress=steps,
        attempts=entry.attempts,
        submitted=_time(entry.submitted),
        started=None if entry.started is None else _time(entry.started),
        finished=None if entry.finished is None else _time(entry.finished),
        problem=problem,
        url=url,
        result=f"{url}/result",
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds, 3), UTC)
