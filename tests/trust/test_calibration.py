"""Coefficients are data: what is shipped reads back, and anything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import InputError, UsageError
from consilience.trust import STAGES
from consilience.trust.calibration import Calibration, load, read, shipped
from consilience.trust.evidence import BEHAVIOUR, TESTS, TEXT
from consilience.trust.logistic import Logistic, Term

OWN = Calibration("mine", {"text": Logistic(0.0, (Term("same text", 0.5, 0.5, 1.0),))})


def test_what_is_shipped_serves_every_stage_and_names_its_record():
    found = shipped()
    assert set(found.models) == set(STAGES)
    assert found.record.startswith("bench/records/")
    known = {**TEXT, **BEHAVIOUR, **TESTS}
    for model in found.models.values():
        assert {term.name for term in model.terms} <= set(known)
        assert all(term.weight * known[term.name] >= 0 for term in model.terms)


def test_a_calibration_reads_back_as_it_was(tmp_path: Path):
    path = tmp_path / "mine.json"
    path.write_text(OWN.text())
    assert load(path) == OWN
    assert load(path).text() == OWN.text()


def test_the_likeliest_lead_and_equals_share_the_lead():
    trust = OWN.assess([{"same text": 1.0}, {"same text": 0.0}, {"same text": 1.0}], "text")
    assert trust.leaders == (0, 2)
    assert trust.best is None
    assert trust.value == trust.probabilities[0] > 0.5 > trust.probabilities[1]
    assert trust.contributions[0].name == "same text"


def test_without_candidates_nothing_is_claimed():
    trust = OWN.assess([], "text")
    assert trust.value is None
    assert trust.best is None


def test_a_stage_without_coefficients_is_refused():
    with pytest.raises(UsageError, match="tests"):
        OWN.assess([{}], "tests")


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"schema": "other"}', '{"schema": "consilience.trust/1", "models": 3}'],
)
def test_anything_else_is_refused_with_a_hint(text: str):
    with pytest.raises(InputError) as caught:
        read(text, "x.json")
    assert "calibrate" in caught.value.hint


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path / "none.json")
