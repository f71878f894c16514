"""A record of `bench spend` as Markdown: levers beside plain CoTT, and what a problem costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consilience.bench.spend import PLAIN
from consilience.models.budget import PRICE
from consilience.settings import LEAN, PRESETS, Settings

PUBLISHED = {"CoTT (published)": 650_000, "TT without gate (published)": 770_000}
"""Tokens a problem: the paper's dollars at its price."""
PAIR = "two programs, one request"
"""The variant from which the cost of a request is read: one request an input, two samples."""


def lever_table(record: Mapping[str, Any]) -> str:
    """Show every variant: tokens, labels, scores, and the paired difference from plain CoTT."""
    head = (
        "variant",
        "tokens a task",
        "of plain",
        "labels right",
        "Top-1",
        "Bottom-1",
        "rho",
        "Top-1 minus plain",
        "rho minus plain",
    )
    rows = [
        (
            name,
            f"{found['tokens_per_task']:,}",
            f"{100 * found['share_of_plain']:.0f} %",
            _percent(found["label_accuracy"]["mean"]),
            _percent(found["top1"]["mean"]),
            _percent(found["bottom1"]["mean"]),
            _number(found["rho"]["mean"]),
            _gap(found["minus_plain"]["top1"], 100, 0),
            _gap(found["minus_plain"]["rho"], 1, 2),
        )
        for name, found in record["variants"].items()
    ]
    return _table([head, *rows])


def route_table(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """Show, for some variants, the labels by route and how many are right."""
    rows = [
        (name, route, str(counts["tests"]), f"{100 * counts['right'] / counts['tests']:.0f} %")
        for name in names
        if name in record["variants"]
        for route, counts in record["variants"][name]["labels"].items()
        if counts["tests"]
    ]
    return _table([("variant", "route", "labels", "right"), *rows])


def price_table(record: Mapping[str, Any], price: float = PRICE) -> str:
    """Reckon what a problem costs by preset, from the record's mean request.

    Computed, not measured, but for the preset of the record. `standard` is an upper bound: all
    ten programs are counted, in two requests.
    """
    head = ("setting", "inputs", "tokens a problem", "dollars a problem")
    if not {PAIR, "all levers"} <= record["variants"].keys():
        return f"No prices: the record lacks the variant {PAIR!r} or 'all levers'."
    costs = _means(record)
    rows = [
        (name, "100", f"{count:,}", f"{count * price / 1e6:.4f}")
        for name, count in PUBLISHED.items()
    ]
    for label, settings, share in _settings(record):
        count = round(_reckoned(settings, costs, share))
        rows.append((label, str(settings.inputs), f"{count:,}", f"{count * price / 1e6:.5f}"))
    return _table([head, *rows])


def _settings(record: Mapping[str, Any]) -> Iterator[tuple[str, Settings, float]]:
    """Yield the settings to reckon, with the share of their inputs that is paid for."""
    plain = record["rows"][PLAIN]
    gated = sum(row["gated"] or 0 for row in plain) / max(
        1, sum(row["inputs"] for row in plain)
    )
    lean = gated * _paid(record)
    for name, settings in PRESETS.items():
        yield f"{name}, plain", settings, gated
        yield f"{name}, --lean", Settings(**(_fields(settings) | LEAN)), lean


def _paid(record: Mapping[str, Any]) -> float:
    """Return the share of the gated inputs that all levers together pay for."""
    every = record["variants"]["all levers"]["stages"].get("transduction", 0)
    pair = record["variants"][PAIR]["stages"].get("transduction", 0)
    return every / pair if pair else 0.0


def _means(record: Mapping[str, Any]) -> dict[str, float]:
    """Return the mean cost of a prompt and of a sample, by stage."""
    rows, settings = record["rows"][PAIR], record["settings"]
    gated = sum(row["gated"] or 0 for row in record["rows"][PLAIN])
    sums = {
        stage: [sum(row["tokens"].get(stage, (0, 0))[part] for row in rows) for part in (0, 1)]
        for stage in ("inputs", "induction", "transduction")
    }
    count = len(rows)
    return {
        "seeds": sum(sums["inputs"]) / count / settings["seed_prompts"],
        "general prompt": sums["induction"][0] / count,
        "general": sums["induction"][1] / count / settings["n_inductive"],
        "exact prompt": sums["transduction"][0] / max(1, gated),
        "exact": sums["transduction"][1] / max(1, 2 * gated),
    }


def _reckoned(settings: Settings, costs: Mapping[str, float], share: float) -> float:
    requests = 2 if settings.sequential else 1
    exact = requests * costs["exact prompt"] + settings.n_transductive * costs["exact"]
    return (
        settings.seed_prompts * costs["seeds"]
        + costs["general prompt"]
        + settings.n_inductive * costs["general"]
        + share * settings.inputs * exact
    )


def _fields(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in Settings.__dataclass_fields__}


def _gap(found: Mapping[str, Any], scale: float, digits: int) -> str:
    interval = found["interval"]
    if interval["mean"] is None:
        return "undefined"
    mean, low, high = (scale * interval[key] for key in ("mean", "low", "high"))
    return f"{mean:+.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.0f}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(rows[0])
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:]))
