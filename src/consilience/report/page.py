"""A verdict as one self-contained HTML file: no script, no network, hostile text escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from consilience.judge import Verdict
from consilience.report.record import PRICE, record


def page(verdict: Verdict, *, price: float = PRICE) -> str:
    """Return the page; everything that came from a program or a model is shown as text."""
    return _template().render(
        data=record(verdict, price=price),
        candidates=verdict.candidates,
        labels=[candidate.label for candidate in verdict.candidates],
        trust=trust,
    )


def trust(test: dict[str, Any]) -> str:
    """Say where an expectation comes from and how many votes stand behind it."""
    if test["route"] == "given":
        return "given by the task"
    return f"{test['route']}, {test['votes']} of {test['total']} votes"


@cache
def _template() -> Template:
    source = files("consilience.report").joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(source)
