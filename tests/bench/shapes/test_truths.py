"""Truth is read where it is stated, else measured once and kept."""

from __future__ import annotations

import pytest
from shape_files import CLASS, TASKS, replies, stated, write

from consilience.bench.shapes.truths import truths
from consilience.errors import InputError
from consilience.formats import load_candidates, load_tasks
from consilience.sandbox.pool import ForkServer


@pytest.fixture(scope="module")
def server():
    with ForkServer(workers=1) as found:
        yield found


def read(folder, tasks, samples):
    paths = write(folder, tasks, samples)
    loaded = load_tasks(paths[0])
    return loaded, load_candidates(paths[1], loaded), paths[1]


def test_stated_truth_is_taken_in_the_order_of_the_file(tmp_path, server):
    given = read(tmp_path, TASKS, stated())
    found = truths(*given, tmp_path / "kept.jsonl", server)
    assert found == {
        "own/pairs": (True, True, False, False),
        "own/peak": (True, False, True),
        "own/double": (True, True, False),
    }
    assert not (tmp_path / "kept.jsonl").exists()


def test_a_task_with_a_truth_for_some_candidates_alone_is_left_out(tmp_path, server):
    samples = stated()
    del samples[0]["right"]
    given = read(tmp_path, TASKS, samples)
    assert set(truths(*given, tmp_path / "kept.jsonl", server)) == {"own/peak", "own/double"}


def test_measured_truth_is_kept_by_program_and_not_measured_again(tmp_path, server):
    kept = tmp_path / "kept.jsonl"
    given = read(tmp_path, [CLASS], replies())
    found = truths(*given, kept, server)
    assert found == {"own/till": (True, False, False, True)}
    assert len(kept.read_text().splitlines()) == 4  # the reference, and three distinct replies
    torn = kept.read_text()
    kept.write_text(torn.replace('"right": false', '"right": true') + '{"task_id": "own')
    assert truths(*given, kept, server) == {"own/till": (True, True, True, True)}


def test_a_task_whose_reference_fails_has_no_truth_and_says_why(tmp_path, server):
    told = {}
    missing = {**CLASS, "prompt": "import no_such_package\n" + CLASS["prompt"]}
    given = read(tmp_path, [missing], replies())
    found = truths(*given, tmp_path / "k.jsonl", server, left_out=told.__setitem__)
    assert found == {}
    assert "ModuleNotFoundError" in told["own/till"]


def test_samples_without_any_truth_are_refused(tmp_path, server):
    samples = [{k: v for k, v in row.items() if k != "right"} for row in stated()]
    given = read(tmp_path, TASKS, samples)
    with pytest.raises(InputError, match="does not say which samples are right"):
        truths(*given, tmp_path / "kept.jsonl", server)
