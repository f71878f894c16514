"""Which kind of worker a program needs: one with the standard library, or with packages too.

A worker that has numpy loaded costs memory and makes every fork dearer, so programs that do not
ask for packages do not get it, and where none asks no such worker is ever started.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from consilience.sandbox.process import Setup

PRELOADED = ("numpy",)
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([^\n#;]+))", re.MULTILINE)


def with_packages(setup: Setup, program: str) -> Setup:
    """Return *setup*, with this environment's packages where *program* imports any of them."""
    folders = {folder for name in _imported(program) for folder in _home(name)}
    if not folders:
        return setup
    # One second flavour for all such programs: a worker each would be too many.
    return replace(setup, packages=_site_folders(), preload=PRELOADED)


def _imported(program: str) -> set[str]:
    """Return the top-level modules that *program* names in import statements."""
    names = set()
    for one, several in _IMPORT.findall(program):
        parts = [one] if one else several.split(",")
        names |= {part.split()[0].split(".")[0] for part in parts if part.split()}
    return names - sys.stdlib_module_names


@cache
def _home(name: str) -> tuple[str, ...]:
    """Return the folder that holds the installed package *name*; nothing where none does."""
    if not name.isidentifier():
        return ()
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ()
    origin = spec.origin if spec else None
    homes = [Path(folder).resolve() for folder in _site_folders()]  # a link to it will do
    inside = origin and any(home in Path(origin).resolve().parents for home in homes)
    return (str(Path(str(origin)).parent),) if inside else ()


@cache
def _site_folders() -> tuple[str, ...]:
    """Return the folders of installed packages that the judge itself imports from."""
    found = [
        entry for entry in sys.path if Path(entry).name in {"site-packages", "dist-packages"}
    ]
    return tuple(dict.fromkeys(entry for entry in found if Path(entry).is_dir()))
