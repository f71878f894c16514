"""What a run of CoTT may choose, and the three presets of DESIGN section 3."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from consilience.errors import UsageError

Method = Literal["cott", "rstar", "tt", "cot", "sol-ver", "syntra"]
Mix = Literal["half", "disagreement"]
Rule = Literal["paper", "supported", "pooled"]
Settle = Literal["all", "differ", "order", "top1"]


@dataclass(frozen=True, slots=True)
class Settings:
    """One point in the space of choices; make another with `dataclasses.replace`."""

    preset: str = "standard"
    method: Method = "cott"
    """`cott` gates; `rstar` is the inductive majority alone; `tt` transduces every input; `cot`
    and `sol-ver` let the model state the outputs; `syntra` lets it choose among programs."""
    tau: float = 0.8
    """Confidence from which induction is believed, inclusive (CoTT, Eq. 4)."""
    failures: Literal["count", "ignore"] = "count"
    """Whether programs that return nothing stay in the denominator of a confidence."""
    exceptions: Literal["failure", "outcome"] = "failure"
    examples: bool = True
    """Whether the task's own examples choose the voters and join the tests."""
    seed_prompts: int = 2
    seeds_asked: int = 10
    """Inputs asked for in one prompt."""
    seeds_kept: int = 8
    inputs: int = 30
    """Inputs after mutation."""
    mix: Mix = "half"
    n_inductive: int = 20
    n_transductive: int = 10
    n_reasoning: int = 10
    """Answers that state an output, of which the majority is taken: `sol-ver`."""
    sequential: bool = True
    """Stop drawing for one input once the leader cannot be overtaken."""
    first: int = 0
    """Transductive programs in the first request for an input; 0: just more than half."""
    first_inductive: int = 0
    """General programs in the first request; 0: all of them."""
    batch: int = 0
    """Programs in each further request; 0: all that are left, as each reads the prompt anew."""
    doubt: float = 0.0
    """Chance that the programs not drawn would have decided otherwise; 0: they cannot."""
    rule: Rule = "paper"
    """Where the gate is open: `paper` believes transduction (Eq. 4), `supported` only where its
    confidence is the greater one, `pooled` counts the votes of both routes together."""
    weight: float = 1.0
    """What a transductive program's vote counts beside a general one's, when pooled."""
    reuse: float = 0.0
    """What a program written for one input counts, as a general one, on the others."""
    witness: bool = False
    """Whether general programs that contradict a confident transductive label lose their vote
    on the other inputs, as those do that fail the task's own examples."""
    settle: Settle = "all"
    """Which inputs are paid for: `all` doubtful ones; those on which the candidates `differ`;
    those without which the whole `order`, or `top1` alone, is not settled."""
    risk: float = 0.05
    """Chance that the inputs not paid for would have changed what `settle` asks for."""
    at_once: int = 3
    """Inputs asked for together before `settle` looks again."""
    in_flight: int = 24
    """Samples asked for at once, for one task: enough to fill a server's slots."""
    temperature: float = 0.8
    top_p: float = 0.95
    seed_tokens: int = 1024
    code_tokens: int = 768
    reasoning_tokens: int = 512
    """Of an answer that states an output: `cot`, `sol-ver`, `syntra`."""
    cpu_seconds: float = 2.0
    """CPU time a call in the sandbox."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what can be no choice.

        Raises:
            UsageError: a share is outside 0 to 1, a count or a time is too small.
        """
        for names, lowest, highest in _BOUNDS:
            for name in names:
                value = getattr(self, name)
                if not lowest <= value <= highest:
                    raise _outside(name, value, lowest, highest)


_TINY, _ENDLESS = 1e-9, math.inf
_BOUNDS = (
    (("tau", "risk", "doubt", "top_p"), 0, 1),
    (("seed_prompts", "seeds_asked", "seeds_kept", "inputs", "n_inductive", "n_transductive"),
     1, _ENDLESS),
    (("n_reasoning", "at_once", "in_flight", "seed_tokens", "code_tokens", "reasoning_tokens"),
     1, _ENDLESS),
    (("first", "first_inductive", "batch", "weight", "reuse", "temperature"), 0, _ENDLESS),
    (("cpu_seconds",), _TINY, _ENDLESS),
)  # fmt: skip
"""Names of settings, with the lowest and the highest value that they may have."""


def _outside(name: str, value: float, lowest: float, highest: float) -> UsageError:
    allowed = f"{lowest} to {highest}" if highest < _ENDLESS else f"at least {lowest}"
    if lowest == _TINY:
        allowed = "above 0"
    hint = f"On the command line it is --{name.replace('_', '-')}."
    return UsageError(f"{name} must be {allowed}, and {value} is not.", hint=hint)


PRESETS = {
    "paper": Settings(
        preset="paper",
        failures="ignore",
        examples=False,
        seed_prompts=3,
        seeds_kept=10,
        inputs=100,
        mix="disagreement",
        sequential=False,
        cpu_seconds=3.0,
    ),
    "standard": Settings(),
    "economy": Settings(
        preset="economy",
        seed_prompts=1,
        seeds_kept=5,
        inputs=20,
        n_inductive=10,
        n_transductive=5,
        n_reasoning=3,
        seed_tokens=384,
        code_tokens=512,
        reasoning_tokens=160,
        cpu_seconds=1.0,
    ),
}


LEAN: dict[str, Any] = {
    "n_transductive": 2,
    "sequential": False,
    "settle": "top1",
    "at_once": 1,
    "rule": "supported",
    "witness": True,
}
"""What `--lean` changes in any preset: the levers that were measured to do no harm."""


def preset(name: str, **changes: Any) -> Settings:
    """Return the preset *name*, with *changes* where they are not None."""
    chosen = {key: value for key, value in changes.items() if value is not None}
    return replace(PRESETS[name], **chosen)
