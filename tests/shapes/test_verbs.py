"""Every shape through the verbs that ask no model: what the table in docs/shapes.md says."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from shapes.own_tasks import OWN_TASKS, Own
from shapes.test_own_tasks import judged
from shapes.test_with_a_model import SHAPES, playing, posed

from consilience.api import rank
from consilience.formats.jsonl import dump_row
from consilience.formats.suite_jsonl import read_suites, suite_rows, write_suites
from consilience.models import Ledger
from consilience.models.scripted import ScriptedModel
from consilience.report.page import page
from consilience.report.record import record
from consilience.report.text import text
from consilience.sandbox.pool import ForkServer
from consilience.service.orders import JudgeOrder, RankOrder
from consilience.service.watch import Watch
from consilience.service.work import Work
from consilience.settings import preset
from consilience.store import Store
from consilience.uncertainty.semantic import semantic_entropy


@pytest.fixture(scope="module")
def sandbox():
    with ForkServer() as server:
        yield server


@pytest.fixture(scope="module", params=OWN_TASKS.values(), ids=OWN_TASKS.keys())
def verdict(request, sandbox, tmp_path_factory):
    own: Own = request.param
    return judged(own, sandbox, tmp_path_factory.mktemp("own"))


def test_a_verdict_is_shown_in_every_way_ranked_by_its_file_and_sent(
    verdict, sandbox, tmp_path: Path
):
    assert text(verdict).strip()
    assert json.loads(dump_row(record(verdict)))["schema"]
    assert "</html>" in page(verdict)
    suite = tmp_path / "suite.jsonl"
    write_suites(suite, [verdict.suite])
    (read,) = read_suites(suite)
    programs = [candidate.code for candidate in verdict.candidates]
    ranked = rank(programs, read, sandbox=sandbox)
    by_tests = rank(programs, verdict.suite, sandbox=sandbox)
    assert ranked.ranking.leaders == by_tests.ranking.leaders
    assert pickle.loads(pickle.dumps(verdict.task)) == verdict.task  # as Ray sends it
    assert pickle.loads(pickle.dumps(verdict)).ranking.leaders == verdict.ranking.leaders


def test_an_order_to_rank_comes_to_the_same(verdict, sandbox):
    programs = [candidate.code for candidate in verdict.candidates]
    rows = [json.loads(dump_row(row)) for row in suite_rows(verdict.suite)]
    with Store(":memory:") as store:
        work = Work(None, sandbox, store, preset("economy"), Ledger())
        order = RankOrder(programs, suite=rows)
        work.check(order)
        answer = work.do(order, Watch())
    best = {row["index"] for row in answer["ranking"] if row["rank"] == min(
        each["rank"] for each in answer["ranking"] if each["rank"] is not None)}  # fmt: skip
    assert best == set(rank(programs, verdict.suite, sandbox=sandbox).ranking.leaders)


@pytest.mark.parametrize(("name", "own"), SHAPES.items())
def test_an_order_to_judge_is_carried_out(name: str, own: Own, sandbox, tmp_path: Path):
    task = posed(own, tmp_path)
    model = ScriptedModel(playing(name, own))
    settings = replace(preset("economy"), inputs=8, n_inductive=6, n_transductive=3)
    name_of = {"entry_point": task.entry_point} if task.entry_point else {}
    body = {"prompt": task.prompt, "shape": task.shape, "context": task.context, **name_of}
    order = msgspec.convert(
        {"task": body, "candidates": [*own.wrong, *own.right]}, type=JudgeOrder
    )
    with Store(":memory:") as store:
        work = Work(model, sandbox, store, settings, Ledger())
        work.check(order)
        answer = work.do(order, Watch())
    best = min(each["rank"] for each in answer["ranking"] if each["rank"] is not None)
    leaders = {each["index"] for each in answer["ranking"] if each["rank"] == best}
    assert leaders <= set(range(len(own.wrong), len(own.wrong) + len(own.right)))


def test_samples_have_an_entropy(verdict):
    found = semantic_entropy([candidate.code for candidate in verdict.candidates])
    assert found
