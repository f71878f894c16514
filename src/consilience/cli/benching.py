"""The verb `bench`: run the measurements whose records are committed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from consilience.bench import live
from consilience.cli import app
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.formats import load_candidates, load_tasks

bench = App(name="bench", help="Measure, and write the record: judge.")
app.command(bench)

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
        earlier = json.loads(output.read_text("utf-8")) if output.exists() else None
        record = live.run(judging, posed, workers=engine.workers, earlier=earlier, done=_tell)
    paid, replayed = judging.ledger.total(), judging.ledger.total(replayed=True)
    told = f"paid {paid.prompt_tokens + paid.completion_tokens:,} tokens in this run, "
    told += f"{replayed.prompt_tokens + replayed.completion_tokens:,} came from the store"
    print(told, file=sys.stderr)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(record["summary"], indent=1))
    return 0


def _tell(row: dict[str, Any]) -> None:
    cott, rstar = row["cott"], row["rstar"]
    print(
        f"{row['task_id']}: top1 {cott['top1']} (induction alone {rstar['top1']}), "
        f"{cott['gated']} of {cott['inputs']} inputs gated, {row['seconds']} s",
        file=sys.stderr,
        flush=True,
    )
