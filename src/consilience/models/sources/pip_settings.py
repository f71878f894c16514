"""Where this user's pip looks for packages: from the environment, pip's configuration, uv's."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_INDEX = "https://pypi.org/simple"

_SECTIONS = ("global", "install", "download", ":env:")  # later ones win, as in pip
_NAMES = ("index-url", "extra-index-url", "find-links", "cert", "proxy", "no-index")


@dataclass(frozen=True, slots=True)
class PipSettings:
    """Indexes and folders in the order in which to ask them, and how to reach them."""

    indexes: tuple[str, ...] = (DEFAULT_INDEX,)
    find_links: tuple[str, ...] = ()
    cert: str | None = None
    proxy: str | None = None


def read(environment: Mapping[str, str] = os.environ) -> PipSettings:
    """Collect the settings; where pip is missing, the environment alone."""
    found = _configured() | _from_environment(environment)
    index = found.get("index-url") or environment.get("UV_DEFAULT_INDEX")
    index = index or environment.get("UV_INDEX_URL") or DEFAULT_INDEX
    extra = found.get("extra-index-url") or environment.get("UV_EXTRA_INDEX_URL", "")
    offline = found.get("no-index", "").lower() in {"1", "true", "yes", "on"}
    return PipSettings(
        indexes=() if offline else (index, *extra.split()),
        find_links=tuple(found.get("find-links", "").split()),
        cert=found.get("cert") or None,
        proxy=found.get("proxy") or None,
    )


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    named = {name: environment.get(f"PIP_{name.upper().replace('-', '_')}") for name in _NAMES}
    return {name: value for name, value in named.items() if value}


def _configured() -> dict[str, str]:
    """Ask pip itself (0.7 s), for it knows its files, sites and virtual environments."""
    # -P: a pip.py in the current folder must not run instead.
    command = [sys.executable, "-P", "-m", "pip", "config", "list"]
    try:
        done = subprocess.run(  # noqa: S603  # our own interpreter, fixed arguments
            command, capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return parse(done.stdout)


def parse(listed: str) -> dict[str, str]:
    """Read lines such as ``global.index-url='https://...'``."""
    values: dict[tuple[str, str], str] = {}
    for line in listed.splitlines():
        place, _, value = line.partition("=")
        section, _, name = place.rpartition(".")
        try:
            values[section, name.strip()] = str(ast.literal_eval(value))
        except (ValueError, SyntaxError):
            continue
    merged: dict[str, str] = {}
    for section in _SECTIONS:
        for (owner, name), value in values.items():
            if owner == section and name in _NAMES:
                merged[name] = value
    return merged
