"""Records of `bench shapes` as Markdown tables: what the docs print comes from here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.bench.shapes.summary import BASE
from consilience.bench.tables import interval, markdown

NAMES = {
    "random": "any of them, by lot",
    "examples": "passes the examples, then by lot",
    "majority": "does what most do",
    "examples, majority": "passes the examples, then does what most do",
    "behaviour": "`judge --until behaviour`",
    "tests": "`judge` with a model",
}
ORDER = {"easy": 0, "medium": 1, "hard": 2}


def tables(found: Mapping[str, Any]) -> dict[str, str]:
    """Return every table of a `summary`, by name."""
    parts = {"all": found["all"], **_known(found["by shape"]), **_known(found["by difficulty"])}
    return {
        "counts": count_table(parts),
        "rules": rule_table(found["all"]),
        "parts": part_table(parts),
        "trust": trust_table(found["all"]),
        "cost": cost_table(found["all"]),
    }


def rule_table(found: Mapping[str, Any]) -> str:
    """Show, over mixed tasks, how often each rule chooses rightly, with 95 % intervals."""
    total = found["mixed"]
    rows = [
        (
            NAMES[name],
            interval(each["top1"], 100, total),
            interval(each["bottom1"], 100, total),
            "" if name == BASE else gap(each[f"minus {BASE}"]),
        )
        for name, each in found["rules"].items()
    ]
    return markdown([("chosen", "Top-1", "Bottom-1", "Top-1, difference"), *rows])


def part_table(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Show Top-1 by shape and difficulty: by lot, by the examples, and by every verdict."""
    verbs = list(parts["all"]["verdicts"])
    head = ["tasks", "mixed", *(NAMES[name] for name in ("random", BASE, *verbs))]
    rows = [
        [
            name,
            str(each["mixed"]),
            *(interval(each["rules"][r]["top1"], 100, each["mixed"]) for r in ("random", BASE)),
            *(_beside(each, verb) for verb in verbs),
        ]
        for name, each in parts.items()
        if each["mixed"]
    ]
    return markdown([head, *rows])


def count_table(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Show what the record holds, and whether the examples throw right candidates away."""
    head = ("tasks", "number", "mixed", "all right", "none right", "candidates",
            "keep a right one", "keep every right one")  # fmt: skip
    rows = [
        (
            name,
            *(str(each[key]) for key in ("tasks", "mixed", "all right", "none right")),
            f"{each['candidates']:,}",
            interval(each["keep a right one"], 100, each["mixed"]),
            interval(each["keep every right one"], 100, each["mixed"]),
        )
        for name, each in parts.items()
    ]
    return markdown([head, *rows])


def trust_table(found: Mapping[str, Any]) -> str:
    """Show how far trust can be trusted, over all tasks that were judged."""
    rows = [
        (
            NAMES[verb],
            of,
            str(each[key]["cases"]),
            _share(each[key]["said"]),
            _share(each[key]["right"]),
            _figure(each[key]["auc"]),
            _figure(each[key]["ece"]),
        )
        for verb, each in found["verdicts"].items()
        for of, key in (("the choice", "choice"), ("every candidate", "candidates"))
    ]
    return markdown([("verdict", "of", "cases", "said", "right", "AUC", "ECE"), *rows])


def cost_table(found: Mapping[str, Any]) -> str:
    """Show how many tasks were judged, on how much, and at what cost a task."""
    head = ("verdict", "judged", "probes", "usable", "seconds", "CPU seconds", "tokens")
    rows = [
        (
            NAMES[verb],
            interval(each["judged"], 100, each["tasks"]),
            *(f"{each[key]:.1f}" for key in ("probes", "usable", "seconds", "cpu_seconds")),
            f"{each['tokens']:,.0f}",
        )
        for verb, each in found["verdicts"].items()
    ]
    return markdown([head, *rows])


def reasons(found: Mapping[str, Any]) -> str:
    """Say why tasks were not judged, in one line; empty where all were."""
    told = [
        f"{count} {reason}"
        for each in found["verdicts"].values()
        for reason, count in sorted(each["reasons"].items(), key=lambda item: -item[1])
    ]
    return ", ".join(told)


def gap(found: Mapping[str, Any]) -> str:
    """Write a paired difference in points, with its interval and who won how often."""
    inside = found["interval"]
    if inside["mean"] is None:
        return "undefined"
    mean, low, high = (100 * inside[key] for key in ("mean", "low", "high"))
    count = f"{found['wins']} better, {found['losses']} worse"
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}] ({count})"


def _beside(each: Mapping[str, Any], verb: str) -> str:
    found = each["rules"].get(verb)
    if found is None:
        return ""
    inside = found[f"minus {BASE}"]["interval"]
    mean, low, high = (100 * inside[key] for key in ("mean", "low", "high"))
    told = interval(found["top1"], 100, each["mixed"])
    return f"{told}, {mean:+.1f} [{low:+.1f}, {high:+.1f}]"


def _known(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out a part that is all there is; the rest from easy to hard."""
    if len(parts) < 2:
        return {}
    return {name: parts[name] for name in sorted(parts, key=lambda n: (ORDER.get(n, 9), n))}


def _figure(found: Mapping[str, float | None]) -> str:
    if found["value"] is None:
        return "undefined"
    return f"{found['value']:.2f} [{found['low']:.2f}, {found['high']:.2f}]"


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
