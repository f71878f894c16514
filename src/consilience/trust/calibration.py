"""Coefficients as data: a model a stage, shipped with the name of the record that made them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from consilience.errors import InputError, UsageError
from consilience.trust import STAGES, Evidence, Stage, Trust
from consilience.trust.logistic import Logistic

SCHEMA = "consilience.trust/1"
SHOWN_DIGITS = 9
"""Probabilities closer than this are the same: rounding neither makes nor breaks a tie."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted model for each stage that was calibrated."""

    record: str
    """Which record or file made it, and from what."""
    models: Mapping[str, Logistic]
    """By stage."""

    def assess(self, evidence: Sequence[Evidence], stage: Stage) -> Trust:
        """Say how likely it is that each candidate is right, from the *evidence* up to *stage*.

        Raises:
            UsageError: no model was fitted for that stage.
        """
        model = self.models.get(stage)
        if model is None:
            message = f"{self.record} has no coefficients for the stage {stage!r}."
            raise UsageError(message, hint="Calibrate on verdicts that went as far.")
        chances = tuple(round(model.probability(each), SHOWN_DIGITS) for each in evidence)
        top = max(chances, default=None)
        leaders = tuple(place for place, chance in enumerate(chances) if chance == top)
        moved = model.contributions(evidence[leaders[0]]) if leaders else []
        return Trust(
            stage,
            chances,
            leaders,
            tuple(sorted(moved, key=lambda each: (-abs(each.logit), each.name))),
            tuple(evidence),
            self.record,
        )

    def text(self) -> str:
        """Write it as JSON, the same bytes for the same fit."""
        models = {stage: asdict(self.models[stage]) for stage in STAGES if stage in self.models}
        data = {"schema": SCHEMA, "record": self.record, "models": models}
        return json.dumps(data, indent=1) + "\n"


@cache
def shipped() -> Calibration:
    """Return the coefficients that come with Consilience."""
    source = files("consilience.trust").joinpath("coefficients.json")
    return read(source.read_text(encoding="utf-8"), "coefficients.json")


def load(path: Path) -> Calibration:
    """Read coefficients that `consilience calibrate` wrote.

    Raises:
        InputError: the file cannot be read or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read ({error})."
        raise InputError(message, hint="Name what `consilience calibrate -o` wrote.") from error
    return read(text, str(path))


def read(text: str, name: str) -> Calibration:
    """Read coefficients from JSON; *name* is for messages.

    Raises:
        InputError: it is no calibration.
    """
    hint = "Name what `consilience calibrate -o` wrote."
    try:
        data: dict[str, Any] = json.loads(text)
        if data.get("schema") != SCHEMA:
            message = f"{name}: its schema is {data.get('schema')!r}, not {SCHEMA!r}."
            raise InputError(message, hint=hint)
        models = msgspec.convert(data["models"], dict[str, Logistic])
        return Calibration(str(data["record"]), models)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        message = f"{name}: not a calibration ({error})."
        raise InputError(message, hint=hint) from error
