"""The verb `report`: verdicts or a record of a measurement as one HTML file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec.structs import replace

from consilience.bench.page import beside_page, is_record, record_page
from consilience.bench.truth import beside, measure
from consilience.cli import app
from consilience.errors import UsageError
from consilience.formats import load_tasks
from consilience.report.page import agreement, run_page, verdict_page
from consilience.report.reading import read, shown
from consilience.report.shapes import Shown
from consilience.sandbox.pool import ForkServer


@app.command
def report(
    found: Path,
    /,
    *more: Path,
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
    title: str | None = None,
    entropy: bool = True,
    truth: Path | None = None,
) -> int:
    """Show verdicts, or a record of `bench`, as one self-contained HTML file.

    Parameters
    ----------
    found
        What `judge --json` or `rank --json` printed: one verdict, or a run of several, one a
        line. Or a record that `bench` wrote.
    more
        Further files of verdicts: all become one page.
    output
        Where to write the page. Default: stdout.
    title
        Heads the page of a run or a record. Default: the name of the file.
    entropy
        Measure how far the candidates' texts agree, where the verdict does not hold it yet.
    truth
        Tasks with reference solutions: run the candidates on their inputs, and show how often
        trust and scores were right.
    """
    paths = (found, *more)
    rows = [(path, number, row) for path in paths for number, row in enumerate(read(path), 1)]
    named = title or found.stem
    if any(is_record(row) for _, _, row in rows):
        html = _record([row for _, _, row in rows], named)
    else:
        verdicts = [shown(row, f"{path}:{number}") for path, number, row in rows]
        verdicts = [_measured(v) if entropy else v for v in verdicts]
        if truth is not None:
            html = _beside(verdicts, truth, named)
        else:
            html = _verdicts(verdicts, title, named)
    _emit(html, output)
    return 0


def _record(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    if len(rows) != 1:
        raise UsageError("A record of bench has a page of its own.", hint="Name one record.")
    return record_page(rows[0], title=title)


def _verdicts(verdicts: Sequence[Shown], title: str | None, named: str) -> str:
    if len(verdicts) == 1 and title is None:
        return verdict_page(verdicts[0])
    return run_page(verdicts, title=named)


def _beside(verdicts: Sequence[Shown], truth: Path, title: str) -> str:
    """Look back on verdicts with the reference solutions of their tasks."""
    tasks = {task.id: task for task in load_tasks(truth)}
    known = [verdict for verdict in verdicts if verdict.task in tasks]
    if not known:
        message = f"{truth} has none of the tasks of these verdicts."
        raise UsageError(message, hint="Name the file that they were judged from.")
    with ForkServer() as sandbox:
        found = [measure(verdict, tasks[verdict.task], sandbox) for verdict in known]
    return beside_page(verdicts, beside(found), title=title)


def _measured(verdict: Shown) -> Shown:
    """Add the entropy of the candidates' texts, where they are at hand and it is missing."""
    if verdict.entropy is not None or not verdict.candidates:
        return verdict
    return replace(verdict, entropy=agreement([each.code for each in verdict.candidates]))


def _emit(html: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(html)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(html, encoding="utf-8")
    print(f"wrote {output}", file=sys.stderr)
