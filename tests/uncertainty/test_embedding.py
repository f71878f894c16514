import numpy as np
import pytest

from consilience.errors import BadReplyError
from consilience.store import Store
from consilience.uncertainty.embedding import embed


class Counting:
    """An encoder that keeps what it was asked."""

    def __init__(self, name=None):
        self.asked = []
        if name:
            self.name = name

    def encode(self, sentences):
        self.asked.append(list(sentences))
        return [[float(len(text)), 1.0] for text in sentences]


def test_each_distinct_text_is_encoded_once():
    encoder = Counting()
    found = embed(["a", "bb", "a"], encoder)
    assert encoder.asked == [["a", "bb"]]
    assert found.rows(["bb", "a", "bb"]).tolist() == [[2, 1], [1, 1], [2, 1]]


def test_what_the_store_holds_is_not_encoded_again(tmp_path):
    with Store(tmp_path / "store") as store:
        embed(["a", "bb"], Counting("one"), store)
        again, other = Counting("one"), Counting("two")
        found = embed(["a", "bb", "ccc"], again, store)
        embed(["a"], other, store)
    assert again.asked == [["ccc"]]
    assert other.asked == [["a"]]
    assert found.rows(["a", "ccc"]).tolist() == [[1, 1], [3, 1]]


def test_an_encoder_without_a_name_stores_nothing(tmp_path):
    with Store(tmp_path / "store") as store:
        embed(["a"], Counting(), store)
        second = Counting()
        embed(["a"], second, store)
    assert second.asked == [["a"]]


def test_nothing_to_encode_asks_nothing():
    encoder = Counting()
    assert embed([], encoder).vectors == {}
    assert encoder.asked == []


@pytest.mark.parametrize("answer", [[[1.0]], [1.0, 2.0], [[1.0], [float("nan")]]])
def test_an_answer_that_is_no_vector_a_text_is_refused(answer):
    class Wrong:
        def encode(self, sentences):
            return np.array(answer)

    with pytest.raises(BadReplyError):
        embed(["a", "b"], Wrong())


def test_texts_beyond_the_context_are_told():
    class Narrow(Counting):
        overflow = "truncate"

        def windows(self, text):
            return len(text)

    found = embed(["a", "bb"], Narrow())
    assert found.overflowing == {"bb"}
    assert found.remedy == "cut"
