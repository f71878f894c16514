"""Make the pages of the docs that are made: command line, Python, and every measured figure.

Run `python tools/pages.py` (or `make docs`) after a change of flags, docstrings or records;
a test fails where a committed page differs from what would be made.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from cyclopts import App
from rich.console import Console

import consilience
from consilience import cli
from consilience.bench.agents import recipe_table
from consilience.bench.chart import Bar, bar_chart
from consilience.bench.cott import TaskRow, read_rows
from consilience.bench.cott.analysis import voting
from consilience.bench.cott.figures import figures
from consilience.bench.cott.page import tables
from consilience.bench.cott.stories import stories
from consilience.bench.cott.tables import voter_table
from consilience.bench.improving_summary import belief_line, repair_table
from consilience.bench.shapes.page import measured
from consilience.bench.spend_table import (
    choice_table,
    experience_line,
    lever_table,
    price_table,
    route_table,
    simulation_table,
    speed_line,
    speed_table,
)
from consilience.bench.tables import label_table, live_table, markdown
from consilience.cli import app

ROOT = Path(__file__).parents[1]
DOCS, RECORDS = ROOT / "docs", ROOT / "bench" / "records"
cli.register()
BEYOND = {
    "Settings": "settings", "Judge": "judge", "Store": "store", "ForkServer": "sandbox.pool",
    "ScriptedModel": "models.scripted", "Entropy": "uncertainty", "TestCase": "task",
    "TestInput": "task", "Ranking": "ranking.order", "Outcome": "sandbox",
}  # fmt: skip
"""Names that a longer program needs, and their modules."""
_MARK = re.compile(r"(<!-- figure: ([\w.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def made() -> dict[Path, str]:
    """Return every page and picture that is made, by its path."""
    found = {DOCS / "cli.md": cli_page(), DOCS / "api.md": api_page()}
    for name in ("benchmarks", "spending", "cott-experiment", "service", "clusters", "shapes"):
        path = DOCS / f"{name}.md"
        found[path] = filled(path.read_text(encoding="utf-8"))
    return found | {DOCS / "pictures" / name: draw() for name, draw in PICTURES.items()}


def cli_page() -> str:
    """Write out `--help` of every verb."""
    parts = [
        "# Command line\n",
        "Made from `consilience --help` and that of every verb. The result goes to stdout, all "
        "else to stderr; `--json` gives data. Exit codes: 0 done, 1 failed, 2 usage or "
        "unreadable input, 130 interrupted. Nothing needs a terminal.\n",
        fenced(told(())),
    ]
    parts += [f"## consilience {' '.join(w)}\n\n{fenced(told(w))}" for w in verbs(app)]
    return "\n".join(parts)


def verbs(group: App, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """List the verbs of *group* and of the groups in it."""
    for name in sorted(name for name in group if not name.startswith("-")):
        words = (*before, name)
        inner = [each for each in group[name] if not each.startswith("-")]
        if inner:
            yield from verbs(group[name], words)
        else:
            yield words


def told(words: tuple[str, ...]) -> str:
    """Return the help of a verb at a fixed width."""
    file = StringIO()
    console = Console(file=file, width=96, force_terminal=False, color_system=None)
    app.help_print(list(words), console=console)
    lines = [line.rstrip() for line in file.getvalue().strip().splitlines()]
    return "\n".join(lines)


def fenced(text: str) -> str:
    """Put text into a fence."""
    return f"```text\n{text}\n```\n"


def api_page() -> str:
    """Write out the docstrings of the public names, and of what longer programs need."""
    parts = [
        "# Python\n",
        "Made from the docstrings. `import consilience as cs` loads nothing heavy. Functions "
        "are synchronous (there are threads inside), so they work in notebooks.\n",
        "Anything with `complete(prompt, n=..., sampling=..., seed=...)` is a model; anything "
        "with `encode(texts)` an encoder.\n",
    ]
    names = consilience.__all__
    parts += [entry(f"consilience.{name}", getattr(consilience, name)) for name in names]
    parts.append("## For longer programs\n")
    for name, home in BEYOND.items():
        thing = getattr(import_module(f"consilience.{home}"), name)
        parts.append(entry(f"consilience.{home}.{name}", thing, "###"))
    return "\n".join(parts)


def entry(name: str, thing: Any, level: str = "##") -> str:
    """Write one name: what it takes, what it is, and what it has."""
    short = name.rpartition(".")[2]
    lines = [f"{level} {short}\n", f"```text\n{signature(name, thing)}\n```\n", prose(thing)]
    for method, held in members(thing):
        told = first_line(held)
        lines.append(f"- `{method}`: {told}" if told else f"- `{method}`")
    return "\n".join(lines).rstrip() + "\n"


def signature(name: str, thing: Any) -> str:
    """Write a call of *thing*; a long one with a line a parameter."""
    if isinstance(thing, type) and issubclass(thing, Exception):
        return f"{name}(message, *, hint=None)"
    shown: list[str] = []
    for each in inspect.signature(thing).parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        kind = f": {each.annotation}" if isinstance(each.annotation, str) else ""
        shown.append(f"{each.name}{kind}{default(each)}")
    flat = f"{name}({', '.join(shown)})"
    return flat if len(flat) <= 88 else f"{name}(\n    " + ",\n    ".join(shown) + ",\n)"


def default(parameter: inspect.Parameter) -> str:
    """Write the default of a parameter; one that is an object is left open."""
    if parameter.default is parameter.empty:
        return ""
    plain = isinstance(parameter.default, bool | int | float | str | tuple | None)
    return f" = {parameter.default!r}" if plain else " = ..."


def prose(thing: Any) -> str:
    """Turn a docstring in Google's form into Markdown."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r"^(Args|Raises|Returns):$", r"**\1**\n", text, flags=re.MULTILINE)
    text = re.sub(r"^    (\w+): (?=\S)", r"- `\1`: ", text, flags=re.MULTILINE)
    text = re.sub(r"^        (?=\S)", "  ", text, flags=re.MULTILINE)
    return text + "\n"


def members(thing: Any) -> Iterator[tuple[str, Any]]:
    """List the fields of a dataclass, and the public methods and properties of a class."""
    if not isinstance(thing, type) or issubclass(thing, Exception):
        return
    if is_dataclass(thing):
        documented = attribute_docs(thing)
        for field in fields(thing):
            yield f"{field.name}: {field.type}", documented.get(field.name, "")
    for name, held in vars(thing).items():
        if name.startswith("_") or name in getattr(thing, "__dataclass_fields__", {}):
            continue
        if isinstance(held, property):
            yield name, inspect.getdoc(held) or ""
        elif callable(held) or isinstance(held, classmethod):
            yield f"{name}()", inspect.getdoc(held) or ""


def attribute_docs(thing: type) -> dict[str, str]:
    """Read the texts below the fields of a class."""
    source = inspect.getsource(thing)
    found = re.findall(r'^    (\w+): [^\n]*\n    """(.*?)"""', source, re.MULTILINE | re.DOTALL)
    return {name: " ".join(text.split()) for name, text in found}


def first_line(text: str) -> str:
    """Return the first sentence, on one line."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())


def filled(page: str) -> str:
    """Put the present figures between the marks of a page."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}\n{FIGURES[match[2]]()}\n\n{match[3]}"

    return _MARK.sub(fill, page)


def record(name: str) -> Any:
    """Read a committed record."""
    return json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))


def sandbox_table() -> str:
    """Show the record of `bench sandbox`."""
    found = record("sandbox")
    rows = [
        [name, f"{way['programs_a_second']:,.0f}", f"{way['cpu_milliseconds_a_program']:.2f}",
         f"{way['right']} of {found['setting']['programs']}", ratio(found, name)]
        for name, way in found["ways"].items()
    ]  # fmt: skip
    head = ["way", "programs a second", "CPU ms a program", "judged right", "Consilience is"]
    return markdown([head, *rows])


def ratio(found: Any, name: str) -> str:
    """Write how many times faster than *name* Consilience is."""
    held = found["ratios"].get(name)
    return "" if held is None else f"{held['median']} times [{held['least']}, {held['most']}]"


def canonical_table() -> str:
    """Show the record of `bench canonical`."""
    rows = [
        [
            name.removesuffix(".jsonl.gz"),
            f"{d['tasks']}",
            f"{d['calls']:,}",
            f"{len(d['faults'])}",
        ]
        for name, d in record("canonical")["datasets"].items()
    ]
    return markdown([["dataset", "tasks", "calls", "faults"], *rows])


def extraction_table() -> str:
    """Show the record of `bench extraction`."""
    found = record("extraction")
    keys = [key for key in next(iter(found["ways"].values())) if key != "kept"]
    rows = [
        [
            name,
            *(f"{way[key]:,}" if isinstance(way[key], int) else str(way[key]) for key in keys),
        ]
        for name, way in found["ways"].items()
    ]
    return markdown([["wrapped as", *(key.replace("_", " ") for key in keys)], *rows])


def soak_table() -> str:
    """Show the record of `bench soak`."""
    found = record("soak")
    keys = list(found["before"])
    rows = [[key.replace("_", " "), *(f"{found[when][key]:,}" for when in ("before", "after"))]
            for key in keys]  # fmt: skip
    head = ["", "before", f"after {found['executions']:,} executions"]
    return markdown([head, *rows])


def service_table() -> str:
    """Show what the service held, order by order."""
    load = record("service")["load"]
    rows = [
        [kind, f"{found['right']} of {found['orders']}", f"{found['orders_per_second']:.1f}",
         f"{found['p50_ms']:,.0f}", f"{found['p95_ms']:,.0f}",
         f"{found['service_cpu_ms_per_order']:.0f}"]
        for kind in ("entropy", "rank", "judge")
        for found in [load[kind]]
    ]  # fmt: skip
    head = ["order", "answered right", "a second", "p50 ms", "p95 ms", "CPU ms an order"]
    return markdown([head, *rows])


def rank_table() -> str:
    """Show how many real candidates a core ranks in a second."""
    rows = [
        [name.removesuffix("_pool_open_licence.jsonl.gz"), f"{found['tasks']}",
         f"{found['distinct_candidates']:,}", f"{found['cpu_seconds']:.0f}",
         f"{found['a_core_second']['distinct_candidates']:.1f}",
         f"{1000 * found['cpu_seconds'] / found['distinct_candidates']:.0f}"]
        for name, found in record("cluster")["rank"].items()
    ]  # fmt: skip
    head = [
        "pool",
        "tasks",
        "distinct candidates",
        "CPU seconds",
        "a core-second",
        "CPU ms each",
    ]
    return markdown([head, *rows])


def service_line() -> str:
    """Say what the kill cost."""
    found = record("service")["kill"]
    states = found["states_at_the_kill"]
    return (
        f"Killed with {states.get('running', 0)} jobs running and {states.get('queued', 0)} "
        f"waiting: {found['jobs_finished_right']} of {found['jobs_accepted']} came out right "
        f"after the restart. Of {found['samples_needed']} samples "
        f"{found['samples_stored_at_the_kill']} were stored at the kill; "
        f"{found['samples_paid_after_the_kill']} were paid after it, "
        f"{found['samples_paid_though_stored']} of them twice."
    )


@cache
def cott_rows(name: str) -> list[TaskRow]:
    """Read a record of `bench cott`."""
    return read_rows(RECORDS / f"{COTT[name]}.jsonl.gz")


@cache
def cott_tables(name: str) -> dict[str, str]:
    """Write every table of a record of `bench cott`, and its case studies."""
    return {**tables(cott_rows(name)), "cases": stories(cott_rows(name))}


@cache
def cott_pictures(name: str) -> dict[str, str]:
    """Draw every figure of a record of `bench cott`."""
    return figures(cott_rows(name))


def labels_picture() -> str:
    """Draw how many expected outputs are right, by route."""
    routes = record("judge-humaneval")["summary"]["cott"]["label_accuracy"]
    bars = [
        Bar(route, n["right"] / n["tests"], note=f"{n['right']} of {n['tests']}")
        for route, n in routes.items()
    ]
    return bar_chart(bars, title="Expected outputs that the reference shares, by route")


def sandbox_picture() -> str:
    """Draw programs a second, by way."""
    ways = record("sandbox")["ways"]
    bars = [Bar(name, way["programs_a_second"]) for name, way in ways.items()]
    return bar_chart(bars, title="Programs a second, ten inputs each")


FIGURES: dict[str, Callable[[], str]] = {
    "judge": lambda: live_table(record("judge-humaneval")),
    "labels": lambda: label_table(record("judge-humaneval")),
    "improve": lambda: repair_table(record("improve")),
    "improve-tests": lambda: belief_line(record("improve")),
    "agents": lambda: recipe_table(record("agents")),
    "shapes": lambda: measured(RECORDS),
    "sandbox": sandbox_table,
    "canonical": canonical_table,
    "extraction": extraction_table,
    "soak": soak_table,
    "cluster-rank": rank_table,
    "service": service_table,
    "service-kill": service_line,
    "spend": lambda: lever_table(record("spend")),
    "spend-cott": lambda: lever_table(record("spend-cott")),
    "spend-cott-prices": lambda: price_table(record("spend-cott")),
    "spend-cott-experience": lambda: experience_line(record("spend-cott")),
    "spend-cott-choice": lambda: choice_table(record("spend-cott")),
    "spend-1.5b": lambda: lever_table(record("spend-1.5b")),
    "spend-codegen": lambda: lever_table(record("spend-codegen")),
    "spend-qwen": lambda: lever_table(record("spend-qwen")),
    "spend-speed": lambda: speed_table(record("spend-speed")),
    "spend-speed-line": lambda: speed_line(record("spend-speed")),
    "spend-routes": lambda: route_table(
        record("spend"), ("plain cott", "induction alone", "rule: supported", "all levers")
    ),
    "spend-prices": lambda: price_table(record("spend")),
    "spend-simulation": lambda: simulation_table(record("spend-simulation")),
}
"""Name in the page -> the figure, from its record."""
COTT = {
    "codegen": "cott-humaneval-codegen",
    "mbpp": "cott-mbpp-qwen",
    "live-humaneval": "cott-live-humaneval",
    "live-mbpp": "cott-live-mbpp",
}
"""Records of `bench cott` by the name that the page has for them."""
FIGURES |= {
    f"cott-{name}-{part}": lambda name=name, part=part: cott_tables(name)[part]
    for name in COTT
    for part in ("methods", "gate", "rerankers", "confidence")
}
VOTERS = {
    "humaneval": {
        "CodeGen-16B": "cott-humaneval-codegen", "ChatGPT": "cott-humaneval-chatgpt",
        "GPT-4": "cott-humaneval-gpt4", "Gemini": "cott-humaneval-gemini",
        "QwenCoder480b": "cott-humaneval-qwen480b",
        "QwenCoderTurbo": "cott-humaneval-qwenturbo",
    },
    "mbpp": {
        "ChatGPT": "cott-mbpp-chatgpt", "GPT-4": "cott-mbpp-gpt4",
        "QwenCoder480b": "cott-mbpp-qwen480b", "QwenCoderTurbo": "cott-mbpp-qwen",
    },
}  # fmt: skip
"""Whose recorded samples vote in which record, by benchmark."""
FIGURES |= {
    f"cott-voters-{name}": lambda records=records: markdown(
        voter_table({
            who: voting(read_rows(RECORDS / f"{file}.jsonl.gz"))
            for who, file in records.items()
        })
    )
    for name, records in VOTERS.items()
}
LIVE = ("live-humaneval", "live-mbpp")
"""Records in which a model was asked: they show transduction too."""
FIGURES |= {
    f"cott-{name}-{part}": lambda name=name, part=part: cott_tables(name)[part]
    for name in LIVE
    for part in ("differences", "routes", "tau", "cases")
}
PICTURES: dict[str, Callable[[], str]] = {
    "cott-codegen-confidence.svg": lambda: cott_pictures("codegen")["confidence"],
    "labels.svg": labels_picture,
    "sandbox.svg": sandbox_picture,
}
PICTURES |= {
    f"cott-{name}-{part}.svg": lambda name=name, part=part: cott_pictures(name)[part]
    for name in LIVE
    for part in ("methods", "tau", "cost", "majorities", "confidence")
}


def main() -> int:
    """Write what differs; say what was written."""
    for path, text in made().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stderr.write(f"wrote {path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
