"""Open the model that a name stands for."""

from __future__ import annotations

import os

from consilience.errors import ModelNotFoundError
from consilience.models import ChatModel, weights
from consilience.models.endpoint import Endpoint
from consilience.models.local import LocalModel

DEFAULT = weights.DEFAULT_CODER


def open_model(name: str = DEFAULT, base_url: str | None = None) -> ChatModel:
    """Open *name*: at a server if one is given, else a GGUF file or a registered model.

    Raises:
        ModelNotFoundError: there is no server, and the name is no file and not registered.
        WeightsError: the model is registered, but its weights are not on this machine.
    """
    if base_url is not None:
        return Endpoint(name, base_url=base_url)
    known = [entry.name for entry in weights.entries() if entry.kind == "coder"]
    if name in known or name.endswith(".gguf"):
        return LocalModel(name)
    if os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"):
        return Endpoint(name)
    message = f'No model "{name}" here.'
    embedded = ", ".join(known)
    hint = (
        f"Embedded: {embedded}. Give --base-url URL for a server, or the path of a .gguf file."
    )
    raise ModelNotFoundError(message, hint=hint)
