"""Every extra says so where it is missing; none is needed to import the package."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from probes import PROBES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

WITHOUT = """
import sys
for name in sys.argv[2:]:
    sys.modules[name] = None
from consilience.errors import MissingExtraError
try:
    exec(sys.argv[1])
except MissingExtraError as error:
    print(error, error.hint)
"""


def test_every_extra_has_a_probe():
    assert sorted(PROBES) == sorted(EXTRAS), "write a probe for each extra of pyproject.toml"


@pytest.mark.parametrize("extra", sorted(PROBES))
def test_a_missing_extra_is_named_with_what_to_do(extra: str):
    module, call = PROBES[extra]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, call, module],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "which is not installed" in done.stdout
    assert f'pip install "consilience[{extra}]"' in done.stdout


def test_the_command_needs_no_extra():
    modules = [module for module, _ in PROBES.values()]
    code = (
        "import sys; [sys.modules.__setitem__(name, None) for name in sys.argv[1:]]; "
        "from consilience.cli import main; "
        "raise SystemExit(sum(main([v, '--help']) for v in ('judge', 'entropy', 'bench')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *modules], check=True, capture_output=True, text=True
    )
    assert done.stdout.count("Usage: consilience") == 3
