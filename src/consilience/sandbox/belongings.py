"""What of a user's project a program may read: what can be imported, and nothing hidden.

Of a root's own entries these are modules and folders with Python in them; in those folders all
but names that begin with a dot. So `.env`, `.git`, `.venv`, notes and keys beside the packages
stay unseen.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from consilience.errors import SandboxError
from consilience.task import Project

MODULES = (".py", ".pyc", ".so")
MOST_FILES = 50_000
MOST_PATHS = 500
CACHE = "__pycache__"
HINT = "Name a smaller folder with --project."


@dataclass(slots=True)
class Belongings:
    """The files and folders of a project that programs may read, and the state they are in."""

    paths: list[str] = field(default_factory=list)
    """Files, and folders that may be read as a whole."""
    files: int = 0
    _state: hashlib._Hash = field(default_factory=hashlib.sha256)

    @property
    def state(self) -> str:
        """Tell states apart: names, sizes and times of all files."""
        return self._state.hexdigest()

    def take(self, entry: os.DirEntry[str]) -> None:
        """Take a file, or a folder with all in it that is not hidden."""
        self.paths += self._visible(entry)
        if len(self.paths) > MOST_PATHS:
            message = "The project has hidden files in too many of its folders."
            raise SandboxError(message, hint=HINT)

    def _visible(self, entry: os.DirEntry[str]) -> list[str]:
        """Return the folder itself, or what of it is not hidden, and note its files."""
        if not entry.is_dir(follow_symlinks=False):
            self._note(entry)
            return [entry.path]
        if entry.name == CACHE:
            return [entry.path]
        inside = _sorted(entry.path)
        # Landlock follows a link that it is given by name: one in a folder it does not.
        open_ones = [each for each in inside if not _closed(each) and not each.is_symlink()]
        paths = [path for each in open_ones for path in self._visible(each)]
        whole = not any(map(_closed, inside)) and all(each.path in paths for each in open_ones)
        return [entry.path] if whole else paths

    def _note(self, entry: os.DirEntry[str]) -> None:
        self.files += 1
        if self.files > MOST_FILES:
            message = f"The project has more than {MOST_FILES} files."
            raise SandboxError(message, hint=HINT)
        stat = entry.stat(follow_symlinks=False)
        self._state.update(f"{entry.path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())


def belongings(project: Project) -> Belongings:
    """List what programs may read of *project*.

    Raises:
        SandboxError: a root is not there, or holds too much.
    """
    found = Belongings()
    for root in project.roots:
        try:
            entries = [each for each in _sorted(root) if _can_be_imported(each)]
        except OSError as error:
            message = f"The project's folder {root} cannot be read ({error.strerror})."
            raise SandboxError(message, hint="Is it on this machine?") from None
        for entry in entries:
            found.take(entry)
    return found


def _sorted(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _closed(entry: os.DirEntry[str]) -> bool:
    return entry.name.startswith(".")


def _can_be_imported(entry: os.DirEntry[str]) -> bool:
    if _closed(entry) or entry.is_symlink():
        return False
    if not entry.is_dir(follow_symlinks=False):
        return entry.name.endswith(MODULES)
    is_environment = Path(entry.path, "pyvenv.cfg").exists()
    return entry.name.isidentifier() and not is_environment and any(_modules(entry.path, 2))


def _modules(folder: str, depth: int) -> Iterator[str]:
    """Find modules in *folder*, or in folders of it: a package may hold packages alone."""
    for entry in _sorted(folder):
        if entry.is_dir(follow_symlinks=False):
            if depth > 1 and not _closed(entry):
                yield from _modules(entry.path, depth - 1)
        elif entry.name.endswith(MODULES):
            yield entry.path
