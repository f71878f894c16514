"""Say loudly where the cluster could not be tested."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if find_spec("ray") is None:
        told = "NOT TESTED: a real Ray cluster (tests/backends/test_ray.py); pip install ray"
        terminalreporter.write_line(told, yellow=True)
