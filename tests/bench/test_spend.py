"""Replays of what was recorded: votes without programs, and samples with the real sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from consilience.bench import live, spend, spend_record
from consilience.bench.cott import InputRow, Stated, TaskRow, write_rows
from consilience.bench.ranking_tasks import RankingTask
from consilience.bench.spend_replay import Recorded, Remembering
from consilience.cli import main
from consilience.errors import InputError, ModelError
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import Settings, preset
from consilience.store import Store
from consilience.task import Candidate, Reference, Task

SETTINGS = replace(preset("economy"), n_inductive=5)


def row(**changes: object) -> InputRow:
    """One input: 0 is right; the second voter and the second candidate say 1."""
    given: dict[str, object] = {
        "call": "f(1)",
        "origin": "seed",
        "values": ("0", "1"),
        "right": (True, False),
        "truth": 0,
        "candidates": (0, 1),
        "voters": (0, 1, 0, 1, 1),
        "transductive": (0, 0, 0),
        "tokens": {"transduction": (100, 60)},
    }
    return InputRow(**(given | changes))  # type: ignore[arg-type]


def task(*inputs: InputRow, given: tuple[Stated, ...] = ()) -> TaskRow:
    return TaskRow(
        task_id="t",
        dataset="d",
        candidates=("good", "bad"),
        truth=(1.0, 0.5),
        truth_inputs=10,
        believing=(True,) * 5,
        given=given,
        inputs=inputs,
        tokens={"inputs": (50, 50), "induction": (40, 200), "syntra": (9, 9)},
        model="m",
        settings=asdict(SETTINGS),
    )


def spent(found: dict[str, object], stage: str) -> list[int]:
    return found["tokens"].get(stage, [0, 0])  # type: ignore[attr-defined, no-any-return]


def test_recorded_votes_are_judged_by_the_products_own_gate():
    found = spend_record.judged(task(row()), SETTINGS)
    assert found["labels"] == {"transductive": {"tests": 1, "right": 1, "invalid": 0}}
    assert (found["top1"], found["scores"]) == (1.0, [1.0, 0.0])
    assert found["tokens"] == {
        "inputs": [50, 50],
        "induction": [40, 200],
        "transduction": [100, 60],
    }
    alone = spend_record.judged(task(row()), replace(SETTINGS, method="rstar"))
    assert (alone["top1"], spent(alone, "transduction")) == (0.0, [0, 0])


def test_stopping_sooner_costs_a_share_of_what_was_recorded():
    levers = replace(SETTINGS, first=2, doubt=0.1)
    found = spend_record.judged(task(row()), levers)
    assert spent(found, "transduction") == [100, 40]  # two of three programs
    split = row(transductive=(0, 1, 0, 0, 1), tokens={"transduction": (200, 100)})
    assert spent(spend_record.judged(task(split), levers), "transduction") == [200, 100]
    whole = replace(SETTINGS, sequential=False)
    assert spent(spend_record.judged(task(split), whole), "transduction") == [100, 100]


def test_programs_that_fail_an_example_do_not_vote_in_a_replay_either():
    stated = Stated("f(0)", 0, ("0", "1"), (True, False), (0, 0), (0, 1, 0, 1, 1))
    found = spend_record.judged(task(row(), given=(stated,)), SETTINGS)
    assert found["labels"] == {"inductive": {"tests": 1, "right": 1, "invalid": 0}}
    without = replace(SETTINGS, examples=False)
    told = spend_record.judged(task(row(), given=(stated,)), without)
    assert "transductive" in told["labels"]


def test_fewer_general_programs_are_charged_where_they_agree():
    united = row(voters=(0,) * 5)
    levers = replace(SETTINGS, first_inductive=4, doubt=0.1)
    found = spend_record.judged(task(united), levers)
    assert spent(found, "induction") == [40, 160]
    assert spent(spend_record.judged(task(row()), levers), "induction") == [80, 200]


def test_what_cannot_change_the_order_is_not_charged():
    same = row(candidates=(1, 1))
    found = spend_record.judged(task(same), replace(SETTINGS, settle="differ"))
    assert spent(found, "transduction") == [0, 0]
    assert found["labels"] == {"inductive (unreliable)": {"tests": 1, "right": 0, "invalid": 0}}


def test_a_record_without_transduction_is_left_out_not_made_up():
    bare = row(transductive=(), tokens={})
    replay = spend_record.opened([task(bare)])
    assert (replay.settings.method, replay.rows({})[0]["programs"]) == ("rstar", 5)
    fours = {"first_inductive": 4, "batch": 4, "doubt": 0.1}
    united = spend_record.opened([task(row(voters=(0,) * 5, transductive=(), tokens={}))])
    assert united.rows(fours)[0]["programs"] == 4
    with pytest.raises(ModelError, match="No program was drawn"):
        replay.rows({"method": "tt"})
    with pytest.raises(InputError):
        spend_record.opened([])


def test_the_verb_writes_levers_beside_plain_and_shows_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    record, out = tmp_path / "cott.jsonl", tmp_path / "spend.json"
    write_rows(record, [task(row(), row(voters=(0,) * 5))])
    wanted = ["--only", "induction alone", "all levers", "two programs, one request"]
    assert main(["bench", "spend", str(record), "-o", str(out), *wanted]) == 0
    found = json.loads(out.read_text())
    plain = found["variants"][spend.PLAIN]
    assert plain["share_of_plain"] == 1.0
    assert found["variants"]["induction alone"]["tokens_per_task"] < plain["tokens_per_task"]
    assert found["transduction"] == found["transduction"] | {
        "gated": 1,
        "right_with": 1,
        "right_without": 0,
    }
    assert found["held_out"][0]["picks"]
    again = ["--only", "rule: supported"]  # what is there is taken over
    assert main(["bench", "spend", str(record), "-o", str(out), *again]) == 0
    assert len(json.loads(out.read_text())["variants"]) == 5
    assert main(["bench", "spend-table", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "| plain cott | 500 | 100 % | 100 | 100 | 100 | 1.00 |" in shown
    assert "| economy, --lean | 20 |" in shown
    assert "Of 1 labels of doubtful inputs on 1 tasks, 1 were right with" in shown
    assert "| CoTT (published) | 100 | 650,000 | 0.0650 |" in shown
    assert main(["bench", "spend", str(tmp_path / "x.json"), "-o", str(out)]) == 2


RIGHT = "def find(a, b):\n    return a // b"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
POSED = RankingTask(
    Task(
        "floor",
        'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n',
        "find",
        reference=Reference(RIGHT, ((7, 2), (-7, 2)), 2),
    ),
    tuple(Candidate("floor", code, i, str(i)) for i, code in enumerate([RIGHT, TRUNCATES])),
    (1, 0),  # type: ignore[arg-type]
    2,
    2,
)


def answer(prompt: str, index: int) -> str:
    if "assert" in prompt:
        calls = [(9, 2), (-7, 2), (-9, 4), (8, 3), (5, 1)]
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in calls)
    return RIGHT if "exact input" in prompt or index % 2 else TRUNCATES


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def test_a_stored_run_is_replayed_and_what_is_missing_is_drawn_or_left_out(
    sandbox: ForkServer, tmp_path: Path
):
    settings = replace(preset("economy"), inputs=4, n_inductive=4, n_transductive=5)
    with Store(tmp_path / "store.sqlite") as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, settings)
        record = live.run(judge, [POSED], workers=1)
        pool = {"floor": POSED.candidates}
        model = Recorded("scripted", store)
        remembering = Remembering(sandbox, store)
        replay = spend.opened(record, [POSED.task], pool, model, remembering)
        wanted = ["induction alone", "all samples, one request", "stop: doubt .1"]
        found = spend.run(replay, wanted=wanted)
        served = Recorded("scripted", store, ScriptedModel(answer))
        replay = spend.opened(record, [POSED.task], pool, served, remembering)
        drawn = spend.run(replay, wanted=wanted)
    plain = record["tasks"][0]["cott"]
    assert found["variants"][spend.PLAIN]["tokens_per_task"] == sum(
        map(sum, plain["tokens"].values())
    )
    assert found["rows"][spend.PLAIN][0]["scores"] == plain["scores"]
    assert set(found["left_out"]) == {"all samples, one request"}
    assert drawn["left_out"] == {}
    assert drawn["variants"]["all samples, one request"]["drawn_live"] > 0
    shares = {name: each["share_of_plain"] for name, each in drawn["variants"].items()}
    assert shares["induction alone"] < shares["stop: doubt .1"] < 1
    with pytest.raises(InputError, match="do not have"):
        spend.opened(record, [], pool, model, remembering)


def test_every_variant_is_a_point_of_the_settings():
    for changes in spend.variants().values():
        assert replace(Settings(), **changes)
    assert len(spend.variants()) > len(spend.ALONE) + len(spend.LEVERS)
