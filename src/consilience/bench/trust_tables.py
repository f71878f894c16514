"""The records of trust, of the gate and of the cascade as Markdown tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.bench import cascade, choices, gate_confidence, trust
from consilience.bench.chart import Axis, Series, grid, line_chart, reliability_chart
from consilience.bench.tables import markdown
from consilience.errors import InputError

Record = Mapping[str, Any]
SHOWN = ("FASE or structure", "behaviour classes")
"""Measures whose risk is drawn beside that of trust."""


def tables(record: Record) -> dict[str, str]:
    """Write the tables of one record, by name."""
    return {
        trust.SCHEMA: _trust,
        gate_confidence.SCHEMA: _gate,
        cascade.SCHEMA: _cascade,
        choices.SCHEMA: _choices,
    }[schema(record)](record)


def schema(record: Record) -> str:
    """Return which of these records it is.

    Raises:
        InputError: it is none of them.
    """
    found = str(record.get("schema"))
    known = {trust.SCHEMA, gate_confidence.SCHEMA, cascade.SCHEMA, choices.SCHEMA}
    if found not in known:
        message = f"A record of schema {found!r} has no tables here."
        hint = "Name what `bench trust`, `gate`, `cascade` or `choices` wrote."
        raise InputError(message, hint=hint)
    return found


def figures(record: Record) -> dict[str, str]:
    """Draw reliability and risk-coverage of a record of trust, by file name; else nothing."""
    if schema(record) != trust.SCHEMA:
        return {}
    found = record["transfer"]
    reliability = [
        reliability_chart(
            [(b["mean"], b["right"], *_interval(b)) for b in found[stage]["bins"]],
            title=f"{stage}: said and right (n={found[stage]['cases']})",
            x="probability said",
            y="share right",
        )
        for stage in found
    ]
    risk = [_risk(stage, found[stage]) for stage in found]
    return {
        "trust-reliability.svg": grid(reliability, columns=3, title="Held-out: MBPP+"),
        "trust-risk-coverage.svg": grid(risk, columns=3, title="Held-out: MBPP+"),
    }


def _interval(each: Record) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    n, p, z = each["count"], each["right"], 1.96
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


def _risk(stage: str, found: Record) -> str:
    lines = [Series("trust", [(c, r) for c, r in found["trust"]["curve"]])]
    for name in SHOWN:
        if name in found["alone"]:
            points = [(c, r) for c, r in found["alone"][name]["curve"]]
            lines.append(Series(name, points, dash="5 3"))
    x, y = Axis("coverage", 0.0, 1.0), Axis("risk: share wrong", 0.0)
    return line_chart(lines, title=f"{stage}: risk by coverage", x=x, y=y, width=400)


def _trust(record: Record) -> dict[str, str]:
    return {
        "sources": _sources(record),
        "transfer": _transfer(record),
        "alone": _alone(record),
        "left-out": _left_out(record),
        "ranking": _ranking(record),
        "pool-cascade": _pool_cascade(record),
        "coefficients": _coefficients(record),
    }


def _sources(record: Record) -> str:
    rows = [
        (
            name,
            str(row["tasks"]),
            str(row["candidates"]),
            _percent(row["right"] / row["candidates"]),
        )
        for name, row in record["data"]["sources"].items()
    ]
    return markdown([("source", "tasks", "candidates", "right"), *rows])


def _transfer(record: Record) -> str:
    head = ("stage", "of", "right", "AUC", "ECE", "Brier", "wrong among the surest half")
    rows = []
    for stage, found in record["transfer"].items():
        count = f"{found['cases']} choices, {found['tasks']} tasks"
        for of, key in ((count, "trust"), ("every candidate", "every candidate")):
            own = found.get(key)
            if own is None:  # records made before every candidate was measured
                continue
            figures = [span(own[name]) for name in ("auc", "ece", "brier")]
            right = span(found["right"]) if key == "trust" else ""
            rows.append((stage, of, right, *figures, span(own["risk"]["0.5"])))
    return markdown([head, *rows])


def _alone(record: Record) -> str:
    head = ("stage", "measure alone", "AUC", "ECE", "Brier", "AUC of trust minus this")
    rows = [
        (
            stage,
            name,
            *(span(each[metric]) for metric in ("auc", "ece", "brier")),
            f"[{_figure(each['auc of trust minus this']['low'])}, "
            f"{_figure(each['auc of trust minus this']['high'])}]",
        )
        for stage, found in record["transfer"].items()
        for name, each in found["alone"].items()
        if stage != "tests" or name == "tests passed"
    ]
    return markdown([head, *rows])


def _left_out(record: Record) -> str:
    head = ("source left out", *record["left out"])
    parts = record["left out"]
    names = sorted({name for found in parts.values() for name in found["by source"]})
    rows = [
        (name, *(_brief(found["by source"].get(name)) for found in parts.values()))
        for name in names
    ]
    whole = ("all", *(_brief_of(found["all"]) for found in parts.values()))
    return markdown([head, *rows, whole])


def _brief(found: Record | None) -> str:
    if found is None:
        return ""
    return f"AUC {_figure(found['auc'])}, ECE {_figure(found['ece'])} (n={found['cases']})"


def _brief_of(found: Record) -> str:
    return f"AUC {span(found['auc'])}, ECE {span(found['ece'])}"


def _ranking(record: Record) -> str:
    parts = record["ranking"]
    names = list(dict.fromkeys(name for found in parts.values() for name in found))
    rows = [
        (name, *(span(found[name], 100) if name in found else "" for found in parts.values()))
        for name in names
    ]
    return markdown([("chosen by", *parts), *rows])


def _pool_cascade(record: Record) -> str:
    head = (
        "level", "settled by text", "by behaviour", "settled in all", "right where settled",
        "right, all cases", "minus going to the end",
    )  # fmt: skip
    rows = [
        (
            level,
            _percent(found["stopped"]["text"]),
            _percent(found["stopped"]["behaviour"]),
            _percent(found["settled"]),
            _percent(found["right where settled"]),
            span(found["right"], 100),
            span(found["right minus all stages"], 100),
        )
        for level, found in record["cascade"].items()
    ]
    return markdown([head, *rows])


def _coefficients(record: Record) -> str:
    models = record["models"]
    names = list(dict.fromkeys(t["name"] for m in models.values() for t in m["terms"]))
    weights = {
        stage: {term["name"]: term for term in model["terms"]}
        for stage, model in models.items()
    }
    rows = [(name, *(_weight(weights[stage].get(name)) for stage in models)) for name in names]
    first = ("(intercept)", *(f"{model['intercept']:+.2f}" for model in models.values()))
    return markdown([("figure", *models), first, *rows])


def _weight(term: Record | None) -> str:
    if term is None:
        return ""
    missing = f" (unknown: {term['missing']:+.2f})" if term["missing"] else ""
    return f"{term['weight']:+.2f}{missing}"


def _gate(record: Record) -> dict[str, str]:
    head = (
        "source",
        "voters",
        "inputs",
        "gated at .8",
        "right",
        "kept: right",
        "gated: right",
        "ECE of c",
    )
    rows = [
        (
            row["source"],
            str(row["voters"]),
            f"{row['inputs']} of {row['tasks']} tasks",
            *(
                _percent(row[k])
                for k in ("gated", "right", "right where kept", "right where gated")
            ),
            _figure(row["ece of c"]),
        )
        for row in record["by source and voters"]
    ]
    calibrated = [
        (name, kind, *(span(each[m]) for m in ("area", "calibration_error", "brier")))
        for name, found in record["calibrated"].items()
        for kind, each in found.items()
        if kind in {"c(x)", "calibrated"}
    ]
    return {
        "gate": markdown([head, *rows]),
        "gate-calibrated": markdown([("fit", "claim", "AUC", "ECE", "Brier"), *calibrated]),
        "tau": _taus(record["tau"]),
    }


def _taus(rows: Sequence[Record]) -> str:
    """Show a line a source and number of voters: tau, and what it keeps, by the risk."""
    risks = sorted({row["risk"] for row in rows})
    found: dict[tuple[str, int], dict[float, Record]] = {}
    for row in rows:
        found.setdefault((row["source"], row["voters"]), {})[row["risk"]] = row
    return markdown([
        ("source", "voters", *(f"risk {risk:g}" for risk in risks), "kept at .8"),
        *(
            (
                source,
                str(voters),
                *(_tau(by_risk.get(risk)) for risk in risks),
                _percent(next(iter(by_risk.values()))["saved at .8"]),
            )
            for (source, voters), by_risk in found.items()
        ),
    ])


def _tau(row: Record | None) -> str:
    if row is None or row["tau"] is None:
        return "none"
    return f"{row['tau']:.2f} keeps {_percent(row['saved'])}"


def _cascade(record: Record) -> dict[str, str]:
    head = (
        "candidates", "level", "settled early", "tokens saved", "seconds saved",
        "Top-1", "Top-1 minus CoTT alone", "right where settled",
    )  # fmt: skip
    rows: list[Sequence[str]] = []
    for kind, found in record["summary"].items():
        some = found["with a right candidate"]
        alone = span(found["cott"]["top1"], 100, "mean")
        rows.append((
            f"{kind} ({found['tasks']} tasks, {some} with a right one)",
            "CoTT alone", "", "", "", alone, "", "",
        ))  # fmt: skip
        # The highest level settles next to nothing early: it is in the record alone.
        rows += [
            ("", level, *_reached(found[level])) for level in map(str, cascade.LEVELS[:-1])
        ]
    name = record["dataset"].lower()
    return {f"cascade-{name}": markdown([head, *rows]), f"choices-{name}": _chosen(record)}


def _reached(each: Record) -> tuple[str, ...]:
    share = f"{_percent(each['right where settled'])} of {each['settled']}"
    return (
        span(each["settled early"], 100, "mean"),
        _percent(each["tokens saved"]),
        _percent(each["seconds saved"]),
        span(each["top1"], 100, "mean"),
        span(each["top1 minus cott"], 100, "mean"),
        share if each["settled"] else "none settled",
    )


def _chosen(record: Record) -> str:
    """Show whom tests, trust and no model at all would choose."""
    kinds = {**record["summary"], "all sources": record}
    head = ("candidates", *cascade.CHOICES, "ties by trust minus tests", "trust minus tests")
    return markdown([
        head,
        *(
            (
                kind,
                *(span(found["choices"][n]["top1"], 100, "mean") for n in cascade.CHOICES),
                *(
                    span(found["choices"][n]["minus tests"], 100, "mean")
                    for n in cascade.CHOICES[2:]
                ),
            )
            for kind, found in kinds.items()
        ),
    ])


def _choices(record: Record) -> dict[str, str]:
    """Show Top-1 by the tests, by trust, and by what there is before any test."""
    head = (
        "record", "tasks", "examples alone", "trust, no tests", "tests", "trust",
        "trust minus tests",
    )  # fmt: skip
    rows = [
        (
            name.removeprefix("cott-"),
            str(found["tasks"]),
            *(span(found["top1"][way], 100, "mean") for way in choices.WAYS),
            span(found["minus tests"]["trust"], 100, "mean"),
        )
        for name, found in sorted(record["records"].items())
    ]
    return {"choices": markdown([head, *rows])}


def span(found: Record, scale: float = 1, key: str = "value") -> str:
    """Write a figure with its interval."""
    if found[key] is None:
        return "undefined"
    value, low, high = (scale * found[name] for name in (key, "low", "high"))
    digits = 0 if scale == 100 else 3
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
