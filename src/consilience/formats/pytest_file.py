"""Write a suite as a pytest file that stands alone.

The comparison written into the file is that of `values.equal` at level py, for plain data.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from consilience.code.parsing import is_expression
from consilience.formats import agreement
from consilience.formats.pytest_lines import error_names, lines_of
from consilience.interfaces.lines import imports_for
from consilience.interfaces.registry import interface
from consilience.task import Session, Stdin, Task, TestCase, TestSuite
from consilience.values import DEFAULT_TOLERANCE, Value, source


def write_pytest(
    path: str | Path, suite: TestSuite, *, module: str = "solution", all_tests: bool = False
) -> None:
    """Write the tests of *suite* to *path*; see `pytest_source`."""
    Path(path).write_text(pytest_source(suite, module=module, all_tests=all_tests), "utf-8")


def pytest_source(
    suite: TestSuite, *, module: str = "solution", all_tests: bool = False
) -> str:
    """Give the tests of *suite* as the source of a pytest file.

    What is tested is imported from *module*; a script of that name is run. Only reliable tests
    are written, unless *all_tests*; and only those whose expected output can be written.
    """
    chosen = [test for test in suite.tests if test.reliable or all_tests]
    parts, written = [], 0
    for write in (_calls, _sessions, _texts):
        text, count = write(suite.task, chosen)
        parts.append(text)
        written += count
    body = "".join(parts)
    return (
        _header(suite, module, body, left_out=len(suite.tests) - written) + body + _needed(body)
    )


def _calls(task: Task, tests: Sequence[TestCase]) -> tuple[str, int]:
    """Write the tests by arguments: tables, and a test function for each."""
    calls = [test for test in tests if isinstance(test.input.probe, tuple)]
    callee = interface(task).written(task, ()).removesuffix("()")
    name = task.entry_point.replace(".", "_")
    text, count = "", 0
    for title, template, belongs in _TABLES:
        rows = [test for test in calls if belongs(test.expected)]
        if rows:
            text += _table(title, rows) + template.format(name=name, callee=callee)
            count += len(rows)
    return text, count


def _sessions(task: Task, tests: Sequence[TestCase]) -> tuple[str, int]:
    """Write the tests by lines of Python: a function each."""
    text, count = "", 0
    for test in tests:
        if isinstance(test.input.probe, Session):
            lines = _session(test.input.probe, test.expected)
            if lines is not None:
                count += 1
                body = "".join(f"    {line}\n" for line in lines)
                uses = "capsys" if "capsys" in body else ""
                text += f"\n\ndef test_session_{count}({uses}):  # {_evidence(test)}\n{body}"
    return text, count


def _session(probe: Session, expected: Value) -> list[str] | None:
    seen = expected.steps if len(probe.steps) > 1 else (expected,)
    if len(seen) != len(probe.steps):
        return None
    found = [
        lines_of(step, value, shown=is_expression(step))
        for step, value in zip(probe.steps, seen, strict=True)
    ]
    return None if None in found else [line for lines in found if lines for line in lines]


def _texts(task: Task, tests: Sequence[TestCase]) -> tuple[str, int]:
    """Write the tests of a script: what it reads, and what it prints."""
    rows = [
        f"    pytest.param({test.input.probe.text!r}, {test.expected.printed_text!r}),"
        f"  # {_evidence(test)}\n"
        for test in tests
        if isinstance(test.input.probe, Stdin) and test.expected.printed_text is not None
    ]
    if not rows:
        return "", 0
    folded = ".casefold()" if interface(task).target(task).any_case else ""
    return f"\nTEXTS = [\n{''.join(rows)}]\n" + _SCRIPT.format(folded=folded), len(rows)


def _needed(body: str) -> str:
    """Return the functions that the tests call, in an order that reads."""
    names = [function for function in _HELPERS if f"{function.__name__}(" in body]
    needed = {one for name in names for one in (name, *_HELPERS[name])}
    chosen = [function for function in _HELPERS if function in needed]
    return "".join(f"\n\n{inspect.getsource(function)}" for function in chosen)


def _header(suite: TestSuite, module: str, body: str, left_out: int) -> str:
    name = interface(suite.task).title(suite.task)
    lines = [
        f'"""Tests of {name}, synthesised by Consilience.',
        "",
        "Expected outputs are what independent programs agreed on, not ground truth. The",
        "comment behind each test says how many did, and by which route.",
    ]
    if left_out:
        lines.append(f"Left out, as unreliable or without a literal form: {left_out}.")
    lines += ['"""', "", *_imports(suite, module, body), "", "ABSOLUTE, RELATIVE = "]
    lines[-1] += f"{DEFAULT_TOLERANCE.absolute!r}, {DEFAULT_TOLERANCE.relative!r}"
    return "\n".join([*lines, "", ""])


def _imports(suite: TestSuite, module: str, body: str) -> list[str]:
    """Return the import lines, and for a script where its program lies."""
    task = suite.task
    if "printed_by_script(" in body:
        lines = ["import math", "import subprocess", "import sys", "from pathlib import Path"]
        where = f'PROGRAM = Path(__file__).with_name("{module}.py")'
        return [*lines, "from typing import Any", "", "import pytest", "", where]
    steps = (value for test in suite.tests for value in test.expected.steps)
    names = {task.entry_point.partition(".")[0], *error_names(tuple(steps))}
    copied = ["import copy"] if "copy." in body else []
    star = [f"from {module} import *  # noqa: F403 - lines of Python name what stands there"]
    lines = [*copied, "import math", "from typing import Any", "", "import pytest", ""]
    named = f"from {module} import {', '.join(sorted(names))}"
    return [*lines, *(star if "test_session_" in body else []), named, *_usual(task)]


def _usual(task: Task) -> list[str]:
    """Return the imports that the task's lines rely on."""
    return imports_for(task).strip().splitlines()


def _table(name: str, tests: Iterable[TestCase]) -> str:
    rows = [f"    {_row(test)},  # {_evidence(test)}\n" for test in tests]
    return f"\n{name} = [\n{''.join(rows)}]\n"


def _row(test: TestCase) -> str:
    args, expected = source(test.input.args), _expected(test.expected)
    return f"pytest.param({args}, {expected}, id={json.dumps(_identity(test))})"


def _expected(value: Value) -> str:
    text = value.printed_text
    return value.raised_class or (repr(text) if text is not None else value.literal()) or "None"


def _identity(test: TestCase) -> str:
    """Name a test by its arguments, short and in ASCII; pytest numbers those that coincide."""
    text = source(test.input.args)[1:-1].rstrip(",")
    text = text.encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 50 else f"{text[:36]}...{text[-11:]}"


def _evidence(test: TestCase) -> str:
    votes = f", {test.votes} of {test.total} votes" if test.total else ""
    doubt = "" if test.reliable else ", unreliable"
    return f"{test.route}, confidence {test.confidence:.2f}{votes}{doubt}"


_RETURNING = """

@pytest.mark.parametrize(("args", "expected"), CASES)
def test_{name}(args, expected):
    given = copy.deepcopy(args)
    result = {callee}(*args)
    if result is None and not agree(args, given):
        result = args  # it works by changing its arguments
    assert agree(result, expected)
"""

_RAISING = """

@pytest.mark.parametrize(("args", "error"), REFUSED)
def test_{name}_refuses(args, error):
    with pytest.raises(error):
        {callee}(*args)
"""

_PRINTING = """

@pytest.mark.parametrize(("args", "text"), PRINTED)
def test_{name}_prints(args, text, capsys):
    {callee}(*args)
    assert alike(capsys.readouterr().out, text)
"""

_SCRIPT = """

@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_script(text, expected):
    assert alike(printed_by_script(text){folded}, expected)
"""

_TABLES: tuple[tuple[str, str, Callable[[Value], object]], ...] = (
    ("CASES", _RETURNING, lambda value: value.literal() is not None),
    ("REFUSED", _RAISING, lambda value: value.raised_class),
    ("PRINTED", _PRINTING, lambda value: value.printed_text is not None),
)
_HELPERS: dict[Callable[..., object], tuple[Callable[..., object], ...]] = {
    agreement.agree: (agreement.near,),
    agreement.near: (),
    agreement.shows: (agreement.tidy,),
    agreement.alike: (agreement.tidy, agreement.same_word, agreement.near),
    agreement.tidy: (),
    agreement.same_word: (agreement.near,),
    agreement.printed_by_script: (),
}
"""What is copied into the file, and what each needs."""
