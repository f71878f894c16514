"""A project is found from the task's file, and never takes in more than a project."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from consilience.errors import InputError
from consilience.formats import load_tasks
from consilience.project import environment, find, imported, package_of, project_of
from consilience.task import Project, Task

STUB = '{imports}\ndef total(lines):\n    """Sum them."""\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Lay out a project with the package `shop` in src, and a task in it."""
    package = tmp_path / "own" / "src" / "shop"
    package.mkdir(parents=True)
    (tmp_path / "own" / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    (package / "__init__.py").write_text("")
    (package / "rates.py").write_text("RATE = 0.5\n")
    return tmp_path / "own"


def test_the_nearest_project_above_the_file_is_its_own(project: Path) -> None:
    inner = project / "tools"
    (inner / "deep").mkdir(parents=True)
    (inner / "setup.cfg").write_text("")
    assert find(inner / "deep" / "task.py") == (str(inner),)
    assert find(project / "task.py") == (str(project), str(project / "src"))


def test_it_is_taken_only_where_the_file_imports_from_it(project: Path) -> None:
    assert load(project / "task.py", "from shop.rates import RATE").project == Project((
        str(project),
        str(project / "src"),
    ))
    for imports in ("import math", "import numpy as np", "", "from elsewhere import x"):
        assert load(project / "task.py", imports).project is None


def test_a_module_beside_the_file_is_found_without_a_project(tmp_path: Path) -> None:
    (tmp_path / "prices.py").write_text("PRICE = 1\n")
    task = load(tmp_path / "task.py", "from prices import PRICE")
    assert task.project == Project((str(tmp_path),))


@pytest.mark.parametrize("shift", ["from .rates import RATE", "from . import rates"])
def test_a_file_in_a_package_imports_from_beside_it(project: Path, shift: str) -> None:
    task = load(project / "src" / "shop" / "bill.py", f"from __future__ import x\n{shift}")
    assert task.project is not None
    assert str(project / "src") in task.project.roots
    assert task.context.splitlines()[:2] == [
        "from __future__ import x",
        '__package__ = "shop"',
    ]


def test_settings_of_the_project_name_more_roots(project: Path) -> None:
    (project / "lib").mkdir()
    (project / "pyproject.toml").write_text(
        '[tool.setuptools.packages.find]\nwhere = ["lib", "../elsewhere"]\n'
    )
    assert find(project / "task.py")[-1] == str(project / "lib")


def test_broken_settings_are_told_and_the_folder_is_used(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (project / "pyproject.toml").write_text("[project\n")
    assert find(project / "task.py") == (str(project), str(project / "src"))
    [told] = caplog.messages
    assert "pyproject.toml cannot be read" in told


@pytest.mark.parametrize("wide", ["/", "~", "/tmp", "/usr", "/home"])
def test_what_holds_more_than_a_project_is_refused(tmp_path: Path, wide: str) -> None:
    with pytest.raises(InputError, match="holds more than a project"):
        project_of(tmp_path / "task.py", "", Path(wide))


def test_a_home_folder_under_version_control_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find(tmp_path / "notes" / "task.py") == ()


def test_a_named_folder_is_taken_whatever_is_imported(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    path.write_text('{"task_id": "T/1", "prompt": "def f(x):\\n", "entry_point": "f"}\n')
    [task] = load_tasks(path, project=project)
    assert task.project == Project((str(project), str(project / "src")))
    assert load_tasks(path)[0].project is None


def test_an_interpreter_is_asked_what_it_has() -> None:
    found = environment(sys.executable)
    assert found.packages
    assert all(Path(folder).is_dir() for folder in found.packages)


@pytest.mark.parametrize("content", ["", "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho words\n"])
def test_what_is_no_python_is_told_in_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "python"
    path.write_text(content)
    path.chmod(0o755)
    with pytest.raises(InputError, match="is no Python that can be run") as caught:
        project_of(tmp_path / "task.py", "", None, path)
    assert ".venv/bin/python" in caught.value.hint


def test_an_old_interpreter_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "python"
    path.write_text("#!/bin/sh\necho '[[3, 8], \"/usr/bin/python3.8\", []]'\n")
    path.chmod(0o755)
    with pytest.raises(InputError, match=r"is Python 3\.8; programs are run in 3\.11 or newer"):
        environment(str(path))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b as c, d\nfrom e.f import g\nimport math", {"a", "d", "e"}),
        ("from .near import x\n", {"."}),
        ("from .. import x\n", {"."}),
        ("    import late\n>>> from shown import x\n", {"late", "shown"}),
        ("x = 1\n", set()),
    ],
)
def test_imports_are_read_from_text(source: str, names: set[str]) -> None:
    assert imported(source) == names


def test_a_package_is_named_from_its_nearest_root(project: Path) -> None:
    roots = Project((str(project), str(project / "src")))
    assert package_of(project / "src" / "shop" / "bill.py", roots) == "shop"
    assert package_of(project / "src" / "bill.py", roots) == ""
    assert package_of(project.parent / "bill.py", roots) == ""


def load(path: Path, imports: str) -> Task:
    path.write_text(STUB.format(imports=imports))
    [task] = load_tasks(path)
    return task
