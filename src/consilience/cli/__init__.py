"""The command `consilience`: verbs only, each of which calls one public function.

The result goes to stdout, all else to stderr. Exit codes: 0 done, 1 failed, 2 usage or
unreadable input, 3 trust below --fail-under, 130 interrupted.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import traceback
from collections.abc import Sequence

from cyclopts import App, CycloptsError

import consilience
from consilience.cli.misuse import misuse
from consilience.errors import ConsilienceError

app = App(
    name="consilience",
    version=consilience.__version__,
    help="Tell which of a language model's programs to trust, how far, and why.",
    help_format="markdown",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
app.register_install_completion_command(
    help="Install completion for your shell (bash, zsh, fish), and have it loaded at start."
)


VERBS = ("judging", "improving", "measuring", "trusting", "serving", "reporting", "upkeep")
"""The modules that hold the verbs."""
MEASUREMENTS = (
    "benching",
    "bench_improving",
    "experiments",
    "fase",
    "shaping",
    "spending",
    "trust_bench",
)
"""Those of `bench`: a verdict need not wait for them to be imported."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    register(words)
    logging.getLogger("stamina").setLevel(logging.ERROR)  # each retry is not news to a user
    try:
        code = app(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        return fail(*misuse(error), "UsageError", 2, "--json" in words)
    except ConsilienceError as error:
        if debugging():
            traceback.print_exc()
        kind = type(error).__name__
        return fail(str(error), error.hint, kind, error.exit_code, "--json" in words)
    except KeyboardInterrupt:
        print(
            "Interrupted. What is done is stored: run the same command to go on.",
            file=sys.stderr,
        )
        return 130
    except BrokenPipeError:  # whoever reads us has had enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is None or debugging():
            raise
        told = f"{error.filename}: {error.strerror}."
        hint = "Name a place that can be written. Replies are stored: another run pays nothing."
        return fail(told, hint, "OSError", 1, "--json" in words)
    return code if isinstance(code, int) else 0


def register(words: Sequence[str] = ()) -> None:
    """Import the verbs that *words* may mean; without words, or with a flag first, all."""
    for name in VERBS:
        importlib.import_module(f"consilience.cli.{name}")
    known = {verb for verb in app if not verb.startswith("-")}
    if not words or words[0] not in known - {"bench"}:
        for name in MEASUREMENTS:
            importlib.import_module(f"consilience.cli.{name}")


def fail(message: str, hint: str, kind: str, code: int, as_json: bool) -> int:
    """Tell of an error: for people on stderr, for programs as JSON on stdout too."""
    print(f"consilience: {message}", file=sys.stderr)
    if hint:
        print(f"  hint: {hint}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": message, "hint": hint, "kind": kind}))
    return code


def debugging() -> bool:
    """Tell whether tracebacks are wanted."""
    return os.environ.get("CONSILIENCE_DEBUG", "") not in {"", "0"}
