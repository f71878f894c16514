"""What each extra is for."""

from __future__ import annotations

PROBES = {
    "local": ("xllamacpp", "from consilience import LocalModel; LocalModel()"),
    "hdbscan": (
        "sklearn",
        "from consilience import semantic_entropy; "
        "semantic_entropy(['a = 1', 'b = 2', 'c = 3'], measure='hdbscan')",
    ),
    "ray": ("ray", "from consilience.backends.ray import Ray; Ray()"),
    "serve": ("starlette", "from consilience.cli.serving import serve; serve(no_model=True)"),
    "mcp": ("mcp", "from consilience.cli.serving import mcp; mcp(no_model=True)"),
}
"""Of each extra: the module it brings, and a call that needs it."""
