"""What is known of a model: whether transduction was seen to pay, by a committed record."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from consilience.settings import Settings


class Experience(msgspec.Struct, frozen=True):
    """What transduction did for one model, on inputs where the gate was open."""

    record: str
    """The file with the measurement."""
    tasks: int
    gated: int
    """Inputs on which induction was in doubt."""
    right_with: int
    """Labels right there by CoTT's rule."""
    right_without: int
    """Labels right there by the majority of the general programs."""
    gain: tuple[float, float]
    """95 % interval of the right labels that a task gains by it."""
    tokens_with: int
    """Tokens a task."""
    tokens_without: int

    @property
    def paid(self) -> bool:
        """Tell whether more labels were right for it, beyond chance."""
        return self.gain[0] > 0


def warning(model: str, settings: Settings, known: dict[str, Experience] | None = None) -> str:
    """Say that transduction was not seen to pay for *model*, where it was measured."""
    found = (experiences() if known is None else known).get(model)
    believes = settings.method == "tt" or (
        settings.method == "cott" and settings.rule == "paper"
    )
    if found is None or found.paid or not believes:
        return ""
    low, high = found.gain
    seen = "was seen to do harm with" if high < 0 else "was not seen to pay for"
    saved = 1 - found.tokens_without / found.tokens_with
    return (
        f"transduction {seen} {model}: of {found.gated} doubtful inputs on "
        f"{found.tasks} tasks {found.right_with} labels were right with it, "
        f"{found.right_without} without ({low:+.2f} to {high:+.2f} a task, {found.record}). "
        "--rule supported keeps induction where it is as sure; --lean spends half; "
        f"--method rstar leaves transduction out and saves {saved:.0%}."
    )


@cache
def experiences() -> dict[str, Experience]:
    """Read what is shipped, by the model's name."""
    text = files("consilience.oracles").joinpath("experience.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Experience])
