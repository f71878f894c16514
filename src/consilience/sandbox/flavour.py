"""Which kind of worker a program needs: one with the standard library, or with packages too.

A worker that has numpy loaded costs memory and makes every fork dearer, so programs that do not
ask for packages do not get it, and where none asks no such worker is ever started.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from consilience.project import environment, imported
from consilience.sandbox.belongings import belongings
from consilience.sandbox.process import Setup
from consilience.task import Project

PRELOADED = ("numpy",)


def with_project(setup: Setup, project: Project | None) -> Setup:
    """Return *setup* with what of *project* programs may import.

    Without an interpreter of its own, the packages of this environment belong to it.

    Raises:
        SandboxError: a folder of it cannot be read.
        InputError: its interpreter cannot be run.
    """
    if project is None:
        return setup
    own = belongings(project)
    setup = replace(setup, roots=project.roots, visible=tuple(own.paths), state=own.state)
    if not project.python:
        return replace(setup, packages=_site_folders())
    found = environment(project.python)
    return replace(setup, packages=found.packages, python=found.python)


def with_packages(setup: Setup, program: str) -> Setup:
    """Return *setup*, with this environment's packages where *program* imports any of them."""
    names = imported(program)
    if setup.roots or setup.python:
        return replace(setup, preload=PRELOADED if names & set(PRELOADED) else ())
    folders = {folder for name in names for folder in _home(name)}
    if not folders:
        return setup
    # One second flavour for all such programs: a worker each would be too many.
    return replace(setup, packages=_site_folders(), preload=PRELOADED)


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
    """Return the folders of installed packages that the judge itself imports from.

    Without links: inside, only the places that they lead to are there.
    """
    found = [
        entry for entry in sys.path if Path(entry).name in {"site-packages", "dist-packages"}
    ]
    return tuple(dict.fromkeys(os.path.realpath(each) for each in found if Path(each).is_dir()))
