"""Open the model that a name stands for."""

from __future__ import annotations

import os

from consilience.errors import ModelNotFoundError
from consilience.models import ChatModel, weights
from consilience.models.endpoint import Endpoint
from consilience.models.local import LocalModel

DEFAULT = weights.DEFAULT_CODER


def open_model(name: str = DEFAULT, base_url: str | None = None) -> ChatModel:
    """Open *name*: at a server where one is given, else a GGUF file or a model we have weights of.

    Raises:
        ModelNotFoundError: no server is given, and the name is neither a file nor in the registry.
        WeightsError: the registry knows the model, but its weights are not on this machine.
    """
    if base_url is not None:
        return Endpoint(name, base_url=base_url)
    known = [entry.name for entry in weights.entries() if entry.kind == "coder"]
    if name in known or name.endswith(".gguf"):
        return LocalModel(name)
    if os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"):
        return Endpoint(name)
    raise ModelNotFoundError(
        f'No model "{name}" here.',
        hint=f"Embedded models: {', '.join(known)}. For a server give --base-url URL; for a file,"
        " the path of a .gguf.",
    )
