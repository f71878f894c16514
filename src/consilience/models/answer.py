"""Read the samples, their log-probabilities and their cost out of a chat completion.

Servers differ: choices may come in another order, without a reason for their end, or broken;
the usage may be missing, null, or that of the first choice only (llama.cpp with n > 1).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from consilience.errors import BadReplyError
from consilience.models import FinishReason, Reply, TokenLogprob, Usage

CHARACTERS_A_TOKEN = 3.5
"""For an estimate where the server counts nothing; code on current tokenisers."""

_REASONS: dict[Any, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}
_ABORTED = {"error", "abort", "cancelled"}


def read(answer: dict[str, Any], prompt: str) -> list[Reply]:
    """Return the usable samples of *answer* in the order of their index, at least one.

    Raises:
        BadReplyError: there is none.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        message = "The server's answer holds no choices."
        raise BadReplyError(message)
    usable = sorted(filter(_usable, choices), key=_index)
    if not usable:
        message = "No choice in the server's answer is a message that was finished."
        raise BadReplyError(message)
    texts = [_text(choice["message"]) for choice in usable]
    logprobs = [_logprobs(choice) for choice in usable]
    usages = _usages(answer.get("usage"), prompt, texts, [len(tokens) for tokens in logprobs])
    return [
        Reply(text, _REASONS.get(choice.get("finish_reason"), "unknown"), usage, tokens)
        for choice, text, usage, tokens in zip(usable, texts, usages, logprobs, strict=True)
    ]


def _usable(choice: Any) -> bool:
    return (
        isinstance(choice, dict)
        and isinstance(choice.get("message"), dict)
        and choice.get("finish_reason") not in _ABORTED
    )


def _index(choice: dict[str, Any]) -> int:
    index = choice.get("index", 0)
    return index if isinstance(index, int) else 0


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):  # parts, as some gateways send them
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _logprobs(choice: dict[str, Any]) -> tuple[TokenLogprob, ...]:
    given = choice.get("logprobs")
    content = given.get("content") if isinstance(given, dict) else None
    return tuple(
        TokenLogprob(
            token["token"],
            token["logprob"],
            tuple((top["token"], top["logprob"]) for top in token.get("top_logprobs") or ()),
        )
        for token in content or ()
    )


def _usages(
    given: Any, prompt: str, texts: Sequence[str], counted: Sequence[int]
) -> list[Usage]:
    """Share out what the request cost: the prompt to the first, each its own tokens."""
    given = given if isinstance(given, dict) else {}
    asked, written = given.get("prompt_tokens"), given.get("completion_tokens")
    known = isinstance(asked, int) and isinstance(written, int)
    guesses = [_guess(text) for text in texts]
    if sum(counted) > (written if known else 0):
        shares = [max(1, count) for count in counted]  # a stop word leaves no log-probability
    else:
        shares = _shared(written if known else sum(guesses), guesses)
    prompts = [asked if known else _guess(prompt)] + [0] * (len(texts) - 1)
    calls = [1] + [0] * (len(texts) - 1)
    return [Usage(*cost, not known) for cost in zip(prompts, shares, calls, strict=True)]


def _guess(text: str) -> int:
    return -(-len(text) // CHARACTERS_A_TOKEN).__int__() if text else 0


def _shared(total: int, weights: Sequence[int]) -> list[int]:
    """Split *total* in proportion to *weights*, exactly."""
    whole = sum(weights) or len(weights)
    bounds, running = [0], 0
    for weight in weights:
        running += weight if sum(weights) else 1
        bounds.append(total * running // whole)
    return [end - start for start, end in itertools.pairwise(bounds)]
