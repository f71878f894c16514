"""The user's own project: found from the file of a task, so that programs may import from it.

Only folders and an interpreter are named here; what of them a program can see, `sandbox`
decides. A root is never the whole disk, the home folder or the folder for temporary files.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from consilience.errors import InputError
from consilience.task import Project

MARKERS = ("pyproject.toml", "setup.cfg", "setup.py", ".git")
WIDE = ("/etc", "/home", "/opt", "/tmp", "/usr", "/var")  # noqa: S108 - refused, not used
OLDEST = (3, 11)
_BESIDE = "."
SECONDS = 30.0
_IMPORT = re.compile(
    r"^[ \t]*(?:>>>[ \t]*)?(?:from[ \t]+(\.+|\w+)|import[ \t]+([^\n#;]+))", re.MULTILINE
)
_ASK = (
    "import json, site, sys; print(json.dumps([sys.version_info[:2], "
    "getattr(sys, '_base_executable', '') or sys.executable, site.getsitepackages()]))"
)


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python that the user has, with what is installed in it."""

    python: str
    """The interpreter under any virtual environment."""
    packages: tuple[str, ...]
    """Its folders of installed packages."""


def project_of(
    path: Path, source: str, folder: Path | None = None, python: Path | None = None
) -> Project | None:
    """Find the project that the task file *path* belongs to.

    It is *folder* or, where *source* imports a module of it, the nearest folder above *path*
    that is a project, or the folder of *path* itself. *python* is an interpreter or a virtual
    environment. None where nothing is named and nothing imported.

    Raises:
        InputError: *folder* is no folder or too wide, or *python* cannot be run.
    """
    path = path.resolve()
    executable = _executable(python) if python else ""
    if folder is not None:
        roots = _roots(_checked(folder))
    else:
        roots = _imported_from(path, imported(source))
    if _BESIDE in imported(source):
        roots = tuple(dict.fromkeys((*roots, *_home_of_package(path))))
    return Project(roots, executable) if roots or executable else None


def _imported_from(path: Path, names: frozenset[str]) -> tuple[str, ...]:
    """Choose the roots that hold a module of *names*: the project's, or the file's own."""
    if not names:
        return ()
    found = find(path)
    beside = () if _forbidden(path.parent) else (str(path.parent),)
    if _BESIDE in names or _offers(found, names):
        return found
    return beside if _offers(beside, names) else ()


def find(path: Path) -> tuple[str, ...]:
    """List the roots of the nearest project above *path*; none where there is no project."""
    for folder in path.resolve().parents:
        if _forbidden(folder):
            return ()
        if any((folder / marker).exists() for marker in MARKERS):
            return _roots(folder)
    return ()


def package_of(path: Path, project: Project) -> str:
    """Name the package that *path* lies in, as `shop.bills`; empty where it is in none."""
    folder = path.resolve().parent
    inside = [Path(root) for root in project.roots if folder.is_relative_to(root)]
    if not inside:
        return ""
    parts = folder.relative_to(max(inside, key=lambda root: len(root.parts))).parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def imported(source: str) -> frozenset[str]:
    """List the top-level modules that *source* imports; "." where it imports from beside it."""
    names = set()
    for one, several in _IMPORT.findall(source):
        parts = [one] if one else several.split(",")
        names |= {part.split()[0].split(".")[0] or _BESIDE for part in parts if part.split()}
    return frozenset(names - sys.stdlib_module_names)


@cache
def environment(python: str) -> Environment:
    """Ask the interpreter *python* what it is; it is the user's own, so it runs as it is.

    Raises:
        InputError: it cannot be run, or is too old.
    """
    hint = "Give the interpreter of your environment, such as .venv/bin/python."
    try:
        done = subprocess.run(  # noqa: S603 - as the user asked for
            [python, "-I", "-c", _ASK],
            capture_output=True,
            timeout=SECONDS,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        version, base, folders = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        message = f"{python} is no Python that can be run ({type(error).__name__})."
        raise InputError(message, hint=hint) from None
    if tuple(version) < OLDEST:
        found, wanted = (".".join(map(str, each)) for each in (version, OLDEST))
        message = f"{python} is Python {found}; programs are run in {wanted} or newer."
        raise InputError(message, hint=hint)
    return Environment(
        base, tuple(str(Path(each).resolve()) for each in folders if Path(each).is_dir())
    )


def _executable(python: Path) -> str:
    """Return the path of an interpreter; its links stay, for they lead to the environment."""
    path = python.expanduser().absolute()
    path = path / "bin" / "python" if path.is_dir() else path
    environment(str(path))
    return str(path)


def _checked(folder: Path) -> Path:
    folder = folder.expanduser().resolve()
    if not folder.is_dir():
        message = f"{folder} is no folder."
        raise InputError(message, hint="--project names the folder that holds your packages.")
    if _forbidden(folder):
        message = f"{folder} holds more than a project: programs would see all of it."
        raise InputError(message, hint="Name the folder that holds your packages.")
    return folder


def _forbidden(folder: Path) -> bool:
    """Tell whether *folder* holds the home folder or all temporary files, or the disk."""
    wide = (Path.home(), Path(tempfile.gettempdir()), *map(Path, WIDE))
    return any(each.resolve().is_relative_to(folder) for each in wide)


def _roots(folder: Path) -> tuple[str, ...]:
    """List what `import` searches: the folder itself, src, and what its settings name."""
    named = (folder, folder / "src", *(folder / each for each in _named(folder)))
    kept = [each for each in named if each.is_dir() and each.resolve().is_relative_to(folder)]
    return tuple(dict.fromkeys(str(each.resolve()) for each in kept))


def _named(folder: Path) -> Iterator[str]:
    """Read where the project's settings say that its packages are."""
    path = folder / "pyproject.toml"
    if not path.exists():
        return
    try:
        tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        told = "%s cannot be read (%s); its folder is used all the same."
        logging.getLogger(__name__).warning(told, path, error)
        return
    for keys in (
        ("setuptools", "packages", "find", "where"),
        ("setuptools", "package-dir", ""),
        ("pytest", "ini_options", "pythonpath"),
    ):
        yield from _texts(tool, keys)


def _texts(table: Any, keys: Sequence[str]) -> list[str]:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    several = table if isinstance(table, list) else [table]
    return [each for each in several if isinstance(each, str)]


def _offers(roots: Sequence[str], names: frozenset[str]) -> bool:
    places = [Path(root, name) for root in roots for name in names if name != _BESIDE]
    return any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)


def _home_of_package(path: Path) -> tuple[str, ...]:
    """Return the folder that holds the outermost package around *path*, where it is in one."""
    folder = path.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return () if folder == path.parent or _forbidden(folder) else (str(folder),)
