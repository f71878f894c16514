"""The eleven shapes that were tried: the right program wins, or the right ones tie."""

from __future__ import annotations

from pathlib import Path

import pytest
from shapes.own_tasks import OWN_TASKS, Own

from consilience.api import judge, load
from consilience.formats import load_candidates
from consilience.formats.module import read_python
from consilience.sandbox.pool import ForkServer


@pytest.fixture(scope="module")
def sandbox():
    with ForkServer() as server:
        yield server


@pytest.mark.parametrize("own", OWN_TASKS.values(), ids=OWN_TASKS.keys())
def test_a_right_program_leads(own: Own, sandbox: ForkServer, tmp_path: Path) -> None:
    verdict = judged(own, sandbox, tmp_path)
    leaders = [verdict.candidates[place].label for place in verdict.ranking.leaders]
    assert leaders
    assert all(label.startswith("right") for label in leaders), leaders
    assert verdict.suite.tests


def judged(own: Own, sandbox: ForkServer, folder: Path):
    """Judge the task as a person would: from its file, with a file a candidate."""
    (folder / own.file).write_text(own.text)
    programs = folder / "candidates"
    programs.mkdir()
    for kind, sources in (("wrong", own.wrong), ("right", own.right)):
        for place, source in enumerate(sources):
            (programs / f"{kind}{place}.py").write_text(source)
    (task,) = load(folder / own.file).values()
    files = load_candidates(sorted(programs.glob("*.py"), reverse=True), [task])
    return judge(task, files[task.id], sandbox=sandbox)


def test_programs_of_a_task_that_speaks_of_files_may_write_some(sandbox: ForkServer) -> None:
    prompt = (
        "import json\nfrom pathlib import Path\n\n\n"
        "def saved(items: dict[str, int], name: str) -> int:\n"
        '    """Write the items to a file of that name and return how many it then holds.\n\n'
        '    >>> saved({"a": 1}, "x.json")\n    1\n    """\n'
    )
    task = read_python(Path("saved.py"), prompt)
    right = (
        "def saved(items, name):\n    Path(name).write_text(json.dumps(items))\n"
        "    return len(json.loads(Path(name).read_text()))\n"
    )
    wrong = "def saved(items, name):\n    Path('/x').write_text('')\n    return 1\n"
    verdict = judge(task, [wrong, right], sandbox=sandbox)
    assert verdict.ranking.leaders == (1,)
