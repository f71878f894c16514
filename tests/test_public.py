"""What `import consilience` promises: its names, and that it stays light."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import consilience
from consilience.models.scripted import ScriptedModel
from consilience.settings import preset
from consilience.store import Store
from consilience.task import TestCase, TestInput, TestSuite
from consilience.values import Value

HEAVY = ("numpy", "torch", "sklearn", "scipy", "matplotlib", "xllamacpp", "httpx2", "rich")


@pytest.mark.parametrize("name", consilience.__all__)
def test_every_public_name_can_be_had(name: str):
    assert getattr(consilience, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nosuch"):
        consilience.nosuch  # noqa: B018


def test_importing_loads_nothing_heavy():
    code = "import consilience, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert not set(HEAVY) & set(json.loads(done.stdout))


def test_ten_lines_rank_programs(tmp_path: Path):
    file = tmp_path / "double.py"
    doc = '    """Return twice n.\n\n    >>> double(3)\n    6\n    """\n'
    file.write_text(f"def double(n: int) -> int:\n{doc}")
    task = consilience.load(file)["double"]
    model = ScriptedModel(lambda *_: "def double(n):\n    return n + n")
    with Store(tmp_path / "store.sqlite") as store:
        verdict = consilience.judge(
            task,
            ["def double(n):\n    return n * n", "def double(n):\n    return 2 * n"],
            model,
            settings=preset("economy", n_inductive=2),
            store=store,
        )
    assert verdict.winner is not None
    assert verdict.winner.label == "candidate 1"


def test_ranking_by_tests_one_has_needs_no_model():
    task = consilience.Task("t", "", "double")
    test = TestCase(TestInput((3,)), Value.of(6), "given", 1.0)
    verdict = consilience.rank(["def double(n):\n    return 2 * n"], TestSuite(task, (test,)))
    assert verdict.ranking.best == 0


def test_no_candidates_is_a_usage_error():
    with pytest.raises(consilience.ConsilienceError, match="no candidates"):
        consilience.rank([], TestSuite(consilience.Task("t", "", "f"), ()))
