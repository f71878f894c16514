"""`import consilience` is light: few modules, little CPU time."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

CPU_SECONDS = 0.3
MODULES = 45
"""Of the standard library mostly; an accidental import of a library brings hundreds."""
COUNT = (
    "import sys; before = set(sys.modules); import consilience; "
    "new = sorted(set(sys.modules) - before); import json; print(json.dumps(new))"
)


def test_it_loads_few_modules_and_one_of_its_own():
    done = subprocess.run(
        [sys.executable, "-c", COUNT], capture_output=True, check=True, text=True
    )
    modules = json.loads(done.stdout)
    assert [name for name in modules if name.startswith("consilience")] == ["consilience"]
    assert len(modules) < MODULES


def test_it_takes_little_cpu_time():
    assert min(spent("import consilience") for _ in range(3)) < CPU_SECONDS


def spent(code: str) -> float:
    """Return the CPU seconds of an interpreter that runs *code*, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
