"""What is in the wheel and the sdist: all that is needed, and nothing else."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import consilience

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "consilience"
LARGEST = 2 << 20
FOREIGN = (".gz", ".gguf", ".sqlite", ".npz", ".onnx", ".pdf", ".safetensors", ".pyc")
"""Endings of data, weights and stores."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Iterator[zipfile.ZipFile]:
    [path] = built.glob("*.whl")
    assert path.stat().st_size < LARGEST
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.fixture(scope="module")
def sdist(built: Path) -> list[str]:
    [path] = built.glob("*.tar.gz")
    assert path.stat().st_size < LARGEST
    with tarfile.open(path) as archive:
        names = [member.name for member in archive.getmembers() if member.isfile()]
    return [name.partition("/")[2] for name in names]


def of_source() -> set[str]:
    files = (path for path in SOURCE.rglob("*") if path.is_file())
    return {
        path.relative_to(SOURCE.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile):
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == of_source()
    assert "consilience/py.typed" in names
    assert not [name for name in names if name.endswith(FOREIGN)]


def test_the_wheel_is_for_any_platform_and_carries_its_licence(wheel: zipfile.ZipFile):
    assert wheel.filename is not None
    assert wheel.filename.endswith(f"consilience-{consilience.__version__}-py3-none-any.whl")
    [licence] = [name for name in wheel.namelist() if name.endswith("/LICENSE")]
    assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()


def test_the_metadata_names_version_python_and_command(wheel: zipfile.ZipFile):
    texts = {Path(name).name: wheel.read(name).decode() for name in wheel.namelist()[-6:]}
    metadata = email.message_from_string(texts["METADATA"])
    assert metadata["Version"] == consilience.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "Which of a language model's programs" in metadata.as_string()
    assert "consilience = consilience.cli:main" in texts["entry_points.txt"]


def test_the_sdist_can_be_tested_and_has_no_data_in_it(sdist: list[str]):
    assert {f"src/{name}" for name in of_source()} <= set(sdist)
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"} <= set(sdist)
    assert "tests/packaging/test_distributions.py" in sdist
    records = "bench/records/"  # of measurements: no data set and no weights
    foreign = [name for name in sdist if name.endswith(FOREIGN)]
    assert not [name for name in foreign if not name.startswith(records)]
    assert not [name for name in sdist if name.startswith((".git/", ".venv/", "demo/out/"))]


def test_the_wheel_works_where_nothing_else_of_ours_is(wheel: zipfile.ZipFile, tmp_path: Path):
    wheel.extractall(tmp_path)
    code = (
        "import consilience, sys; assert consilience.__file__.startswith(sys.argv[1]);"
        "from consilience.models.prompts import render;"
        "from consilience.report import page; from consilience.uncertainty import picture;"
        "print(render('program', task='T', entry_point='f')[:4])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Here\n"
