"""Programs import from the user's project and environment, and see nothing else of the disk."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox.conftest import open_server

from consilience.errors import SandboxError
from consilience.formats import load_tasks
from consilience.interfaces.registry import interface
from consilience.sandbox import Outcome
from consilience.sandbox.belongings import belongings
from consilience.sandbox.container import command, showing
from consilience.sandbox.pool import ForkServer
from consilience.store import Store
from consilience.task import Project, Session, Target
from consilience.values import Value

TAX = """import json, pathlib
from dataclasses import dataclass
RATE = json.loads(pathlib.Path(__file__).with_name("rates.json").read_text())[0]
@dataclass
class Line:
    count: int
    price: float
def tax(amount):
    return amount * RATE
"""
BILL = '''from __future__ import annotations
from typing import TYPE_CHECKING
from .tax import Line, tax
if TYPE_CHECKING:
    from elsewhere import Currency

def total(lines: list[Line]) -> float:
    """Sum them, tax included.

    >>> total([Line(2, 5.0)])
    15.0
    """

def single(price):
    return Line(1, price)
'''
RIGHT = """
def total(lines: list[Line], currency: Currency = None) -> float:
    amount = sum(line.count * line.price for line in lines)
    return amount + tax(amount)
"""
UNSEEN = (".env", ".git/config", "keys.txt", "src/shop/.secret", ".venv/lib/hidden.py")


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay out a project with a package, and with secrets beside it and in it."""
    folder = tmp_path_factory.mktemp("own")
    files = {"src/shop/__init__.py": "", "src/shop/tax.py": TAX, "src/shop/bill.py": BILL}
    files |= {"src/shop/rates.json": "[0.5]", "pyproject.toml": "[project]\n"}
    for name, text in (files | dict.fromkeys(UNSEEN, "SECRET")).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # Open to everybody, so that only the sandbox stands between a program and the secrets.
    for path in (*folder.parents[:2], folder, *folder.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (folder / "src/shop/link.py").symlink_to(folder / ".env")
    return folder


@pytest.fixture(scope="session")
def bill(shop: Path) -> Target:
    """Return what is driven of the task in the project."""
    [task] = load_tasks(shop / "src" / "shop" / "bill.py")
    return interface(task).target(task)


def test_the_project_s_own_modules_and_types_are_there(
    stack_server: ForkServer, bill: Target
) -> None:
    assert one(stack_server, RIGHT, bill).value == Value.of(15.0)
    with_class = "def total(lines): return single(2.0)"
    value = one(stack_server, with_class, bill).value
    assert value is not None
    assert not value.opaque


@pytest.mark.parametrize("name", [*UNSEEN, "src/shop/link.py"])
def test_what_is_hidden_cannot_be_read(
    stack_server: ForkServer, shop: Path, bill: Target, name: str
) -> None:
    program = f"def total(lines): return open({str(shop / name)!r}).read()"
    assert one(stack_server, program, bill).status == "raised"


@pytest.mark.parametrize("name", ["src/shop/tax.py", "src/shop/new.py", "new.py"])
def test_the_project_cannot_be_written(
    stack_server: ForkServer, shop: Path, bill: Target, name: str
) -> None:
    program = f"def total(lines): return open({str(shop / name)!r}, 'a').write('x = 1')"
    assert one(stack_server, program, bill).status == "raised"
    assert (shop / "src/shop/tax.py").read_text() == TAX


def test_a_module_of_the_project_that_fails_is_the_program_s_failure(
    stack_server: ForkServer, tmp_path: Path
) -> None:
    for folder in (tmp_path, tmp_path.parent):
        folder.chmod(0o755)
    (tmp_path / "loud.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "slow.py").write_text("while True: pass\n")
    (tmp_path / "random.py").write_text("raise ImportError('not the one')\n")
    target = Target("f", project=Project((str(tmp_path),)))
    programs = [f"import {name}\ndef f(): return 1" for name in ("loud", "slow", "gone")]
    rows = stack_server.run([*programs, "def f(): return 1"], target, [()])
    assert [row[0].status for row in rows] == [
        "load_raised",
        "load_timeout",
        "load_raised",
        "ok",
    ]
    assert rows[2][0].message == "No module named 'gone'"


def test_a_context_whose_import_is_not_there_is_told_as_such(
    server: ForkServer, tmp_path: Path
) -> None:
    path = tmp_path / "task.py"
    path.write_text('import notthere\ndef f(x):\n    """Say x."""\n')
    [task] = load_tasks(path)
    [[outcome]] = server.run(["def f(x): return x"], interface(task).target(task), [(1,)])
    assert (outcome.status, outcome.error) == ("context", "ModuleNotFoundError")
    assert outcome.message == "No module named 'notthere'"


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a virtual environment with one package in it."""
    folder = tmp_path_factory.mktemp("env")
    make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(make, check=True)
    [packages] = (folder / "lib").glob("python*/site-packages")
    (packages / "moneyed.py").write_text("def cents(x): return round(x * 100)\n")
    for path in (*folder.parents[:2], folder):
        path.chmod(0o755)
    return folder


def test_what_the_environment_has_installed_can_be_imported(
    stack_server: ForkServer, environment: Path, tmp_path: Path
) -> None:
    path = tmp_path / "task.py"
    path.write_text('import moneyed\ndef f(x):\n    """Give cents."""\n')
    [task] = load_tasks(path, python=environment)
    program = "def f(x): return moneyed.cents(x)"
    [[outcome]] = stack_server.run([program], interface(task).target(task), [(1.5,)])
    assert outcome.value == Value.of(150)


def test_a_changed_helper_is_not_answered_from_the_store(tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text("STEP = 1\n")
    target = Target("f", "from helper import STEP\n", project=Project((str(tmp_path),)))
    program, found = "def f(x): return x + STEP", []
    with Store(tmp_path / "store.sqlite") as store, open_server("all", store=store) as sandbox:
        for step in (1, 1, 20):
            helper.write_text(f"STEP = {step}\n")
            os.utime(helper, (time.time() + step, time.time() + step))
            found.append(sandbox.run([program], target, [(1,)])[0][0].value)
    assert found == [Value.of(2), Value.of(2), Value.of(21)]


def test_what_may_be_read_is_what_can_be_imported(tmp_path: Path) -> None:
    for name in ("pkg/a.py", "pkg/data.json", "pkg/sub/b.py", "pkg/sub/.env", "top.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    for name in ("notes/plan.txt", "key.pem", "env/pyvenv.cfg", "env/c.py", "not-a-name/d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = belongings(Project((str(tmp_path),)))
    names = {os.path.relpath(path, tmp_path) for path in found.paths}
    assert names == {"pkg/a.py", "pkg/data.json", "pkg/sub/b.py", "top.py"}


def test_folders_without_hidden_files_are_read_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "__pycache__").mkdir(parents=True)
    for name in ("pkg/a.py", "pkg/b.py", "pkg/__pycache__/a.pyc"):
        (tmp_path / name).write_text("")
    found = belongings(Project((str(tmp_path),)))
    assert found.paths == [str(tmp_path / "pkg")]
    assert found.files == 2


def test_a_project_that_is_not_on_this_machine_is_told_in_a_sentence(
    server: ForkServer, tmp_path: Path
) -> None:
    target = Target("f", project=Project((str(tmp_path / "gone"),)))
    with pytest.raises(SandboxError, match="gone cannot be read"):
        server.run(["def f(): return 1"], target, [()])


def test_a_container_is_shown_the_same_places_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docker").write_text("")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    shown = showing(command(), ["/own/shop"])
    assert shown[1:4] == ("run", "--volume", "/own/shop:/own/shop:ro")


def one(sandbox: ForkServer, program: str, target: Target) -> Outcome:
    probe = Session(("total([Line(2, 5.0)])",))
    return sandbox.run([program], target, [probe])[0][0]
