"""Sets are read with their grades; distances, settings and scores come out as by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from consilience.bench.fase import figures, tables
from consilience.bench.fase.cost import costs
from consilience.bench.fase.distances import geometry, summary
from consilience.bench.fase.experiment import asked_set, measure_set
from consilience.bench.fase.nested import difference, judged, nested, repetitions
from consilience.bench.fase.sets import LIVE, SOURCES, SampleSet, read_sets, write_rows
from consilience.bench.pools import PoolTask
from consilience.errors import InputError
from consilience.uncertainty.embedding import Embedded, embed
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.text import plain

LIVE_CODER = next(source for source in SOURCES if source.file == LIVE["coder"])


def program(body: str) -> str:
    return f"def f(x):\n    return {body}\n"


def rows(task_id: str, bodies: list[str]) -> list[dict[str, str]]:
    return [{"task_id": task_id, "solution": program(body)} for body in bodies]


def tasks(count: int) -> tuple[PoolTask, ...]:
    """Make tasks whose samples agree the more, the more of them are right."""
    made = []
    for n in range(count):
        right = n % 11
        texts = [program("x + 1")] * right + [
            program(f"x * {k} - {n}") for k in range(10 - right)
        ]
        made.append(PoolTask(f"t/{n}", tuple(texts), (True,) * right + (False,) * (10 - right)))
    return tuple(made)


def test_a_set_has_a_verdict_a_sample_and_leaves_out_small_tasks(tmp_path: Path):
    given = rows("t/1", [f"x + {k}" for k in range(10)]) + rows("t/2", ["x"])
    write_rows(tmp_path / LIVE["coder"], given)
    grades = {LIVE["coder"]: {"t/1": "pppbbfffff", "t/2": "p"}}
    (found,) = read_sets([tmp_path / "none", tmp_path], grades)
    assert [task.pass_at_1 for task in found.tasks] == [0.3]
    assert found.left_out == 1
    (ungraded,) = read_sets([tmp_path], {})
    assert (ungraded.tasks, ungraded.left_out) == ((), 2)
    with pytest.raises(InputError, match="10 samples and 1 grades"):
        list(read_sets([tmp_path], {LIVE["coder"]: {"t/1": "p"}}))


def test_the_same_rows_have_the_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        write_rows(tmp_path / name, rows("t/1", ["x"]))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_ratios_are_over_the_mean_of_the_task():
    task = PoolTask("t", ("a", "b", "c"), (True, True, False))
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    found = Embedded(dict(zip("abc", vectors, strict=True)), frozenset())
    measured = geometry(task, found)
    assert measured is not None
    # Distances .2 (right, right), .4 and 1 (right, wrong): mean .5333; the tree is .2 and .4.
    assert measured.distances == pytest.approx((0.375, None, 1.3125), nan_ok=True)
    assert measured.edges == pytest.approx((2 / 3, None, 4 / 3), nan_ok=True)
    assert measured.ratio == pytest.approx(0.5625)


def test_equal_samples_have_no_ratio_and_are_one_distinct_program():
    task = PoolTask("t", ("a", "a"), (True, True))
    found = Embedded({"a": np.array([1, 0], dtype=np.float32)}, frozenset())
    measured = geometry(task, found)
    assert measured is not None
    assert measured.ratio is None
    assert geometry(task, found, distinct=True) is None


def test_the_classes_of_pass_at_1_are_told_apart():
    given = tasks(22)
    found = embed((plain(text) for task in given for text in task.samples), HashedEncoder())
    told = summary(given, found, distinct=False)
    assert told["tasks"] == 22
    assert told["tasks_between"] == 18
    assert told["tree_to_distance"]["pass@1 = 1"]["tasks"] == 0  # all equal: no ratio
    assert told["ratio_tells_right"]["value"] is None


def test_a_setting_is_chosen_without_the_tasks_it_scores():
    rng = np.random.default_rng(0)
    truth = rng.random(60)
    table = np.stack([rng.random(60), truth + 0.1 * rng.random(60)], axis=1)
    found = nested(table, truth)
    assert found.columns == (1,) * 10
    told = judged(table, (0.1, 0.5), truth)
    assert told["rho_setting"] == 0.5
    assert told["held_out"]["settings"]["median"] == 0.5
    assert told["held_out"]["rho"]["spread"] == 0
    assert [point[0] for point in told["curve"]] == [0.1, 0.5]


def test_a_difference_has_an_interval_and_may_be_undefined():
    rng = np.random.default_rng(0)
    truth = rng.random(60)
    found = difference([truth], [rng.random(60)], truth)
    assert found["low"] > 0
    assert difference([np.ones(60)], [truth], truth)["value"] is None
    (only,) = repetitions(truth[:, None], truth)
    assert only.tolist() == truth.tolist()


@pytest.fixture(scope="module")
def record() -> dict:
    given = SampleSet(LIVE_CODER, "by hand", tasks(22), 0)
    encoders = {"minilm": HashedEncoder()}
    price = {
        "seconds": 1.0,
        "server_cpu_seconds": None,
        "prompt_tokens": 90,
        "completion_tokens": 10,
    }
    answered = [
        {
            "task_id": task.id,
            "samples": list(range(8)),
            "entailment": {"labels": [0] * 8, "calls": 14} | price,
            "p_true": {"sampled": [1.0] * 8, "probability": [0.5] * 8, "calls": 8} | price,
            "vote": {"majority": [1.0] * 8, "calls": 24} | price,
        }
        for task in given.tasks[:16]
    ]
    measured = measure_set(given, encoders)
    return {
        "sets": {
            "live coder x10": measured,
            "live analyst x10": measured | {"workflow": "analyst"},
        },
        "asked": asked_set(given, answered, encoders),
        "cost": {"parts": costs([task.samples for task in given.tasks[:2]], HashedEncoder())},
    }


def test_agreement_is_found_to_go_with_correctness(record: dict):
    found = record["sets"]["live coder x10"]
    assert found["pass_at_1"]["pass@1 = 1"] == 2
    assert found["measures"]["textual"]["rho"]["value"] > 0.9
    assert "authors scaled-mst-mode/minilm minus fixed/minilm" in found["comparisons"]


def test_every_table_and_figure_is_made(record: dict):
    written = tables.tables(record)
    assert {"sets", "distances", "edges", "tree", "rho", "auc", "alpha", "asked"} <= set(
        written
    )
    assert "| textual |" in written["rho"]
    assert "not measured" in written["asked"]
    drawn = figures.figures(record)
    assert sorted(drawn) == [
        "fase-cost.svg",
        *(f"fase-figure{n}.svg" for n in (3, 4, 5, 6, 7)),
    ]


def test_a_document_gets_its_tables_and_may_not_ask_for_others(record: dict):
    written = tables.tables(record)
    document = "a\n<!-- table rho -->\nold\n<!-- end -->\nb\n"
    filled = tables.fill(document, written)
    assert written["rho"] in filled
    assert "old" not in filled
    assert tables.fill(filled, written) == filled
    with pytest.raises(InputError, match="'none'"):
        tables.fill("<!-- table none --><!-- end -->", written)
