"""What repairs came to, over tasks and over programs: rates with intervals, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from consilience.bench.intervals import bootstrap, paired
from consilience.bench.tables import markdown


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average over tasks, with 95 % bootstrap intervals; count what became of programs."""
    kinds = {
        "right": [row for row in rows if row["truth"][0] == 1],
        "wrong": [row for row in rows if row["truth"][0] != 1],
    }
    return {
        "tasks": len({row["task_id"] for row in rows}),
        "all": _group(rows),
        **{name: _group(group) for name, group in kinds.items()},
        "reliable_tests": _once(rows, "reliable_tests"),
        "reliable_tests_right": _once(rows, "reliable_tests_right"),
    }


def _group(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Describe programs; rates are means over tasks, since tasks are what is independent."""
    before = _by_task(rows, lambda row: row["truth"][0])
    after = _by_task(rows, lambda row: row["truth"][1])
    voter = _by_task(rows, lambda row: row["truth_by_best_voter"])
    tokens = [sum(column) for column in zip(*(row["tokens"] for row in rows), strict=True)]
    return {
        "programs": len(rows),
        "asked": sum(row["rounds"] > 0 for row in rows),
        "taken": sum(row["taken"] for row in rows),
        "repairs": sum(row["repairs"] for row in rows),
        "repairs_right": sum(row["repairs_right"] for row in rows),
        "share_before": asdict(bootstrap(before)),
        "share_after": asdict(bootstrap(after)),
        "share_by_best_voter": asdict(bootstrap(voter)),
        "after minus before": asdict(paired(after, before)),
        "after minus best voter": asdict(paired(after, voter)),
        "repair": _moves(rows, lambda row: row["truth"][1]),
        "best_voter": _moves(rows, lambda row: row["truth_by_best_voter"]),
        "tokens": tokens or [0, 0],
        "reasons": dict(sorted(Counter(_plain(row["reason"]) for row in rows).items())),
    }


def _moves(
    rows: Sequence[Mapping[str, Any]], truth: Callable[[Mapping[str, Any]], float]
) -> dict[str, int]:
    pairs = [(row["truth"][0], truth(row)) for row in rows]
    return {
        "wrong made right": sum(was != 1 and now == 1 for was, now in pairs),
        "right made wrong": sum(was == 1 and now != 1 for was, now in pairs),
        "better": sum(now > was for was, now in pairs),
        "worse": sum(now < was for was, now in pairs),
    }


def _by_task(
    rows: Sequence[Mapping[str, Any]], figure: Callable[[Mapping[str, Any]], float]
) -> list[float | None]:
    groups: dict[str, list[Fraction]] = {}
    for row in rows:
        groups.setdefault(row["task_id"], []).append(Fraction(figure(row)))
    return [float(sum(group) / len(group)) for group in groups.values()]


def _once(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    """Sum a figure that all rows of a task share."""
    return sum({row["task_id"]: row[name] for row in rows}.values())


def _plain(reason: str) -> str:
    """Leave the number of the round out, so that like reasons are counted together."""
    return "".join(letter for letter in reason if not letter.isdigit()).replace("  ", " ")


def repair_table(record: Mapping[str, Any]) -> str:
    """Show a record of `bench improve` as Markdown, beside what would have cost nothing."""
    head = [
        *("programs", "way", "asked", "wrong made right", "right made wrong"),
        *("reference inputs right", "tokens"),
    ]
    lines = [head]
    for name in ("right", "wrong", "all"):
        found = record["summary"][name]
        programs, tokens = f"{name}: {found['programs']}", f"{sum(found['tokens']):,}"
        lines += [
            [programs, "as they were", "", "", "", _share(found["share_before"]), ""],
            _way(programs, "repair", found["repair"], found["share_after"], tokens),
            _way(
                *(programs, "best general program instead", found["best_voter"]),
                *(found["share_by_best_voter"], "0"),
            ),
        ]
        lines[-2][2] = str(found["asked"])
    return markdown(lines)


def _way(
    programs: str, way: str, moves: Mapping[str, int], share: Mapping[str, Any], tokens: str
) -> list[str]:
    changed = [str(moves["wrong made right"]), str(moves["right made wrong"])]
    return [programs, way, "", *changed, _share(share), tokens]


def belief_line(record: Mapping[str, Any]) -> str:
    """Say how many of the reliable tests are right."""
    made, right = (record["summary"][f"reliable_tests{end}"] for end in ("", "_right"))
    return (
        f"{right} of {made} reliable tests ({100 * right / made:.0f} %) expect what is right."
    )


def _share(found: Mapping[str, Any]) -> str:
    if found["mean"] is None:
        return "undefined"
    mean, low, high = (100 * found[key] for key in ("mean", "low", "high"))
    return f"{mean:.0f} % [{low:.0f}, {high:.0f}]"
