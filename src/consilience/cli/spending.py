"""The measurements of what spends less: replays of recorded runs, and a simulation."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from consilience.bench import live, spend_record
from consilience.bench import spend_simulation as simulated
from consilience.bench import spend_speed as speed
from consilience.bench.cott import read_rows
from consilience.bench.spend import Replay, run
from consilience.bench.spend import opened as stored_run
from consilience.bench.spend_replay import Recorded, Remembering
from consilience.bench.spend_table import (
    choice_table,
    experience_line,
    lever_table,
    price_table,
    route_table,
)
from consilience.cli.benching import Record, bench, read_json
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.errors import UsageError
from consilience.formats import load_candidates, load_tasks
from consilience.models.endpoint import Endpoint
from consilience.models.stored import Piecemeal
from consilience.sandbox.pool import ForkServer
from consilience.store import Store


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Replies:
    """Where the samples of a recorded run are."""

    store: Path | None = None
    """The replies of that run."""
    base_url: str | None = None
    """A server that draws what the store lacks; without one such variants are left out."""


NO_REPLIES = Replies()


@bench.command
def spend(
    record: Path,
    /,
    *data: Path,
    replies: Replies = NO_REPLIES,
    output: Record,
    only: Annotated[tuple[str, ...], Parameter(negative=(), consume_multiple=True)] = (),
) -> int:
    """Replay a recorded run with each lever that spends less, alone and together.

    Parameters
    ----------
    record
        What `bench cott` wrote (.jsonl: its votes are replayed), or `bench judge` (.json: its
        replies are, and programs run).
    data
        Of a .json: the tasks of that run, and the pool that its candidates come from.
    output
        Where to write the record; variants that are there already are taken over.
    only
        Only these variants, beside plain CoTT and those that are there.
    """
    with _replay(record, data, replies) as replay:
        earlier = read_json(output) if output.exists() else None
        found = run(replay, wanted=only, earlier=earlier, done=_tell)
    write(found, output)
    return 0


@bench.command
def spend_table(record: Path, /) -> int:
    """Print a record of `bench spend` as Markdown: levers, routes, and prices by preset.

    Parameters
    ----------
    record
        The file that `bench spend -o` wrote.
    """
    found = read_json(record)
    routes = route_table(found, ("plain cott", "induction alone", "rule: supported"))
    parts = [lever_table(found), routes, price_table(found)]
    if "transduction" in found:
        parts += [experience_line(found), choice_table(found)]
    print(*parts, sep="\n\n")
    return 0


@bench.command
def spend_simulation(*, output: Record, votes: int = 4_000, orders: int = 300) -> int:
    """Simulate votes and labels with known truth: do the stops err as rarely as they say?

    Parameters
    ----------
    output
        Where to write the record.
    votes
        Votes to simulate for each setting.
    orders
        Rankings to simulate for each setting.
    """
    write(simulated.run(simulated.Sizes(votes, orders)), output)
    return 0


@bench.command
def spend_speed(
    tasks: Path,
    samples: Path,
    /,
    *,
    output: Record,
    pick: int = 5,
    slots: int = 16,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Judge live, then send the same requests raw: overhead, slots filled, prompts shared.

    Parameters
    ----------
    tasks
        Tasks with a reference solution and inputs, such as HumanEval+.
    samples
        The pool that candidates come from.
    output
        Where to write the record; its wall times need a quiet machine.
    pick
        How many tasks.
    slots
        Samples that the server draws at a time.
    """
    loaded = load_tasks(tasks)
    pool = load_candidates(samples, loaded)
    with engine.judge() as judging:
        posed = live.pick(loaded, pool, judging.sandbox, count=pick, seed=engine.seed)
        model = judging.model
        if not isinstance(model, Piecemeal):
            message = f"{model.name} cannot begin at a later sample."
            raise UsageError(message, hint="Name a server or an embedded model.")
        found = speed.run(judging, model, posed, slots=slots, workers=engine.workers)
    write(found, output)
    return 0


@contextmanager
def _replay(record: Path, data: Sequence[Path], replies: Replies) -> Iterator[Replay]:
    """Open a record of either kind."""
    if ".jsonl" in record.suffixes:
        yield spend_record.opened(read_rows(record))
        return
    if len(data) != 2 or replies.store is None:
        message = "A record of `bench judge` is replayed from its tasks, samples and --store."
        raise UsageError(message, hint="bench spend RECORD TASKS SAMPLES --store FILE -o OUT")
    given = read_json(record)
    loaded = load_tasks(data[0])
    pool = load_candidates(data[1], loaded)
    address = replies.base_url
    server = None if address is None else Endpoint(given["model"], base_url=address)
    with ForkServer() as sandbox, Store(replies.store) as kept:
        model = Recorded(given["model"], kept, server)
        yield stored_run(given, loaded, pool, model, Remembering(sandbox, kept))


def write(record: Mapping[str, Any], output: Path) -> None:
    """Write a record, a line a part, and say where."""
    output.parent.mkdir(parents=True, exist_ok=True)
    parts = [f"{json.dumps(key)}: {json.dumps(part)}" for key, part in record.items()]
    output.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    print(f"wrote {output}", file=sys.stderr)


def _tell(name: str, found: Mapping[str, Any] | None) -> None:
    told = "left out: samples are missing"
    if found is not None:
        top1, rho = found["top1"]["mean"], found["rho"]["mean"]
        told = f"{found['tokens_per_task']:,} tokens a task, top1 {top1}, rho {rho}"
    print(f"{name}: {told}", file=sys.stderr, flush=True)
