"""What is asked of a model, apart from how many samples of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from consilience.models import Sampling
from consilience.store import digest

_SEEDS = 1 << 31  # servers read a seed as a signed 32-bit integer


@dataclass(frozen=True, slots=True)
class Ask:
    """A prompt, how to sample, and the seed: all that determines a sample but its number."""

    prompt: str
    sampling: Sampling
    seed: int | None = None

    def body(self, first: int, n: int) -> dict[str, Any]:
        """Write the request for *n* samples from number *first* on."""
        wanted = {
            "n": n if n > 1 else None,
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.top_p,
            "max_tokens": self.sampling.max_tokens,
            "stop": list(self.sampling.stop) or None,
            "seed": self._seed(first),
            "logprobs": True if self.sampling.logprobs else None,
            "top_logprobs": self.sampling.logprobs or None,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        return {"messages": [{"role": "user", "content": self.prompt}], **given}

    def key(self, model: str, number: int) -> str:
        """Identify sample *number* of *model* in a store; no key of a server takes part."""
        sampling = msgspec.json.encode(self.sampling)
        return digest("reply", model, sampling, str(self.seed), self.prompt, str(number))

    def _seed(self, first: int) -> int | None:
        """Derive the seed of sample number *first*; the next sample has the next seed.

        Neighbouring seeds of a user are drawn far apart: llama.cpp counts the seed up within a
        request, so that seeds 1 and 2 would share all samples but one.
        """
        if self.seed is None:
            return None
        return (int(digest(str(self.seed), self.prompt)[:8], 16) + first) % _SEEDS
