import numpy as np
import pytest

from consilience.errors import InputError, UsageError
from consilience.store import Store
from consilience.uncertainty import Partition
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.registry import MEASURES, SCORES, Setting, score
from consilience.uncertainty.semantic import semantic_entropies, semantic_entropy

ADD, PLUS, TIMES = (
    "def f(a, b):\n    return a + b",
    "def g(x, y):\n    '''Add.'''\n    return x + y",
    "def f(a, b):\n    return a * b",
)
SAMPLES = [ADD, PLUS, TIMES, "def f(:"]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("samples", [[ADD], [ADD, ADD], SAMPLES, [""], ["def f(:"]])
def test_every_measure_of_the_registry_takes_any_samples(name, samples):
    found = semantic_entropy(samples, measure=name, encoder=HashedEncoder())
    assert found.measure == name
    assert 0 <= found.normalised <= 1
    assert len(found.labels) == len(found.shares) == len(samples)
    assert sorted(i for each in found.classes for i in each.members) == [*range(len(samples))]
    assert all(each.representative in each.members for each in found.classes)


def test_the_default_says_classes_bridge_and_what_cannot_be_parsed():
    found = semantic_entropy(SAMPLES, encoder=HashedEncoder())
    assert found.labels == (0, 0, 1, 2)
    assert found.shares == (0.5, 0.5, 0.25, 0.25)
    assert found.unparsable == (3,)
    assert found.bridge is not None
    assert {found.bridge.first, found.bridge.second} == {0, 2}
    assert "-    return a + b" in found.bridge.diff
    assert found.bits == pytest.approx(1.5)


def test_many_tasks_equal_one_by_one_and_vectors_are_stored(tmp_path):
    tasks = [SAMPLES, [ADD], [TIMES, ADD]]
    with Store(tmp_path / "store") as store:
        together = semantic_entropies(tasks, encoder=HashedEncoder(), store=store)
        (holding,) = store.info()
    one_by_one = [semantic_entropy(task, encoder=HashedEncoder()) for task in tasks]
    assert together == one_by_one
    assert (holding.kind, holding.count) == ("embedding", 2)


def test_any_object_that_encodes_serves():
    class Lengths:
        def encode(self, sentences):
            return [[1.0, len(text)] for text in sentences]

    assert semantic_entropy(SAMPLES, encoder=Lengths()).labels[:2] == (0, 0)


def test_any_object_that_partitions_is_a_measure():
    class Alone:
        name = "alone"

        def partition(self, samples):
            return Partition("alone", tuple(range(len(samples))))

    assert semantic_entropy([ADD, ADD], measure=Alone()).normalised == 1.0


def test_measures_that_need_no_encoder_ask_for_none(monkeypatch, tmp_path):
    monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path))
    assert not semantic_entropy([ADD, PLUS], measure="structural").notes


def test_without_weights_the_hashed_encoder_serves_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path))
    found = semantic_entropy([ADD, TIMES])
    assert any("all-minilm-l6-v2" in note for note in found.notes)


def test_no_samples_is_an_error_not_a_number():
    with pytest.raises(InputError):
        semantic_entropy([])
    with pytest.raises(InputError):
        semantic_entropies([[ADD], []])


def test_an_unknown_measure_names_the_known_ones():
    with pytest.raises(UsageError) as caught:
        semantic_entropy([ADD], measure="fuse")
    assert "fase" in caught.value.hint


def test_the_same_samples_give_the_same_result_in_any_process():
    first = semantic_entropy(SAMPLES, encoder=HashedEncoder())
    assert first == semantic_entropy(list(SAMPLES), encoder=HashedEncoder())
    assert np.isfinite(first.radius)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("samples", [[ADD, ADD], SAMPLES, ["", "def f(:"]])
def test_every_score_of_the_registry_takes_any_samples(name, samples):
    found = score(name, Setting(HashedEncoder())).confidence(samples)
    assert found.measure == name
    assert 0 <= found.value <= 1
    assert len(found.samples) == len(samples)


def test_an_unknown_score_names_the_known_ones():
    with pytest.raises(UsageError) as caught:
        score("nearness", Setting())
    assert "closeness" in caught.value.hint
