"""What is known of a model: whether transduction has paid for it, by a committed record."""

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
    tokens_with: int
    """Tokens a task."""
    tokens_without: int

    @property
    def paid(self) -> bool:
        """Tell whether more labels were right for it."""
        return self.right_with > self.right_without


def warning(model: str, settings: Settings, known: dict[str, Experience] | None = None) -> str:
    """Say that transduction did not pay for *model*, where that is known; else nothing."""
    found = (experiences() if known is None else known).get(model)
    believes = settings.method == "tt" or (
        settings.method == "cott" and settings.rule == "paper"
    )
    if found is None or found.paid or not believes:
        return ""
    saved = 1 - found.tokens_without / found.tokens_with
    return (
        f"Transduction did not pay for {model} where it was measured: of {found.gated} "
        f"doubtful inputs ({found.tasks} tasks) {found.right_with} labels were right with it, "
        f"{found.right_without} without ({found.record}). --rule supported keeps induction "
        f"where it is as sure; --method rstar leaves transduction out and saves {saved:.0%}."
    )


@cache
def experiences() -> dict[str, Experience]:
    """Read what is shipped, by the model's name."""
    text = files("consilience.oracles").joinpath("experience.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Experience])
