"""Every public case, through the adapter of its operation; none is treated apart."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases.support import read_cases, shared

Adapter = Callable[[dict[str, Any], dict[str, Any]], None]

CASES = read_cases()


def load_adapters() -> dict[tuple[str, str], Adapter]:
    """Read the adapters, by area and operation."""
    found = {}
    for path in sorted((Path(__file__).parent / "cases").glob("adapter_*.py")):
        area = path.stem.removeprefix("adapter_")
        module = importlib.import_module(f"cases.{path.stem}")
        found.update({(area, op): adapter for op, adapter in module.ADAPTERS.items()})
    return found


def find_adapter(area: str, op: str) -> Adapter:
    """Choose the adapter of *op*: the one of the case's own area, where several have it."""
    having = {where: adapter for where, adapter in load_adapters().items() if where[1] == op}
    if (area, op) in having:
        return having[area, op]
    assert len(having) == 1, f"{len(having)} adapters for {op!r}, none of area {area!r}"
    return next(iter(having.values()))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_public_case(case: dict[str, Any]) -> None:
    find_adapter(case["area"], case["input"]["op"])(case["input"], case["expected"])


def test_all_cases_are_read() -> None:
    shared("cases")
    assert len(CASES) == 66
