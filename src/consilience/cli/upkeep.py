"""The verbs that keep things running: models, doctor, cache."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from consilience.cli import app
from consilience.models import replies, weights
from consilience.sandbox.isolation import probe
from consilience.store import Store, cache_folder

models = App(name="models", help="Weights of the embedded models: list, pull, path.")
cache = App(name="cache", help="The store of replies: info, export, import, clear.")
app.command(models)
app.command(cache)

Json = Annotated[
    bool,
    Parameter(name="--json", negative=(), show_default=False, help="Print JSON."),
]
StoreFile = Annotated[Path | None, Parameter(name="--store", help="Another store.")]


@models.command(name="list")
def list_models(*, as_json: Json = False) -> None:
    """List the models that can be embedded, and which of them are on this machine."""
    rows = [
        {
            "name": entry.name,
            "kind": entry.kind,
            "megabytes": round(entry.size / 1e6),
            "licence": entry.licence,
            "here": weights.status(entry.name).state == "present",
        }
        for entry in weights.entries()
    ]
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        here = "here" if row["here"] else "not pulled"
        name, size = row["name"], row["megabytes"]
        print(f"{name:<30} {row['kind']:<8} {size:>6} MB  {row['licence']:<11} {here}")


@models.command
def pull(name: str) -> None:
    """Fetch the weights of a model, verify them, and print where they are.

    Parameters
    ----------
    name
        As `consilience models list` shows it.
    """
    print(weights.pull(name, progress=_progress))


@models.command
def path(name: str) -> None:
    """Print where the weights of a model are.

    Parameters
    ----------
    name
        As `consilience models list` shows it.
    """
    print(weights.path(name))


@app.command
def doctor(*, as_json: Json = False) -> int:
    """Say what this machine grants to the sandbox, layer by layer, as proved by a self-test."""
    layers = probe()
    if as_json:
        rows = [{"layer": r.name, "granted": r.granted, "detail": r.detail} for r in layers]
        print(json.dumps(rows))
    else:
        for report in layers:
            print(f"{'yes' if report.granted else 'NO':<4} {report.name:<14} {report.detail}")
    return 0


@cache.command
def info(*, store: StoreFile = None, as_json: Json = False) -> None:
    """Say what the store holds."""
    with Store(store or cache_folder() / "store.sqlite") as opened:
        holdings = opened.info()
        if as_json:
            rows = [{"kind": h.kind, "count": h.count, "bytes": h.bytes} for h in holdings]
            print(json.dumps({"path": str(opened.path), "holdings": rows}))
            return
        print(opened.path)
        for held in holdings:
            print(f"{held.kind:<12} {held.count:>9,} entries {held.bytes / 1e6:>9.1f} MB")


@cache.command
def export(output: Path, /, *, store: StoreFile = None) -> None:
    """Write the replies of the store to one file, for others to replay a run.

    Parameters
    ----------
    output
        Where to: .jsonl, or .jsonl.gz.
    """
    with Store(store or cache_folder() / "store.sqlite") as opened:
        print(f"{replies.write(opened, output)} replies written to {output}")


@cache.command(name="import")
def import_(file: Path, /, *, store: StoreFile = None) -> None:
    """Put the replies that were exported to a file into the store.

    Parameters
    ----------
    file
        What `consilience cache export` wrote.
    """
    with Store(store or cache_folder() / "store.sqlite") as opened:
        print(f"{replies.read(file, opened)} replies put into {opened.path}")


@cache.command
def clear(kind: str | None = None, /, *, store: StoreFile = None) -> None:
    """Delete what the store holds, or one kind of it.

    Parameters
    ----------
    kind
        As `consilience cache info` shows it, such as reply. Default: all.
    """
    with Store(store or cache_folder() / "store.sqlite") as opened:
        print(f"{opened.clear(kind)} entries deleted from {opened.path}")


def _progress(name: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r{name}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB", end=end, file=sys.stderr)
