"""Ask a model a question with two answers, and read the answer strictly."""

from __future__ import annotations

import re
from importlib import resources

import jinja2

from consilience.models import ChatModel, Reply, Sampling

_YES = frozenset({"yes", "true"})
_NO = frozenset({"no", "false"})
_WORD = re.compile(r"[a-z]+")


def prompt(name: str, **parts: str) -> str:
    """Fill in the prompt called *name*; the parts go in as they are."""
    text = resources.files("consilience.uncertainty").joinpath("prompts", f"{name}.txt")
    template = jinja2.Template(
        text.read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined
    )
    return str(template.render(parts)).strip()


def verdict(text: str) -> bool | None:
    """Read yes or no: the first word, else the only kind of answer given; None if unclear.

    "No, because yesterday..." is no; a text that says both, or neither, is unclear.
    """
    words = _WORD.findall(text.lower())
    given = [word in _YES for word in words if word in _YES | _NO]
    if words and words[0] in _YES | _NO:
        return given[0]
    return given[0] if given and len(set(given)) == 1 else None


class Judge:
    """A model that is asked yes-or-no questions; counts the calls, and the unclear answers."""

    def __init__(self, model: ChatModel, sampling: Sampling, seed: int | None = None) -> None:
        self._model = model
        self._sampling = sampling
        self._seed = seed
        self.calls = 0
        self.unclear = 0

    def reply(self, question: str) -> Reply:
        """Ask once."""
        self.calls += 1
        return self._model.complete(question, n=1, sampling=self._sampling, seed=self._seed)[0]

    def says(self, question: str) -> bool | None:
        """Ask once and read the verdict."""
        found = verdict(self.reply(question).text)
        self.unclear += found is None
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the answers."""
        return (f"{self.unclear} unclear answers of the model",) if self.unclear else ()
