"""The verb `entropy`: how uncertain are the samples of each task? No model is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from consilience.cli import app
from consilience.errors import InputError
from consilience.formats.samples import read_texts
from consilience.store import Store, cache_folder
from consilience.uncertainty import Entropy
from consilience.uncertainty.fase import DEFAULT_ALPHA
from consilience.uncertainty.picture import svg
from consilience.uncertainty.semantic import semantic_entropies

Json = Annotated[
    bool,
    Parameter(
        name="--json", negative=(), show_default=False, help="Print JSON, one line a task."
    ),
]


@app.command
def entropy(
    samples: Path,
    /,
    *,
    measure: Annotated[str, Parameter(name=("--measure", "-m"))] = "fase,structural",
    rule: str = "consilience",
    alpha: float = DEFAULT_ALPHA,
    picture: Path | None = None,
    as_json: Json = False,
) -> int:
    """Say how uncertain the samples of each task are: 0 all agree, 1 all differ.

    Parameters
    ----------
    samples
        Samples JSONL, or a folder of one task's .py files.
    measure
        One or more of fase, structural, structural-authors, textual, fase+structural, hdbscan,
        with commas between.
    rule
        How FASE finds its radius: consilience, paper or authors.
    alpha
        Multiplies the radius.
    picture
        Write the spanning tree and its classes as SVG into this folder, one file a task.
    """
    groups = read_texts(samples)
    if not groups:
        message = f"{samples}: no samples in it."
        raise InputError(message, hint="Is it empty? A folder holds .py files.")
    names = [name.strip() for name in measure.split(",")]
    texts = list(groups.values())
    with Store(cache_folder() / "store.sqlite") as store:
        columns = [
            semantic_entropies(texts, measure=name, rule=rule, alpha=alpha, store=store)
            for name in names
        ]
    for place, task_id in enumerate(groups):
        found = [column[place] for column in columns]
        print(_json(task_id, found) if as_json else _text(task_id, found))
        _draw(picture, task_id, found)
    return 0


def _json(task_id: str, found: Sequence[Entropy]) -> str:
    return json.dumps({"task": task_id, "entropies": [_plain(each) for each in found]})


def _plain(entropy: Entropy) -> dict[str, Any]:
    return {"schema": "consilience.entropy/1", **asdict(entropy)}


def _text(task_id: str, found: Sequence[Entropy]) -> str:
    lines = [f"{task_id}  {len(found[0].labels)} samples"]
    for each in found:
        sizes = "+".join(str(len(group.members)) for group in each.classes)
        lines.append(f"  {each.measure:<20} {each.normalised:.3f}  classes {sizes}")
        lines += [f"    note: {note}" for note in each.notes]
    return "\n".join(lines)


def _draw(folder: Path | None, task_id: str, found: Sequence[Entropy]) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    drawn = next((each for each in found if each.edges), None)
    if drawn is not None:
        name = task_id.replace("/", "_") + ".svg"
        (folder / name).write_text(svg(drawn), encoding="utf-8")
