"""The verbs `bench improve` and `bench agents`: repairs and recipes, scored."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from consilience.bench import agents as recipes_bench
from consilience.bench import improving as repairs_bench
from consilience.cli.benching import Record, bench, read_record
from consilience.cli.improving import DEFAULT_PLAN, Trying
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.formats import load_candidates, load_tasks


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
    loaded = load_tasks(tasks)
    posed = repairs_bench.pick(
        read_record(record), loaded, load_candidates(samples, loaded), wrong=wrong
    )
    with engine.judge() as judging:
        found = repairs_bench.run(
            judging, posed, plan=plan.plan(), workers=engine.workers, done=_tell_repair
        )
    _save(found, output)
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
    loaded = load_tasks(tasks)
    if like is not None:
        known = {row["task_id"] for row in read_record(like)["tasks"]}
        loaded = [task for task in loaded if task.id in known]
    chosen = recipes_bench.pick(loaded, pick, engine.seed)
    with engine.judge() as judging:
        found = recipes_bench.run(recipes, judging, chosen, n=n, done=_tell_choice)
    _save(found, output)
    print(json.dumps(found["summary"], indent=1))
    return 0


def _save(record: dict[str, Any], output: Path) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {output}", file=sys.stderr)


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
