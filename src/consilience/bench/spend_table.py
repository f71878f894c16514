"""A record of `bench spend` as Markdown: levers beside plain CoTT, and what a problem costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consilience.bench.spend import PLAIN
from consilience.bench.tables import markdown
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
            _cost(found),
            _percent(found["label_accuracy"]["mean"]),
            _percent(found["top1"]["mean"]),
            _percent(found["bottom1"]["mean"]),
            _number(found["rho"]["mean"]),
            _gap(found["minus_plain"]["top1"], 100, 0),
            _gap(found["minus_plain"]["rho"], 1, 2),
        )
        for name, found in record["variants"].items()
    ]
    return markdown([head, *rows])


def speed_table(record: Mapping[str, Any]) -> str:
    """Show a record of `bench spend-speed`: a run beside its bare requests."""
    rows = [
        (
            name,
            f"{found['wall']:.0f}",
            f"{found['tokens']:,}",
            f"{found['tokens'] / found['wall']:.1f}",
        )
        for name, found in (
            ("judged", record["judged"]),
            ("the same requests, raw", record["raw"]),
        )
    ]
    return markdown([("", "seconds", "tokens written", "tokens a second"), *rows])


def speed_line(record: Mapping[str, Any]) -> str:
    """Say what judging adds to the raw requests, and how the server was kept busy."""
    wall, token, idle, shared = (
        f"{100 * record[name]:.1f} %"
        for name in ("overhead_of_wall", "overhead_a_token", "idle_of_wall", "prompt_shared")
    )
    asked = f"{record['slots_asked']:.1f} of {record['slots']} slots"
    return (
        f"{record['tasks']} tasks, {record['workers']} at once, {record['model']}: judging"
        f" added {wall} to the raw wall time ({token} a token written). Nothing was on its way"
        f" for {idle} of the time; {asked} were asked for on average; {shared} of the"
        " prompts' text begins as that of an earlier one."
    )


def route_table(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """Show, for some variants, the labels by route and how many are right."""
    rows = [
        (name, route, str(counts["tests"]), f"{100 * counts['right'] / counts['tests']:.0f} %")
        for name in names
        if name in record["variants"]
        for route, counts in record["variants"][name]["labels"].items()
        if counts["tests"]
    ]
    return markdown([("variant", "route", "labels", "right"), *rows])


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
    return markdown([head, *rows])


def experience_line(record: Mapping[str, Any]) -> str:
    """Say what transduction did where induction was in doubt."""
    found = record["transduction"]
    gap = found["by_task"]["interval"]
    mean, low, high = (gap[key] for key in ("mean", "low", "high"))
    return (
        f"Of {found['gated']} labels of doubtful inputs on {found['tasks']} tasks, "
        f"{found['right_with']} were right with transduction and {found['right_without']} by "
        f"the majority of the general programs: {mean:+.2f} [{low:.2f}, {high:.2f}] a task, at "
        f"{found['tokens_with']:,} tokens against {found['tokens_without']:,}."
    )


def choice_table(record: Mapping[str, Any]) -> str:
    """Show the harm of each way to label, and what was chosen for tasks left out."""
    evidence = [
        (
            found["name"],
            f"{found['harm']:.3f}",
            f"{found['p_value']:.2f}",
            f"{found['epsilon']:.3f}",
        )
        for found in record["evidence"]
    ]
    head = ("choice", "mean harm", "p (harm above 0.1)", "harm ruled out at 90 %")
    chosen = [
        (
            f"{found['epsilon']:g}",
            ", ".join(f"{name} ({count})" for name, count in found["picks"].items()),
            _percent(found["top1"]["mean"]),
            _number(found["rho"]["mean"]),
            _percent(found["label_accuracy"]["mean"]),
            f"{found['tokens_per_task']:,}",
        )
        for found in record["held_out"]
    ]
    below = ("harm at most", "chosen (tasks)", "Top-1", "rho", "labels right", "tokens a task")
    return markdown([head, *evidence]) + "\n\n" + markdown([below, *chosen])


def simulation_table(record: Mapping[str, Any]) -> str:
    """Show the stops' stated and true chance of error, in the simulation."""
    votes = [
        (
            row["votes"],
            str(row["programs"]),
            f"{row['doubt']:g}",
            _chance(row["changed_of_stopped"]),
            f"{row['changed']:.3f}",
            f"{100 * row['drawn_of_all']:.0f} %",
        )
        for row in record["votes"]
    ]
    head = ("votes", "programs", "doubt", "changed, of the stopped", "changed, of all", "drawn")
    orders = [
        (
            row["aim"],
            row["labels"],
            f"{row['risk']:g}",
            _chance(row["changed_of_stopped"]),
            f"{row['changed']:.3f}",
            f"{100 * row['asked_of_all']:.0f} %",
        )
        for row in record["orders"]
    ]
    below = ("settle", "labels", "risk", "changed, of the stopped", "changed, of all", "asked")
    return markdown([head, *votes]) + "\n\n" + markdown([below, *orders])


def _chance(value: float | None) -> str:
    return "none stopped" if value is None else f"{value:.3f}"


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


def _cost(found: Mapping[str, Any]) -> str:
    """Write the share of plain CoTT's tokens; of a pool's samples, the programs of a task."""
    if found["share_of_plain"] is None:
        return f"{found['programs_per_task']:.1f} programs"
    return f"{100 * found['share_of_plain']:.0f} %"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.0f}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
