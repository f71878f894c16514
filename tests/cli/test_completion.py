"""Shell completion: written for the shell at hand, and it completes our verbs and flags."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys; from consilience.cli import main; sys.exit(main(sys.argv[1:]))"
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
complete -p consilience >/dev/null
handler=$(complete -p consilience | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$handler" consilience "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_verbs_and_flags(tmp_path: Path):
    env = {**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/bash"}
    subprocess.run(
        [sys.executable, "-c", RUN, "--install-completion"],
        env=env,
        check=True,
        capture_output=True,
    )
    [script] = tmp_path.rglob("completions/consilience")

    def completed(*words: str) -> set[str]:
        command = ["bash", "-c", ASK, "ask", str(script), "consilience", *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return {line.strip() for line in done.stdout.splitlines()}

    assert {"judge", "sample", "tests", "rank", "doctor"} <= completed("")
    assert {"--backend", "--base-url", "--preset"} <= completed("judge", "--")
    assert {"economy", "paper", "standard"} <= completed("judge", "--preset", "")
