"""Cases of comparison: what a careful person calls the same answer."""

from __future__ import annotations

from typing import Any

import pytest
from cases.support import arguments, value

from consilience.sandbox.pool import ForkServer
from consilience.values import classes, equal


def check_compare(given: dict[str, Any], expected: dict[str, Any]) -> None:
    for package in given.get("needs", []):
        pytest.importorskip(package)
    pairs = [(value(a), value(b)) for a, b in given["pairs"]]
    assert [equal(a, b) for a, b in pairs] == expected["equal"]
    assert [equal(b, a) for a, b in pairs] == expected["equal"]
    assert [len(set(classes(pair))) == 1 for pair in pairs] == expected["equal"]


def check_repeat(given: dict[str, Any], expected: dict[str, Any]) -> None:
    inputs = [arguments(call) for call in given["calls"]]
    seen = []
    for _ in range(given["repeats"]):
        with ForkServer(workers=1) as server:  # a fresh interpreter each time
            (outcomes,) = server.run([given["program"]], given["entry_point"], inputs)
        seen += [outcome.value for outcome in outcomes if outcome.value]
    assert len(seen) == given["repeats"] * len(inputs)
    assert len(set(classes(seen))) == expected["distinct_outcomes"]


ADAPTERS = {
    "compare": check_compare,
    "compare_sequence": check_compare,
    "execute_repeat": check_repeat,
}
