"""Tasks in the project that their file belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from consilience.project import package_of, project_of
from consilience.task import Project, Task, TestSuite

_BESIDE = re.compile(r"^[ \t]*from[ \t]+\.", re.MULTILINE)
_FUTURE = re.compile(r"(?:from __future__ import [^\n]*\n)*")


def placed(
    path: Path, tasks: Sequence[Task], folder: Path | None = None, python: Path | None = None
) -> list[Task]:
    """Give *tasks* of the file *path* the project that their programs may import from.

    A file of many tasks, such as a benchmark, is in a project only where one is named.

    Raises:
        InputError: *folder* or *python* is not what it should be.
    """
    alone = path.suffix.lower() in {".py", ".md", ".txt"}
    if folder is None and python is None and not alone:
        return list(tasks)
    return [_placed(path, task, folder, python) for task in tasks]


def beside(suite: TestSuite, task: Task) -> TestSuite:
    """Return *suite* in the project of *task*: a file of suites names no folders."""
    return replace(suite, task=replace(suite.task, project=task.project))


def _placed(path: Path, task: Task, folder: Path | None, python: Path | None) -> Task:
    source = f"{task.context}\n{task.prompt}"
    project = project_of(path, source, folder, python)
    if project is None:
        return task
    return replace(task, project=project, context=_within(task.context, path, project))


def _within(context: str, path: Path, project: Project) -> str:
    """Say which package the file is in, where its context imports from beside it."""
    package = package_of(path, project)
    if not package or not _BESIDE.search(context):
        return context
    future = _FUTURE.match(context)
    at = future.end() if future else 0
    return f'{context[:at]}__package__ = "{package}"\n{context[at:]}'
