"""Write a suite as a pytest file that stands alone.

The comparison written into the file is that of `values.equal` at level py, for plain data.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from pathlib import Path

from consilience.formats.agreement import agree, near
from consilience.task import TestCase, TestSuite
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

    The function under test is imported from *module*. Only reliable tests are written, unless
    *all_tests*; and only those whose expected output has a literal form.
    """
    name = suite.task.entry_point
    chosen = [test for test in suite.tests if test.reliable or all_tests]
    returning = [test for test in chosen if test.expected.literal() is not None]
    raising = [test for test in chosen if test.expected.raised_class]
    parts = [_header(suite, module, left_out=len(suite.tests) - len(returning) - len(raising))]
    if returning:
        parts += [_table("CASES", returning), _RETURNING.format(name=name)]
    if raising:
        parts += [_table("REFUSED", raising), _RAISING.format(name=name)]
    if returning:
        parts += [f"\n\n{inspect.getsource(function)}" for function in (agree, near)]
    return "".join(parts)


def _header(suite: TestSuite, module: str, left_out: int) -> str:
    name = suite.task.entry_point
    lines = [
        f'"""Tests of {name}, synthesised by Consilience.',
        "",
        "Expected outputs are what independent programs agreed on, not ground truth. The",
        "comment behind each test says how many did, and by which route.",
    ]
    if left_out:
        lines.append(f"Left out, as unreliable or without a literal form: {left_out}.")
    lines += ['"""', "", "import copy", "import math", "from typing import Any", ""]
    lines += ["import pytest", ""]
    lines += [f"from {module} import {name}", "", f"ABSOLUTE = {DEFAULT_TOLERANCE.absolute!r}"]
    lines += [f"RELATIVE = {DEFAULT_TOLERANCE.relative!r}", "", ""]
    return "\n".join(lines)


def _table(name: str, tests: Iterable[TestCase]) -> str:
    rows = [f"    {_row(test)},  # {_evidence(test)}\n" for test in tests]
    return f"\n{name} = [\n{''.join(rows)}]\n"


def _row(test: TestCase) -> str:
    args, expected = source(test.input.probe), _expected(test.expected)
    return f"pytest.param({args}, {expected}, id={json.dumps(_identity(test))})"


def _expected(value: Value) -> str:
    return value.raised_class or value.literal() or "None"


def _identity(test: TestCase) -> str:
    """Name a test by its arguments, short and in ASCII; pytest numbers those that coincide."""
    text = source(test.input.probe)[1:-1].rstrip(",")
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
    result = {name}(*args)
    if result is None and not agree(args, given):
        result = args  # it works by changing its arguments
    assert agree(result, expected)
"""

_RAISING = """

@pytest.mark.parametrize(("args", "error"), REFUSED)
def test_{name}_refuses(args, error):
    with pytest.raises(error):
        {name}(*args)
"""
