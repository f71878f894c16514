"""A warning is given where a record says so, and only there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec

from consilience.oracles.experience import Experience, experiences, warning
from consilience.settings import Settings

ROOT = Path(__file__).parents[2]
LOST = Experience("bench/records/x.json", 20, 60, 25, 30, (-1.0, 0.5), 5000, 2000)
WON = Experience("bench/records/x.json", 20, 60, 41, 30, (0.1, 1.0), 5000, 2000)
KNOWN = {"weak": LOST, "strong": WON}


def test_a_model_for_which_transduction_lost_is_named_with_its_figures():
    told = warning("weak", Settings(), KNOWN)
    assert "of 60 doubtful inputs on 20 tasks 25 labels were right with it, 30 without" in told
    assert "-1.00 to +0.50 a task" in told
    assert "saves 60%" in told


def test_nothing_is_said_where_it_won_or_is_not_used_or_nothing_is_known():
    assert warning("strong", Settings(), KNOWN) == ""
    assert warning("other", Settings(), KNOWN) == ""
    assert warning("weak", replace(Settings(), method="rstar"), KNOWN) == ""
    assert warning("weak", replace(Settings(), rule="supported"), KNOWN) == ""


def test_harm_that_is_clear_of_chance_is_called_harm():
    clear = replace_gain(LOST, (-0.3, -0.04))
    assert "was seen to do harm with weak" in warning("weak", Settings(), {"weak": clear})
    assert "was not seen to pay for weak" in warning("weak", Settings(), KNOWN)


def test_what_is_shipped_is_what_its_record_says():
    for known in experiences().values():
        found = json.loads((ROOT / known.record).read_bytes())["transduction"]
        gain = found["by_task"]["interval"]
        assert (known.tasks, known.gated) == (found["tasks"], found["gated"])
        assert (known.right_with, known.right_without) == (
            found["right_with"],
            found["right_without"],
        )
        assert known.gain == (gain["low"], gain["high"])
        assert (known.tokens_with, known.tokens_without) == (
            found["tokens_with"],
            found["tokens_without"],
        )


def replace_gain(known: Experience, gain: tuple[float, float]) -> Experience:
    return msgspec.structs.replace(known, gain=gain)
