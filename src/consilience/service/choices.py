"""How a client wants its order carried out: the choices of `Settings` that are its to make."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from consilience.models.budget import Budget
from consilience.settings import Method, Settings, preset


class Choices(Struct, frozen=True, forbid_unknown_fields=True):
    """How much to spend and how to decide; what is left out is as the server was started."""

    preset: Annotated[
        Literal["paper", "standard", "economy"] | None,
        Meta(description="How much to spend: economy is the cheapest."),
    ] = None
    method: Annotated[
        Method | None,
        Meta(
            description="cott: general programs vote, and where they disagree programs for"
            " that one input do; rstar: general programs alone; tt: always the latter; cot,"
            " sol-ver: the model states outputs; syntra: it chooses among programs."
        ),
    ] = None
    tau: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="Confidence from which general programs are believed."),
    ] = None
    inputs: Annotated[
        Annotated[int, Meta(ge=1, le=200)] | None, Meta(description="Inputs to test on.")
    ] = None
    n_inductive: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None, Meta(description="General programs to draw.")
    ] = None
    n_transductive: Annotated[
        Annotated[int, Meta(ge=1, le=50)] | None,
        Meta(description="Programs to draw for one exact input, where the vote is unsure."),
    ] = None
    examples: Annotated[
        bool | None, Meta(description="Whether the prompt's own examples are evidence.")
    ] = None
    seed: Annotated[
        int | None,
        Meta(description="Another seed draws other samples; the same one replays them."),
    ] = None

    max_tokens: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="Ask the model no more once so many tokens are spent; what is known"
            " by then is the answer, and says so."
        ),
    ] = None

    def budget(self, base: Budget | None) -> Budget | None:
        """Return what may be spent: *base*, or fewer tokens where that was asked for."""
        if self.max_tokens is None:
            return base
        given = Budget() if base is None else base
        return replace(given, tokens=min(self.max_tokens, given.tokens or self.max_tokens))

    def settings(self, base: Settings) -> Settings:
        """Return *base*, or the preset that was named, with what was asked for instead."""
        changes = {
            name: value
            for name, value in msgspec.structs.asdict(self).items()
            if value is not None and name not in {"preset", "max_tokens"}
        }
        return replace(base if self.preset is None else preset(self.preset), **changes)
