"""A warning is given where a record says so, and only there."""

from __future__ import annotations

from dataclasses import replace

from consilience.oracles.experience import Experience, experiences, warning
from consilience.settings import Settings

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


def test_what_is_shipped_can_be_read():
    assert all(known.gated >= 0 for known in experiences().values())
