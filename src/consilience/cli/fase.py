"""The verbs `bench fase ...`: FASE's experiment, from drawing samples to tables and figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from consilience.bench.fase import EXPERIMENT
from consilience.bench.fase import figures as drawn
from consilience.bench.fase import tables as written
from consilience.bench.fase.asked import ASKED, Asker, ask_all
from consilience.bench.fase.draw import Draw, pick
from consilience.bench.fase.grading import GRADES, grade_rows
from consilience.bench.fase.library_tests import LIBRARIES, agreement, compare
from consilience.bench.fase.sets import by_task, read_rows, write_rows
from consilience.bench.machine import machine
from consilience.cli.benching import Record, bench
from consilience.cli.options import Engine
from consilience.errors import InputError, WeightsError
from consilience.formats import load_tasks
from consilience.models.choice import open_model
from consilience.models.stored import StoredModel
from consilience.sampling import Workflow
from consilience.sandbox.pool import ForkServer
from consilience.store import Store, cache_folder
from consilience.uncertainty.encoders import default_encoder
from consilience.uncertainty.hashed import HashedEncoder

fase = App(name="fase", help="FASE's experiment: draw, grade, measure, show.")
bench.command(fase)

DEFAULT_ENGINE = Engine()
Pick = Annotated[int, Parameter(name="--pick")]


@fase.command
def draw(
    tasks: Path,
    /,
    *,
    output: Record,
    workflow: Workflow = "coder",
    count: Pick = 64,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Draw ten samples a task as the paper does, by the coder alone or after an analyst.

    Parameters
    ----------
    tasks
        HumanEval or HumanEval+.
    output
        Where to write the samples, as gzipped JSON lines.
    workflow
        coder, or analyst: one account of the task first, which every sample is written from.
    count
        How many tasks, chosen at random by --seed.
    """
    chosen = pick(load_tasks(tasks), count, engine.seed)
    with engine.open_store() as store:
        model = StoredModel(open_model(engine.model, engine.base_url), store)
        drawing = Draw(workflow, seed=engine.seed, workers=engine.workers)
        write_rows(output, list(drawing.rows(chosen, model, _tell)))
    told = f"paid {model.ledger.total()}, replayed {model.ledger.total(replayed=True)}"
    print(f"{told}\nwrote {output}", file=sys.stderr)
    return 0


@fase.command
def grade(
    tasks: Path,
    /,
    *samples: Path,
    output: Record,
    most: int | None = None,
    workers: int = 1,
) -> int:
    """Run samples on the reference inputs in the sandbox; keep a letter a sample.

    Parameters
    ----------
    tasks
        HumanEval+.
    samples
        Gzipped JSON lines with task_id and solution.
    output
        The record of grades. Tasks that it has are not run again.
    most
        Run only the first so many samples of each model and task.
    """
    known = {task.id: task for task in load_tasks(tasks)}
    record = begin(output, GRADES, {"files": {}})
    left = [
        (path.name, task_id, rows)
        for path in samples
        for task_id, rows in by_task(read_rows(path)).items()
        if task_id not in record["files"].setdefault(path.name, {})
    ]
    with ForkServer(workers=workers) as sandbox:
        for name, task_id, rows in left:
            record["files"][name][task_id] = grade_rows(known[task_id], rows, sandbox, most)
            _tell(task_id)
            write(record | {"machine": machine()}, output)
    return 0


@fase.command
def libraries(tasks: Path, samples: Path, /, *, output: Record) -> int:
    """Run BigCodeBench samples by the tasks' own tests; compare with the recorded statuses.

    Tasks whose libraries or other needs are not met here are skipped, and counted by reason.

    Parameters
    ----------
    tasks
        BigCodeBench-Hard.
    samples
        Gzipped JSON lines with task_id, solution and status.
    output
        The record. Tasks that it has are not run again.
    """
    groups = by_task(read_rows(samples))
    record = begin(output, LIBRARIES, {"tasks": []})
    done = {row["task_id"] for row in record["tasks"]}
    left = [task for task in load_tasks(tasks) if task.id not in done and task.id in groups]
    with ForkServer(workers=1) as sandbox:
        for task in left:
            record["tasks"].append(compare(task, groups[task.id], sandbox))
            record["summary"] = agreement(record["tasks"])
            write(record | {"machine": machine()}, output)
            _tell(task.id)
    return 0


@fase.command
def ask(
    tasks: Path,
    samples: Path,
    /,
    *,
    output: Record,
    minutes: float = 25.0,
    server: int | None = None,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Ask the model about samples: entailment, P(True) and a vote, each with its price.

    Parameters
    ----------
    tasks
        HumanEval or HumanEval+.
    samples
        What `draw` wrote.
    output
        The record. Tasks that it has are not asked about again.
    minutes
        No further task is begun after so many.
    server
        The process that serves the model on this machine, to read its CPU time.
    """
    known = {task.id: task for task in load_tasks(tasks)}
    groups = by_task(read_rows(samples))
    begun = {"samples": samples.name, "model": engine.model, "tasks": []}
    record = begin(output, ASKED, begun)
    done = {row["task_id"] for row in record["tasks"]}
    left = [
        (known[task_id], [row["solution"] for row in rows])
        for task_id, rows in groups.items()
        if task_id not in done
    ]
    with engine.open_store() as store:
        model = open_model(engine.model, engine.base_url)
        asker = Asker(model, store, engine.seed, server)
        for row in ask_all(asker, left, 60 * minutes, engine.workers):
            record["tasks"].append(row)
            write(record | {"machine": machine()}, output)
            _tell(row["task_id"])
    return 0


@fase.command
def run(
    data: Path,
    records: Path,
    /,
    *,
    output: Record,
    only: str | None = None,
    store: Path | None = None,
) -> int:
    """Measure every sample set, and what the measures cost; no model is asked.

    Parameters
    ----------
    data
        The folder with the pools. Needs scipy and scikit-learn.
    records
        The folder with what `draw`, `grade` and `ask` wrote (fase-*).
    output
        The record, which grows part by part: a run that was stopped goes on.
    only
        Measure only the parts whose name begins so.
    store
        The file that keeps the vectors.
    """
    from consilience.bench.fase.plan import parts  # noqa: PLC0415  # only when asked for

    encoder = default_encoder()
    if isinstance(encoder, HashedEncoder):
        raise WeightsError(
            "MiniLM is not on this machine.", hint="consilience models pull minilm"
        )
    record = begin(output, EXPERIMENT, {"sets": {}})
    with Store(store or cache_folder() / "store.sqlite") as vectors:
        for part in parts(data, records, encoder, vectors):
            if part.missing(record) and part.name.startswith(only or ""):
                part.add(record)
                write(record | {"machine": machine()}, output)
                _tell(part.name)
    return 0


@fase.command
def tables(record: Path, /, *, into: Path | None = None) -> int:
    """Print the record's tables as Markdown, or put them into a document.

    Parameters
    ----------
    record
        What `bench fase run` wrote.
    into
        A document with `<!-- table NAME -->` and `<!-- end -->` where tables belong.
    """
    found = written.tables(read(record, EXPERIMENT))
    if into is None:
        print("\n\n".join(f"{name}\n\n{text}" for name, text in found.items()))
    else:
        into.write_text(written.fill(into.read_text("utf-8"), found), encoding="utf-8")
    return 0


@fase.command
def figures(record: Path, folder: Path, /) -> int:
    """Draw the record's figures as SVG into a folder.

    Parameters
    ----------
    record
        What `bench fase run` wrote.
    folder
        Where the pictures go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in drawn.figures(read(record, EXPERIMENT)).items():
        (folder / name).write_text(svg, encoding="utf-8")
        print(f"wrote {folder / name}", file=sys.stderr)
    return 0


def begin(output: Path, schema: str, empty: dict[str, Any]) -> dict[str, Any]:
    """Read the record that a run is to go on with, or begin an empty one."""
    return read(output, schema) if output.exists() else {"schema": schema} | empty


def read(path: Path, schema: str) -> dict[str, Any]:
    """Read a record of *schema*.

    Raises:
        InputError: it cannot be read, or is another one.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        message = f"{path}: not a readable record ({error})."
        raise InputError(message, hint="Name what `consilience bench fase` wrote.") from error
    if found.get("schema") != schema:
        message = f"{path}: its schema is {found.get('schema')!r}, not {schema!r}."
        raise InputError(message, hint="Name what `consilience bench fase` wrote.")
    return found


def write(record: dict[str, Any], output: Path) -> None:
    """Write a record, whole or not at all."""
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh = output.with_name(output.name + ".part")
    fresh.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    fresh.replace(output)


def _tell(task_id: str) -> None:
    print(task_id, file=sys.stderr, flush=True)
