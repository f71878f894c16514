"""The prompts: one text file each, filled by name.

The task always comes first and the instruction after it, so that every prompt of a task shares
its beginning and a server can keep it in its cache.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


def render(name: str, **fields: str) -> str:
    """Fill the prompt *name*; every field of the file must be given."""
    return _template(name).substitute(fields)


@cache
def _template(name: str) -> Template:
    return Template(files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8"))
