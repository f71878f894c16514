"""Show what Consilience does: judge five programs for one task with the embedded model.

The programs in `candidates` differ, and four of them are wrong. Nobody tells Consilience which:
it draws programs of its own, lets them vote on inputs that tell the candidates apart, and ranks
the candidates by all evidence that comes out.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
OUT = HERE / "out"
CONSILIENCE = Path(sys.executable).parent / "consilience"


def main() -> int:
    """Pull the weights, judge, and run the synthesised tests on the winner."""
    begun = time.monotonic()
    say("1. The embedded model (491 MB, once; its hash is checked)")
    run([CONSILIENCE, "models", "pull", "qwen2.5-coder-0.5b-instruct"])
    say("2. Judge: who of five wrote the right second_largest? (a few minutes on two cores)")
    OUT.mkdir(exist_ok=True)
    report, tests = OUT / "report.html", OUT / "test_second_largest.py"
    judge = [CONSILIENCE, "judge", HERE / "second_largest.py", HERE / "candidates"]
    options = ["--preset", "economy", "--all-tests", "--seed", "1"]
    run([*judge, *options, "--html", report, "--pytest", tests])
    say("3. The tests as a pytest file, run on cleo.py, which is right")
    (OUT / "solution.py").write_text((HERE / "candidates" / "cleo.py").read_text())
    run([sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", tests])
    say(f"Done in {time.monotonic() - begun:.0f} s. The report: {report}")
    return 0


def say(what: str) -> None:
    """Head a step."""
    print(f"\n== {what}", flush=True)


def run(command: list[str | Path]) -> None:
    """Run a command; a failure ends the demo."""
    print("$", *(str(word) for word in command), flush=True)
    subprocess.run(command, check=True)  # noqa: S603  # our own commands


if __name__ == "__main__":
    sys.exit(main())
