"""What the adapters share: where the cases lie, a sandbox, readers of the case notation."""

from __future__ import annotations

import atexit
import functools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from consilience.code import read_literal
from consilience.sandbox.pool import ForkServer
from consilience.values import Value


def shared(folder: str) -> Path:
    """Find a folder of the shared material; skip the test where it is absent."""
    beside_repository = Path(__file__).parents[2].parent / "shared" / "data"
    data = Path(os.environ.get("CONSILIENCE_DATA", beside_repository))
    candidates = [data.parent / folder, Path("/work/shared") / folder]
    found = next((path for path in candidates if path.is_dir()), None)
    if found is None:
        pytest.skip(f"no shared material on this machine: {candidates[0]}")
    return found


def read_cases() -> list[dict[str, Any]]:
    """Read the public cases; none where they are absent."""
    try:
        text = (shared("cases") / "cases.jsonl").read_text("utf-8")
    except pytest.skip.Exception:
        return []
    return [json.loads(line) for line in text.splitlines()]


@functools.cache
def sandbox() -> ForkServer:
    """Start one sandbox for all cases."""
    server = ForkServer(workers=1)
    atexit.register(server.close)
    return server


def text_of(noted: Any) -> str:
    """Write out a text that a case notes as a repetition."""
    if isinstance(noted, str):
        return noted
    piece, times = noted["repeat"]
    return str(piece) * int(times) + str(noted.get("then", ""))


def arguments(expression: str) -> tuple[Any, ...]:
    """Read the tuple of arguments that a case notes."""
    args = read_literal(expression)
    return args if isinstance(args, tuple) else (args,)


def value(expression: str) -> Value:
    """Give the value of an expression: evaluated in the sandbox, where it is no literal."""
    try:
        return Value.of(read_literal(expression))
    except ValueError:
        # The import tells the sandbox, which reads it, to let the program have the package.
        needs = "import numpy\n" if "numpy" in expression else ""
        program = f"{needs}def f():\n    return {expression}\n"
        ((outcome,),) = sandbox().run([program], "f", [()])
        if outcome.error == "ModuleNotFoundError":
            pytest.skip(f"not available to programs in the sandbox: {outcome.message}")
        assert outcome.value is not None, (expression, outcome)
        return outcome.value
