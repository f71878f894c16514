"""The comparison that is written into pytest files: the source of these functions is copied."""

import math
import subprocess
import sys
from typing import Any

from consilience.values import DEFAULT_TOLERANCE

ABSOLUTE, RELATIVE = DEFAULT_TOLERANCE.absolute, DEFAULT_TOLERANCE.relative
PROGRAM = "solution.py"


def agree(a: Any, b: Any) -> bool:
    """Compare as Python does, but floats with a tolerance, and NaN with NaN."""
    if isinstance(a, complex) and isinstance(b, complex):
        return agree(a.real, b.real) and agree(a.imag, b.imag)
    if isinstance(a, float) or isinstance(b, float):
        return near(a, b)
    for kind in (list, tuple):
        if isinstance(b, kind):
            return isinstance(a, kind) and len(a) == len(b) and all(map(agree, a, b))
    if isinstance(b, dict):
        same_keys = isinstance(a, dict) and a.keys() == b.keys()
        return same_keys and all(agree(a[key], b[key]) for key in b)
    return bool(a == b)


def near(a: Any, b: Any) -> bool:
    """Compare two numbers, of which at least one is a float."""
    try:
        if a == b or (math.isnan(a) and math.isnan(b)):
            return True
        return bool(abs(a - b) <= ABSOLUTE + RELATIVE * max(abs(a), abs(b)) < math.inf)
    except (TypeError, OverflowError):
        return False


def tidy(text: str) -> str:
    """Leave out trailing blanks and final line ends."""
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")


def alike(a: str, b: str) -> bool:
    """Compare printed text; numbers in it agree within the tolerance."""
    left, right = tidy(a).split(), tidy(b).split()
    return len(left) == len(right) and all(map(same_word, left, right))


def same_word(a: str, b: str) -> bool:
    """Compare two words of printed text, as numbers where they are."""
    try:
        return a == b or near(float(a), float(b))
    except ValueError:
        return False


def shows(value: Any, printed: str, text: str) -> bool:
    """Tell whether a prompt would show *text*: what was printed, then the value."""
    shown = [printed, printed + repr(value), printed + str(value), repr(value)]
    return tidy(text) in map(tidy, shown)


def printed_by_script(text: str) -> str:
    """Run the script on *text* and return what it prints."""
    done = subprocess.run(  # noqa: S603 - the file that is written runs its user's own program
        [sys.executable, PROGRAM],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
