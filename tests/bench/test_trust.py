"""Cases, fits, the gate and the cascade, on small made-up observations: no program is run."""

from __future__ import annotations

import random

import pytest

from consilience.bench import gate_confidence, trust
from consilience.bench.observations import Column, Observed, Sample, with_typing
from consilience.bench.trust_cases import cases, cases_of, dealt, examples, usable
from consilience.bench.trust_fit import FIGURES, choose, fitted, picks
from consilience.uncertainty.hashed import HashedEncoder

MODELS = {
    "humaneval": ("ChatGPT", "Gemini", "QwenCoder480b"),
    "mbpp+": ("ChatGPT", "GPT4", "QwenCoder480b"),
}


def observed(dataset: str, number: int) -> Observed:
    """Make a task whose right programs agree and whose wrong ones seldom do."""
    rng = random.Random(f"{dataset}{number}")
    hard = rng.random()
    programs = [f"def f(a):\n    return a + {number * 100 + place}\n" for place in range(12)]
    right = tuple(rng.random() > hard for _ in programs)
    samples = tuple(
        Sample("pool", model, 0.8, place)
        for turn, model in enumerate(MODELS[dataset])
        for place in range(4 * turn, 4 * turn + 4)
    )
    columns = [
        Column(
            "(1,)",
            "example" if place == 0 else "mutation",
            tuple(0 if ok else rng.choice([0, 1, 2, None]) for ok in right),
            (0,),
            expected=0 if place == 0 else None,
        )
        for place in range(8)
    ]
    return Observed(
        dataset, f"{dataset}/{number}", programs_of(programs), right, samples, tuple(columns), 9
    )


def programs_of(programs: list[str]) -> tuple[str, ...]:
    return tuple(programs)


@pytest.fixture(scope="module")
def seen() -> list[Observed]:
    return [observed(dataset, n) for dataset in MODELS for n in range(12)]


@pytest.fixture(scope="module")
def made(seen):
    return cases(seen, HashedEncoder())


def test_a_case_holds_one_source_and_tests_come_from_other_models(seen):
    found = list(cases_of(seen[0], HashedEncoder()))
    bare = [case for case in found if case.voters is None]
    assert {case.source for case in bare} == {"chatgpt", "gemini", "qwen-480b"}
    assert all(case.voters != case.source for case in found)
    tested = [case for case in found if case.voters is not None]
    assert all("tests passed" in row for case in tested for row in case.evidence)
    assert all(case.inputs <= 7 for case in found)


def test_models_are_dealt_in_turn():
    samples = [Sample("s", model, None, n) for n, model in enumerate("aabbc")]
    assert [sample.program for sample in dealt(samples, ("a", "b", "c"))] == [0, 2, 4, 1, 3]


def test_inputs_on_which_most_fail_are_not_used_and_examples_are_counted():
    columns = [
        Column("(1,)", "example", (0, 1), (0,), expected=0),
        Column("(2,)", "mutation", (0, 1), (0,)),
        Column("(3,)", "mutation", (None, None), ()),
    ]
    assert usable(columns, [0, 1], 10) == [columns[1]]
    assert examples(columns, [0, 1]) == [1.0, 0.0]
    assert examples(columns[1:], [0, 1]) == [None, None]


def test_trust_chooses_right_programs_more_often_than_chance(made):
    bare = [case for case in made if case.voters is None]
    model = fitted(bare, FIGURES["behaviour"])
    chosen = picks(model, bare)
    chance = sum(sum(map(bool, case.right)) / len(case.right) for case in bare) / len(bare)
    assert chosen.truth.mean() > chance
    assert choose(model, bare[0]) == choose(model, bare[0])


def test_the_record_measures_transfer_sources_ranking_and_cascade(made):
    record = trust.run(made, resamples=20)
    found = record["transfer"]["behaviour"]
    assert 0.5 < found["trust"]["auc"]["value"] <= 1
    assert found["trust"]["auc"]["low"] <= found["trust"]["auc"]["value"]
    assert "FASE or structure" in found["alone"]
    assert set(record["left out"]["text"]["by source"]) == {
        f"{dataset}/{source}"
        for dataset in MODELS
        for source in ("chatgpt", "qwen-480b", "gemini" if dataset == "humaneval" else "gpt-4")
    } | {"mbpp+/mixed"}
    ranks = record["ranking"]["tests"]
    assert ranks["at random"]["value"] <= ranks["any right one"]["value"]
    for level in record["cascade"].values():
        assert sum(level["stopped"].values()) == pytest.approx(1, abs=1e-3)
    assert set(record["models"]) == {"text", "behaviour", "tests"}


def test_a_higher_level_never_stops_earlier(made):
    found = trust.cascade(made, 10)
    settled = [found[str(level)]["settled"] for level in trust.LEVELS]
    assert settled == sorted(settled, reverse=True)


def test_the_gate_is_measured_by_source_and_number_of_voters(seen):
    record = gate_confidence.run(seen, resamples=20)
    rows = record["by source and voters"]
    assert {row["voters"] for row in rows} >= {3}
    assert all(0 <= row["gated"] <= 1 for row in rows)
    found = record["calibrated"]["humaneval to mbpp+"]
    assert found["calibrated"]["brier"]["value"] <= found["c(x)"]["brier"]["value"] + 0.05
    assert {term["name"] for term in record["model"]["terms"]} <= set(gate_confidence.FIGURES)


def test_a_certificate_needs_enough_tasks():
    assert gate_confidence.binomial_tail(0, 10, 0.1) == pytest.approx(0.9**10)
    assert gate_confidence.binomial_tail(10, 10, 0.1) == pytest.approx(1.0)
    vote = gate_confidence.Vote("d", "s", "t", 5, {"share": 1.0}, True)
    few = gate_confidence.certify(("d/s", 5), [vote])
    assert {row["tau"] for row in few} == {None}
    many = [
        gate_confidence.Vote("d", "s", f"t{n}", 5, {"share": 1.0 if n % 2 else 0.5}, n % 2 == 1)
        for n in range(200)
    ]
    found = gate_confidence.certify(("d/s", 5), many)
    assert {row["tau"] for row in found} == {0.55}
    assert found[0]["saved"] == 0.5


def test_typing_is_imported_where_a_program_counts_on_it():
    needs = "def f(a: List[int]):\n    return a"
    assert with_typing(needs).startswith("from typing import *")
    own = "from typing import List\n" + needs
    assert with_typing(own) == own
    assert with_typing("def f(a):\n    return a") == "def f(a):\n    return a"
