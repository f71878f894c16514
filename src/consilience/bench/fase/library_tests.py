"""Grade BigCodeBench samples by the tasks' own unittest classes, in the sandbox.

Programs get a writable /tmp that is theirs alone, no network, and the packages of this
environment. A task counts only where its reference solution passes here: a library that is not
installed, a need for the network, a download or more memory make a task *skipped*, with the
reason, and never a sample wrong. The tests run beside the program, as upstream, so a hostile
sample could pass them; these samples are a known model's.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import Care, ForkServer
from consilience.task import Task

LIBRARIES = "consilience.bench.fase.libraries/1"
LIMITS = Limits(cpu_seconds=30.0, wall_seconds=60.0, memory_mb=2048, total_seconds=120.0)
CARE = Care(scratch_mb=64)
OPTIONAL = (
    "pandas", "matplotlib", "seaborn", "scikit-learn", "scipy", "statsmodels", "requests",
    "beautifulsoup4", "lxml", "pytz", "regex", "rsa", "openpyxl", "psutil", "chardet",
    "cryptography", "pycryptodome", "python-Levenshtein", "wordcloud", "Flask", "Flask-Login",
    "Flask-WTF", "Flask-Mail", "xlwt", "python-docx", "pyquery", "nltk",
)  # fmt: skip
"""What the tasks ask for besides numpy, as pip names it; none of it is required."""

_ENTRY = "consilience_run_tests"
_RUNNER = f"""

def {_ENTRY}():
    import io, os, unittest
    os.chdir("/tmp")
    suite = unittest.TestLoader().loadTestsFromTestCase(TestCases)
    found = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    wrong = [*found.failures, *found.errors]
    told = "\\n".join(str(text)[-300:] for _, text in wrong)
    return [found.testsRun, len(wrong), told]
"""
_HEAD = """import os
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("MPLCONFIGDIR", "/tmp")
os.environ.setdefault("HOME", "/tmp")
"""


@dataclass(frozen=True, slots=True)
class Checked:
    """What running one task's tests told."""

    task_id: str
    skipped: str = ""
    """Why the task could not be measured here; empty where it could."""
    passed: tuple[bool | None, ...] = ()
    """A verdict a sample; None where the sandbox failed, or refused what a test needs."""


def check(task: Task, samples: Sequence[str], sandbox: ForkServer) -> Checked:
    """Run the tests of *task* on its reference solution, and then on *samples*."""
    tests = task.metadata.get("test", "")
    missing = [name for name in sorted(_imported((tests, task.prompt))) if not _found(name)]
    if missing:
        return Checked(task.id, f"not installed: {', '.join(missing)}")
    solution = task.reference.solution if task.reference else ""
    (first,) = _run([solution], tests, sandbox)
    if not _passed(first):
        return Checked(task.id, f"the reference fails here: {_reason(first)}")
    distinct = list(dict.fromkeys(samples))
    found = dict(zip(distinct, _run(distinct, tests, sandbox), strict=True))
    return Checked(
        task.id,
        passed=tuple(
            None if _refused(found[text]) else _passed(found[text]) for text in samples
        ),
    )


def compare(
    task: Task, rows: Sequence[Mapping[str, Any]], sandbox: ForkServer
) -> dict[str, Any]:
    """Check the rows of one task, and put the recorded statuses beside the verdicts."""
    found = check(task, [row["solution"] for row in rows], sandbox)
    return {
        "task_id": task.id,
        "skipped": found.skipped,
        "passed": list(found.passed),
        "recorded": [row["status"] for row in rows],
    }


def agreement(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count tasks by the reason of skipping, and samples by recorded status and verdict."""
    pairs = Counter(
        f"recorded {status}, here {_WORDS[verdict]}"
        for row in rows
        for status, verdict in zip(row["recorded"], row["passed"], strict=False)
    )
    skipped = Counter(row["skipped"] for row in rows if row["skipped"])
    return {
        "tasks": len(rows),
        "measured": sum(not row["skipped"] for row in rows),
        "skipped": dict(sorted(skipped.items())),
        "samples": dict(sorted(pairs.items())),
    }


_WORDS = {True: "pass", False: "fail", None: "unknown"}


def _run(programs: Sequence[str], tests: str, sandbox: ForkServer) -> list[Outcome]:
    whole = [f"{_HEAD}{program}\n\n{tests}\n{_RUNNER}" for program in programs]
    done = sandbox.execute(whole, _ENTRY, [()], LIMITS, CARE)
    return [each.outcomes[0] for each in done]


def _passed(outcome: Outcome) -> bool:
    """Tell whether tests ran and none failed."""
    if outcome.value is None:
        return False
    ran, wrong, _ = outcome.value.python()
    return bool(ran > 0 and wrong == 0)


def _refused(outcome: Outcome) -> bool:
    """Tell whether the sandbox, and not the program, may be why a test failed.

    It refuses some calls that the tests' own machine grants, such as chmod.
    """
    if outcome.value is None:
        return outcome.status == "infrastructure"
    return "Operation not permitted" in outcome.value.python()[2]


def _reason(outcome: Outcome) -> str:
    """Say in a word what went wrong: the exception's name, or the status."""
    if outcome.value is None:
        return outcome.error or outcome.status
    words = re.findall(r"^(\w+(?:Error|Exception))\b", outcome.value.python()[2], re.MULTILINE)
    named = [word for word in words if word != "AssertionError"]
    return named[-1] if named else "a test that fails"


def _imported(texts: Iterable[str]) -> set[str]:
    """Return the top-level modules that programs import, wherever they do."""
    names: set[str] = set()
    for text in texts:
        try:
            nodes = list(ast.walk(ast.parse(text)))
        except SyntaxError:  # a prompt that ends inside its function
            nodes = list(ast.walk(ast.parse(f"{text}\n    pass\n")))
        for node in nodes:
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names


def _found(name: str) -> bool:
    """Tell whether the module *name* can be imported here; nothing is imported."""
    if name in sys.stdlib_module_names:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
