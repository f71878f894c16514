"""Open the model that a name stands for."""

from __future__ import annotations

import os

from consilience.errors import ModelNotFoundError
from consilience.models import ChatModel, weights
from consilience.models.endpoint import Endpoint
from consilience.models.local import LocalModel

DEFAULT = weights.DEFAULT_CODER


def open_model(name: str = DEFAULT, base_url: str | None = None) -> ChatModel:
    """Open *name*: at a server, else from a GGUF file or the weights we have a name for.

    Raises:
        ModelNotFoundError: no server is given, and neither a file nor the registry has it.
        WeightsError: the registry knows the model, but its weights are not on this machine.
    """
    if base_url is not None:
        return Endpoint(name, base_url=base_url)
    known = [entry.name for entry in weights.entries() if entry.kind == "coder"]
    if name in known or name.endswith(".gguf"):
        return LocalModel(name)
    if os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"):
        return Endpoint(name)
    message = f'No model "{name}" here.'
    hint = f"Embedded: {', '.join(known)}. A server: --base-url URL. A file: a path of .gguf."
    raise ModelNotFoundError(message, hint=hint)
