"""The record of the experiment as Markdown tables: what the document prints comes from here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from consilience.bench.fase.distances import CLASSES, KINDS
from consilience.bench.tables import markdown
from consilience.errors import InputError

Record = Mapping[str, Any]
ENCODER = "minilm"
VARIANT_NAMES = {
    "pdm-mean": "PDM mean",
    "mst-mean": "MST mean",
    "scaled-pdm-mean": "scaled PDM mean",
    "scaled-mst-mean": "scaled MST mean",
    "scaled-mst-mode": "scaled MST mode",
}
RULE_NAMES = {"authors": "published code", "paper": "Eq. 2", "consilience": "distinct"}
ASKED = {
    "p-true sampled": "P(True), sampled answer",
    "p-true probability": "P(True), token probability",
    "vote": "majority vote of three answers",
    "entailment": "semantic entropy (entailment)",
}


def tables(record: Record) -> dict[str, str]:
    """Write every table, by name."""
    sets = record["sets"]
    found = {
        "sets": sets_table(sets),
        "distances": ratio_table(sets, "distance_ratios"),
        "edges": ratio_table(sets, "edge_ratios"),
        "tree": tree_table(sets),
        "rho": score_table(sets, "rho"),
        "auc": score_table(sets, "auc"),
        "alpha": alpha_table(sets),
        "claims": comparison_table(sets, record.get("asked")),
    }
    if "asked" in record:
        found["asked"] = asked_table(record["asked"])
    if "cost" in record:
        found["cost"] = cost_table(record)
    return found


def sets_table(sets: Record) -> str:
    """Show the sample sets and how right they are."""
    head = ("set", "samples", "tasks", *CLASSES, "mean pass@1", "distinct a task", "verdicts")
    return markdown([
        head,
        *(
            (
                name,
                found["about"],
                str(found["tasks"]),
                *(str(found["pass_at_1"][place]) for place in CLASSES),
                _interval(found["pass_at_1"]["mean"]),
                f"{found['distinct']:.1f} of {found['samples']}",
                found["labels"],
            )
            for name, found in sets.items()
        ),
    ])


def ratio_table(sets: Record, what: str) -> str:
    """Show mean lengths by kind of pair over the task's mean."""
    head = ("set", "tasks", *(f"{kind}, {it}" for it in ("all", "distinct") for kind in KINDS))
    rows = []
    for name, found in sets.items():
        geometry = found["geometry"][ENCODER]
        cells = [
            _interval(geometry[items][what][kind])
            for items in ("samples", "distinct")
            for kind in KINDS
        ]
        rows.append((name, str(geometry["samples"]["tasks_between"]), *cells))
    return markdown([head, *rows])


def tree_table(sets: Record) -> str:
    """Show the mean tree edge over the mean distance, by class of pass@1."""
    head = ("set", *(f"{place}, {it}" for it in ("all", "distinct") for place in CLASSES))
    rows = []
    for name, found in sets.items():
        geometry = found["geometry"][ENCODER]
        cells = [
            _interval(geometry[items]["tree_to_distance"][place])
            for items in ("samples", "distinct")
            for place in CLASSES
        ]
        rows.append((name, *cells))
    return markdown([head, *rows])


def measure_rows(encoder: str = ENCODER) -> dict[str, str]:
    """Name the rows of the paper's Table 2 and ours: measure in the record -> name."""
    rows = {
        "textual": "textual",
        "structural-authors": "structural, as published",
        "structural": "structural, names apart",
        f"hdbscan/{encoder}": "fixed class size",
        f"fixed/{encoder}": "fixed radius",
    }
    for rule, rule_name in RULE_NAMES.items():
        for variant, name in VARIANT_NAMES.items():
            if rule == "paper" and variant != "scaled-mst-mode":
                continue
            rows[f"{rule} {variant}/{encoder}"] = f"FASE {name}, {rule_name}"
        if rule != "paper":
            rows[f"{rule}+structural/{encoder}"] = f"FASE or structural, {rule_name}"
    rows[f"closeness/{encoder}"] = "closeness (1 - mean distance)"
    rows["closeness/syntax"] = "closeness of syntax"
    return rows


def score_table(sets: Record, score: str) -> str:
    """Show rho or AUC of every measure on every set: held out, and in hindsight."""
    rows = [("measure", *sets)]
    for measure, name in measure_rows().items():
        cells = [_score(found["measures"].get(measure), score) for found in sets.values()]
        rows.append((name, *cells))
    return markdown(rows)


def _score(found: Record | None, score: str) -> str:
    """Write "held out (hindsight)", or the one figure of a measure without a setting."""
    if found is None:
        return ""
    if "held_out" not in found:
        return _estimate(found[score])
    held = found["held_out"][score]
    return f"{_estimate(held)} ({_number(found[score]['value'])})"


def alpha_table(sets: Record, measure: str = f"scaled-mst-mode/{ENCODER}") -> str:
    """Show alpha in hindsight beside those that nested cross-validation chooses."""
    head = (
        "set", "rule", "best alpha in hindsight", "alphas chosen (least, quartiles, most)",
        "rho in hindsight", "rho held out", "lost", "spread over repetitions",
    )  # fmt: skip
    rows = []
    for name, found in sets.items():
        for rule, words in RULE_NAMES.items():
            each = found["measures"][f"{rule} {measure}"]
            held, seen = each["held_out"]["rho"], each["rho"]["value"]
            lost = None if held["value"] is None or seen is None else seen - held["value"]
            chosen = ", ".join(f"{value:g}" for value in each["held_out"]["settings"].values())
            rows.append((
                name, words, f"{each['rho_setting']:g}", chosen, _number(seen),
                _estimate(held), _number(lost), _number(held["spread"]),
            ))  # fmt: skip
    return markdown([head, *rows])


def comparison_table(sets: Record, asked: Record | None = None) -> str:
    """Show by how much one measure's held-out rho exceeds another's, set by set."""
    names = ASKED | measure_rows()
    shown = dict(sets) | ({"asked": asked} if asked else {})
    pairs = dict.fromkeys(pair for found in shown.values() for pair in found["comparisons"])
    rows = [("one minus other", *shown, "above 0", "settled above", "settled below")]
    for pair in pairs:
        one, other = (names.get(name, name) for name in pair.split(" minus "))
        found = [each["comparisons"].get(pair) for each in shown.values()]
        known = [each for each in found if each is not None and each["value"] is not None]
        cells = ["" if each is None else _estimate(each) for each in found]
        counts = (
            f"{sum(each['value'] > 0 for each in known)} of {len(known)}",
            str(sum(each["low"] > 0 for each in known)),
            str(sum(each["high"] < 0 for each in known)),
        )
        rows.append((f"{one} minus {other}", *cells, *counts))
    return markdown(rows)


def asked_table(asked: Record) -> str:
    """Show what the model's answers tell, beside other measures on the same samples."""
    rows = [
        ("measure", "rho", "AUC", "calls a task", "tokens a task", "the model's CPU s a task")
    ]
    parts = {"entailment": "entailment", "vote": "vote"}
    for measure, name in (ASKED | measure_rows()).items():
        found = asked["measures"].get(measure)
        if found is None:
            continue
        part = asked["cost"].get(parts.get(measure, "p_true")) if measure in ASKED else None
        rows.append((name, _score(found, "rho"), _score(found, "auc"), *_price(part)))
    return markdown(rows)


def _price(part: Record | None) -> tuple[str, str, str]:
    if part is None:
        return ("0", "0", "0")
    tokens = (part["prompt_tokens"]["mean"] or 0) + (part["completion_tokens"]["mean"] or 0)
    return (
        f"{part['calls']['mean']:.1f}",
        f"{tokens:,.0f}",
        _seconds(part["server_cpu_seconds"]),
    )


def cost_table(record: Record) -> str:
    """Show CPU seconds a task, part by part."""
    rows = [("part", "CPU seconds a task")]
    rows += [(name, _seconds(found)) for name, found in record["cost"]["parts"].items()]
    asked = record.get("asked", {}).get("cost", {})
    rows += [
        (f"{name} (the model's CPU)", _seconds(found["server_cpu_seconds"]))
        for name, found in asked.items()
    ]
    return markdown(rows)


def fill(document: str, found: Mapping[str, str]) -> str:
    """Put tables into a document, between `<!-- table NAME -->` and `<!-- end -->`.

    Raises:
        InputError: the document asks for a table that there is not.
    """

    def table(match: re.Match[str]) -> str:
        name = match[1]
        if name not in found:
            message = f"The document asks for the table {name!r}."
            raise InputError(message, hint=f"The record gives: {', '.join(found)}.")
        return f"<!-- table {name} -->\n{found[name]}\n<!-- end -->"

    return re.sub(r"<!-- table ([\w-]+) -->.*?<!-- end -->", table, document, flags=re.DOTALL)


def _interval(found: Record) -> str:
    """Write a mean with its interval; how many tasks, where few."""
    if found["mean"] is None:
        return "none"
    few = f", n={found['tasks']}" if found["tasks"] < 10 else ""
    ends = f"{_number(found['low'])}, {_number(found['high'])}"
    return f"{_number(found['mean'])} [{ends}{few}]"


def _estimate(found: Record) -> str:
    if found["value"] is None:
        return "undefined"
    return f"{_number(found['value'])} [{_number(found['low'])}, {_number(found['high'])}]"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value + 0.0:.2f}"


def _seconds(found: Record) -> str:
    if found["mean"] is None:
        return "not measured"
    return " ".join([f"{found['mean']:.2g}", f"[{found['low']:.2g}, {found['high']:.2g}]"])
