"""The committed live records come out of the committed replies again, to the byte."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from consilience.bench.cott import read_rows
from consilience.bench.cott.posing import again
from consilience.bench.cott.run import Plan, run
from consilience.bench.replay import Replay
from consilience.formats import load_candidates, load_tasks
from consilience.judge import Judge
from consilience.models import replies
from consilience.sandbox.pool import ForkServer
from consilience.settings import Settings
from consilience.store import Store

RECORDS = Path(__file__).parents[3] / "bench" / "records"
REPLIES = RECORDS / "cott-live-replies.jsonl.gz"
FEW = 3
"""Tasks of each record that are run again; `bench cott --like` runs all."""


@pytest.mark.skipif(not REPLIES.exists(), reason="the replies are in the repository only")
@pytest.mark.parametrize(
    ("name", "tasks", "pool"),
    [
        ("humaneval", "HumanEvalPlus", "humaneval_pool_open_licence"),
        ("mbpp", "MbppPlus", "mbppplus_pool_open_licence"),
    ],
)
def test_a_live_record_is_replayed_to_the_same_rows(
    data: Path, tmp_path: Path, name: str, tasks: str, pool: str
):
    rows = read_rows(RECORDS / f"cott-live-{name}.jsonl.gz")[:FEW]
    loaded = load_tasks(data / f"{tasks}.jsonl.gz")
    posed = again(rows, loaded, load_candidates(data / f"{pool}.jsonl.gz", loaded))
    assert rows[0].model is not None
    settings = msgspec.convert(rows[0].settings, Settings)
    with ForkServer(workers=2) as sandbox, Store(tmp_path / "store.sqlite") as store:
        replies.read(REPLIES, store)
        judge = Judge(Replay(rows[0].model), sandbox, store, settings)
        assert run(judge, posed, tmp_path / "rows.jsonl", Plan(workers=2)) == rows
