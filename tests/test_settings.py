"""Settings are checked where they are made, so that no verdict rests on nonsense."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from consilience.errors import UsageError
from consilience.settings import LEAN, PRESETS, preset


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_choice_and_so_is_its_lean_form(name: str):
    assert preset(name).preset == name
    assert preset(name, **LEAN).settle == "top1"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tau": 3.0}, "tau must be 0 to 1, and 3.0 is not"),
        ({"tau": math.nan}, "tau must be 0 to 1, and nan is not"),
        ({"inputs": 0}, "inputs must be at least 1, and 0 is not"),
        ({"n_inductive": -2}, "n_inductive must be at least 1, and -2 is not"),
        ({"cpu_seconds": 0.0}, "cpu_seconds must be above 0, and 0.0 is not"),
        ({"temperature": -0.1}, "temperature must be at least 0, and -0.1 is not"),
    ],
)
def test_what_can_be_no_choice_is_refused(changes: dict[str, Any], told: str):
    with pytest.raises(UsageError, match=told) as caught:
        replace(preset("standard"), **changes)
    assert "--" in caught.value.hint
