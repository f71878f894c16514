"""The flags that spend less: what they set."""

from __future__ import annotations

from typing import Any

import pytest

from consilience.cli import main
from consilience.cli.options import Engine
from consilience.models import Usage
from consilience.settings import LEAN


def test_without_flags_everything_is_as_the_preset_says():
    settings = Engine(preset="economy").settings()
    assert (settings.examples, settings.settle, settings.rule) == (True, "all", "paper")
    assert Engine().budget() is None


def test_each_flag_is_known(capsys: pytest.CaptureFixture[str]):
    flags = "--no-examples --lean --settle order --risk .1 --doubt .1 --rule pooled"
    limits = "--max-tokens 10 --max-cost .1 --max-seconds 3 --price 2"
    assert main(["judge", "no-such-file.jsonl", *flags.split(), *limits.split()]) == 2
    assert "no-such-file.jsonl" in capsys.readouterr().err


def test_lean_sets_every_lever_and_a_flag_sets_it_otherwise():
    lean = Engine(lean=True).settings()
    assert all(getattr(lean, name) == value for name, value in LEAN.items())
    other = Engine(lean=True, settle="order", risk=0.05, n_transductive=7).settings()
    assert (other.settle, other.risk, other.n_transductive) == ("order", 0.05, 7)
    assert other.rule == "supported"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ({"max_tokens": 10}, "the budget of 10 tokens is spent"),
        ({"max_cost": 0.001, "price": 100.0}, "the budget of $0.001 is spent"),
        ({"max_seconds": 0.0}, "the time of 0 s is over"),
    ],
)
def test_each_limit_is_a_budget(flags: dict[str, Any], told: str):
    budget = Engine(**flags).budget()
    assert budget is not None
    assert budget.reached(Usage(5, 5)) == told
