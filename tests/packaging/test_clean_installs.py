"""Install the wheel into fresh environments, without and with each extra. Only when asked for.

It downloads several hundred megabytes: set CONSILIENCE_CLEAN_INSTALLS=1, and name other
interpreters in CONSILIENCE_PYTHONS, with colons between.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from probes import PROBES

ROOT = Path(__file__).parents[2]
PYTHONS = os.environ.get("CONSILIENCE_PYTHONS", sys.executable).split(":")
MISSING = "MissingExtraError"
pytestmark = pytest.mark.skipif(
    not os.environ.get("CONSILIENCE_CLEAN_INSTALLS"), reason="CONSILIENCE_CLEAN_INSTALLS unset"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    [path] = folder.glob("*.whl")
    return path


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("extra", ["", *sorted(PROBES)])
def test_it_installs_and_runs(wheel: Path, tmp_path: Path, python: str, extra: str):
    here = tmp_path / "env"
    subprocess.run([python, "-m", "venv", str(here)], check=True)
    what = f"{wheel}[{extra}]" if extra else str(wheel)
    pip = [str(here / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", what], check=True)
    done = subprocess.run([here / "bin" / "consilience", "doctor"], env={}, check=False)
    assert done.returncode == 0
    for name, (module, call) in PROBES.items():
        present = ran(here, f"import {module}").returncode == 0
        assert present or name != extra, f"{extra} does not bring {module}"
        assert present or MISSING in ran(here, call).stderr, f"no word of {name}"


def ran(environment: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = [environment / "bin" / "python", "-c", code]
    env = {"HOME": str(environment)}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)
