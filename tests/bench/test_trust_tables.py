"""Records become tables and figures; another record is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.bench import cascade, gate_confidence, trust, trust_tables
from consilience.cli import main
from consilience.errors import InputError

SPAN = {"value": 0.8, "low": 0.7, "high": 0.9}
MEAN = {"mean": 0.8, "low": 0.7, "high": 0.9}
MEASURED = {
    **dict.fromkeys(("auc", "ece", "brier", "aurc"), SPAN),
    "risk": {"0.5": SPAN},
    "curve": [[0.5, 0.1], [1.0, 0.3]],
}
ALONE = {**MEASURED, "auc of trust minus this": {"low": 0.01, "high": None}}
SOURCE = {"tasks": 3, "candidates": 30, "right": 12, "unjudged": 0}
TERM = {"name": "agreement", "mean": 0.5, "scale": 0.2, "weight": 0.9, "missing": -0.1}
TRUST = {
    "schema": trust.SCHEMA,
    "data": {"sources": {"humaneval/chatgpt": SOURCE}},
    "transfer": {
        "behaviour": {
            "cases": 5,
            "tasks": 3,
            "right": SPAN,
            "trust": MEASURED,
            "every candidate": MEASURED,
            "alone": {"behaviour classes": ALONE},
            "bins": [{"count": 4, "mean": 0.8, "right": 0.75}],
        }
    },
    "left out": {
        "behaviour": {
            "all": MEASURED,
            "by source": {"humaneval/chatgpt": {"cases": 3, "auc": None, "ece": 0.1}},
        }
    },
    "ranking": {"behaviour": {"trust": SPAN}},
    "cascade": {
        "0.9": {
            "stopped": {"text": 0.1, "behaviour": 0.5, "tests": 0.4},
            "settled": 0.7,
            "right where settled": None,
            "right": SPAN,
            "right minus all stages": SPAN,
        }
    },
    "models": {"behaviour": {"intercept": 0.3, "terms": [TERM]}},
}
GATE = {
    "schema": gate_confidence.SCHEMA,
    "by source and voters": [
        {
            "source": "s", "voters": 3, "tasks": 2, "inputs": 9, "gated": 0.3, "right": 0.8,
            "right where kept": 0.9, "right where gated": None, "ece of c": 0.1,
        }
    ],
    "calibrated": {
        "a to b": {
            "votes": 9,
            **dict.fromkeys(
                ("c(x)", "calibrated"),
                dict.fromkeys(("area", "calibration_error", "brier"), SPAN),
            ),
        }
    },
    "tau": [
        {
            "source": "s", "voters": 3, "risk": 0.1,
            "tau": None, "saved": 0.0, "saved at .8": 0.7,
        },
        {
            "source": "s", "voters": 3, "risk": 0.2,
            "tau": 0.65, "saved": 0.94, "saved at .8": 0.7,
        },
    ],
}  # fmt: skip
LEVEL = {
    "settled early": MEAN, "tokens saved": 0.4, "seconds saved": None, "top1": MEAN,
    "top1 minus cott": MEAN, "right where settled": 0.9, "settled": 4,
}  # fmt: skip
CHOICES = {name: {"top1": MEAN, "minus tests": MEAN} for name in cascade.CHOICES}
CASCADE = {
    "schema": cascade.SCHEMA,
    "dataset": "MbppPlus",
    "choices": CHOICES,
    "summary": {
        "gpt-4": {
            "tasks": 5,
            "with a right candidate": 4,
            "cott": {"top1": MEAN},
            "choices": CHOICES,
            **{str(level): LEVEL for level in cascade.LEVELS},
        }
    },
}


def test_every_record_has_its_tables():
    found = {
        **trust_tables.tables(TRUST),
        **trust_tables.tables(GATE),
        **trust_tables.tables(CASCADE),
    }
    assert "| behaviour | 5 choices, 3 tasks | 0.800 [0.700, 0.900] |" in found["transfer"]
    assert "+0.90 (unknown: -0.10)" in found["coefficients"]
    assert "AUC undefined, ECE 0.100 (n=3)" in found["left-out"]
    assert "none" in found["tau"]
    assert "80 [70, 90]" in found["cascade-mbppplus"]
    assert "| all sources | 80 [70, 90] |" in found["choices-mbppplus"]


def test_reliability_and_risk_are_drawn():
    drawn = trust_tables.figures(TRUST)
    assert set(drawn) == {"trust-reliability.svg", "trust-risk-coverage.svg"}
    assert all(svg.lstrip().startswith("<svg") for svg in drawn.values())
    assert trust_tables.figures(GATE) == {}


def test_another_record_is_refused():
    with pytest.raises(InputError, match="no tables"):
        trust_tables.tables({"schema": "other"})


def test_the_tables_are_put_into_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    records = []
    for name, each in (("trust", TRUST), ("gate", GATE)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(each))
        records.append(str(path))
    document = tmp_path / "doc.md"
    document.write_text("<!-- table tau -->\n<!-- end -->\n")
    pictures = tmp_path / "pictures"
    words = ["bench", "trust-tables", *records, "--into", str(document)]
    assert main([*words, "--pictures", str(pictures)]) == 0
    assert "| s | 3 | none | 0.65 keeps 94 % | 70 % |" in document.read_text()
    assert (pictures / "trust-reliability.svg").exists()
    assert main(["bench", "trust-tables", *records]) == 0
    assert "left-out" in capsys.readouterr().out
