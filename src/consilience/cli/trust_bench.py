"""The verbs of `bench` that measure trust: observe, trust, gate, cascade."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from consilience.bench.cott import read_rows
from consilience.bench.cott.posing import again, part
from consilience.bench.machine import machine
from consilience.cli.benching import Record, bench, read_json, read_record, write_record
from consilience.errors import InputError
from consilience.formats import load_candidates, load_tasks
from consilience.judge import Judge
from consilience.sandbox.pool import ForkServer
from consilience.settings import Settings
from consilience.store import Store
from consilience.trust.calibration import Calibration
from consilience.uncertainty.hashed import HashedEncoder

Observations = Annotated[Path, Parameter(name="--observations")]


@bench.command
def observe(
    data: Path, /, *, output: Record, limit: int | None = None, workers: int = 2
) -> int:
    """Run the pools' programs on inputs made without ground truth, and label them.

    Parameters
    ----------
    data
        The folder with the pools and their tasks.
    output
        What was seen, as gzipped JSONL; a run that was stopped goes on.
    limit
        Observe at most so many new tasks.
    """
    from consilience.bench import observations  # noqa: PLC0415  # only when asked for

    with ForkServer(workers=workers, confirm_timeouts=False) as sandbox:
        found = observations.observe(data, output, sandbox, limit=limit, done=_tell)
    print(f"{len(found)} tasks observed", file=sys.stderr)
    return 0


@bench.command
def trust(
    observations: Path, /, *, output: Record, ship: Path | None = None, resamples: int = 1000
) -> int:
    """Calibrate trust on what `observe` saw, and measure it on sources it was not fitted on.

    Parameters
    ----------
    observations
        What `observe` wrote.
    output
        Where to write the record.
    ship
        Write the coefficients, fitted on all cases, here.
    resamples
        Tasks are drawn anew so many times for each interval.
    """
    from consilience.bench import trust as measured  # noqa: PLC0415  # only when asked for
    from consilience.bench.observations import read  # noqa: PLC0415
    from consilience.bench.trust_cases import cases  # noqa: PLC0415

    found = cases(read(observations), HashedEncoder())
    record = measured.run(found, resamples=resamples)
    write_record(record, output)
    if ship is not None:
        name = f"bench/records/{output.name}"
        calibration = Calibration(name, measured.models(found))
        ship.write_text(calibration.text(), encoding="utf-8")
        print(f"wrote {ship}", file=sys.stderr)
    return 0


@bench.command
def gate(observations: Path, /, *, output: Record, resamples: int = 1000) -> int:
    """Measure what the gate's confidence is worth, by source and number of voters.

    Parameters
    ----------
    observations
        What `observe` wrote.
    output
        Where to write the record.
    """
    from consilience.bench import gate_confidence as measured  # noqa: PLC0415
    from consilience.bench.observations import read  # noqa: PLC0415

    write_record(measured.run(read(observations), resamples=resamples), output)
    return 0


@bench.command
def cascade(  # noqa: PLR0913 - four of them are keywords, and none depends on another
    record: Path,
    tasks: Path,
    samples: Path,
    /,
    *,
    store: Path,
    output: Record,
    observations: Observations | None = None,
    limit: int | None = None,
) -> int:
    """Replay the tasks of a record by CoTT alone and by the cascade; nothing is paid.

    Parameters
    ----------
    record
        What `bench judge -o` or `bench cott -o` wrote.
    tasks
        The tasks that it judged.
    samples
        The pool that its candidates came from.
    store
        The file that keeps the replies of that run.
    output
        Where to write the record.
    observations
        What `observe` wrote: adds the samples of each source as candidates, and trust is fitted
        on the sources of the other datasets, not as it is shipped.
    limit
        Only the first so many tasks of the record.
    """
    from consilience.bench import cascade as measured  # noqa: PLC0415  # only when asked for
    from consilience.bench.observations import read  # noqa: PLC0415
    from consilience.bench.replay import Replay  # noqa: PLC0415

    found = _recorded(record)
    found["tasks"] = found["tasks"][:limit]
    loaded = {task.id: task for task in load_tasks(tasks)}
    pools = load_candidates(samples, list(loaded.values()))
    everything = read(observations) if observations else []
    seen = {each.task_id: each for each in everything}
    fitted = measured.held_out(everything, [row["task_id"] for row in found["tasks"]])
    with ForkServer() as sandbox, Store(store) as replies:
        settings = Settings(**found["settings"])
        judging = Judge(Replay(found["model"]), sandbox, replies, settings)
        posed = list(measured.pose(found, loaded, pools, seen))
        result = measured.run(
            posed, judging, source=record.name, calibration=fitted, done=_tell
        )
    write_record(result, output)
    print(json.dumps(result["summary"], indent=1))
    return 0


@bench.command
def choices(
    record: Path,
    tasks: Path,
    samples: Path,
    /,
    *,
    observations: Observations,
    output: Record,
    voters: str | None = None,
) -> int:
    """Compare whom the tests of a record choose with whom trust does; nothing is run.

    Parameters
    ----------
    record
        What `bench cott -o` wrote.
    tasks
        The tasks that it is of.
    samples
        The pool that its candidates came from.
    observations
        What `observe` wrote: trust is fitted on its other datasets.
    output
        Where to write it, beside what is there of other records.
    voters
        The model whose samples were the general programs of the record.
    """
    from consilience.bench import choices as measured  # noqa: PLC0415  # only when asked for
    from consilience.bench.cascade import held_out  # noqa: PLC0415
    from consilience.bench.observations import read  # noqa: PLC0415

    known = _known(output, measured.SCHEMA)
    rows, loaded = read_rows(record), load_tasks(tasks)
    pool = part(samples, loaded, voters, 0).candidates if voters else None
    posed = again(rows, loaded, pool or load_candidates(samples, loaded))
    fitted = held_out(read(observations), [row.task_id for row in rows])
    if fitted is None:
        message = f"{observations} has no other dataset than that of {record}."
        raise InputError(message, hint="Observe both: consilience bench observe DATA.")
    found = {
        **known,
        record.name.split(".")[0]: measured.choices(rows, posed, fitted),
    }
    write_record({"schema": measured.SCHEMA, "machine": machine(), "records": found}, output)
    return 0


def _known(output: Path, schema: str) -> dict[str, Any]:
    """Return the records that *output* holds already; a file of another kind is not touched."""
    if not output.exists():
        return {}
    found = read_json(output)
    if found.get("schema") != schema:
        message = f"{output} holds another kind of record."
        raise InputError(message, hint="Name a new file, or what this verb wrote.")
    return dict(found["records"])


def _recorded(path: Path) -> dict[str, Any]:
    """Read a record of `bench judge` or of `bench cott` as the former."""
    if ".jsonl" not in path.suffixes:
        return read_record(path)
    rows = read_rows(path)
    if not rows:
        message = f"{path} holds no task."
        raise InputError(message, hint="Name what `bench cott -o` wrote.")
    return {
        "model": rows[0].model,
        "settings": rows[0].settings,
        "tasks": [msgspec.to_builtins(row) for row in rows],
    }


def _tell(told: str) -> None:
    print(told, file=sys.stderr, flush=True)


@bench.command(name="trust-tables")
def trust_tables(*records: Path, into: Path | None = None, pictures: Path | None = None) -> int:
    """Print the tables of records of trust, gate and cascade, or put them into a document.

    Parameters
    ----------
    records
        What `bench trust`, `bench gate` and `bench cascade` wrote.
    into
        A document with `<!-- table NAME -->` and `<!-- end -->` where tables belong.
    pictures
        Draw the figures of the record of trust into this folder.
    """
    from consilience.bench import trust_tables as shown  # noqa: PLC0415  # only when asked for
    from consilience.bench.fase.tables import fill  # noqa: PLC0415

    found = [json.loads(record.read_text(encoding="utf-8")) for record in records]
    tables = {name: text for each in found for name, text in shown.tables(each).items()}
    if into is None:
        print("\n\n".join(f"{name}\n\n{text}" for name, text in tables.items()))
    else:
        into.write_text(fill(into.read_text(encoding="utf-8"), tables), encoding="utf-8")
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        drawn = {k: svg for each in found for k, svg in shown.figures(each).items()}
        for name, svg in drawn.items():
            (pictures / name).write_text(svg, encoding="utf-8")
            print(f"wrote {pictures / name}", file=sys.stderr)
    return 0
