"""Judge the three cases of docs/trust.md again, and write their reports into the page.

    python tools/reports.py DATA OBSERVATIONS

DATA is the folder of the pools, OBSERVATIONS what `consilience bench observe` wrote there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from consilience.bench.observations import POOLS, Observed, read
from consilience.bench.trust_cases import MOST, SOURCES, dealt
from consilience.cascade import Cascade
from consilience.formats import load_tasks
from consilience.report.text import text
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.task import Candidate, Task

PAGE = Path(__file__).resolve().parents[1] / "docs" / "trust.md"
CASES = {
    "HumanEval/155": "chatgpt",
    "Mbpp/103": "gpt-4",
    "HumanEval/106": "gemini",
}
"""Task -> the source whose samples are judged."""


def main(data: str, observations: str) -> int:
    """Replace every report, and nothing else."""
    tasks = {t.id: t for file, _ in POOLS.values() for t in load_tasks(Path(data) / file)}
    seen = {each.task_id: each for each in read(Path(observations)) if each.task_id in CASES}
    page = PAGE.read_text(encoding="utf-8")
    with ForkServer(workers=1) as sandbox:
        for name, source in CASES.items():
            told = report(tasks[name], seen[name], source, sandbox)
            block = re.compile(rf"(### {name} [^\n]*\n\n```text\n).*?(\n```\n)", re.DOTALL)
            page = block.sub(lambda found, told=told: found[1] + told + found[2], page)
    PAGE.write_text(page, encoding="utf-8")
    return 0


def report(task: Task, seen: Observed, source: str, sandbox: ForkServer) -> str:
    """Judge the samples of *source* without a model, and say what came of it."""
    drawn = dealt(seen.samples, SOURCES[seen.dataset][source])[:MOST]
    candidates = [
        Candidate(task.id, seen.programs[sample.program], place, f"{sample.model} {place}")
        for place, sample in enumerate(drawn)
    ]
    cascade = Cascade(sandbox, preset("economy"), level=0.9, until="behaviour")
    return text(cascade(task, candidates))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
