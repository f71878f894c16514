import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.uncertainty.text import Textual, plain, text_distances

SAME = [
    "x = 1\ny = 2",
    "```python\nx = 1\ny = 2\n```",
    "  x = 1\n  y = 2\n\n",
    "x = 1  \r\ny = 2",
    "\ufeffx = 1\ny = 2",
    "\n```\nx = 1\ny = 2\n```\n",
]


@pytest.mark.parametrize("text", SAME)
def test_fences_indentation_and_line_ends_do_not_count(text):
    assert plain(text) == "x = 1\ny = 2"


def test_a_fence_inside_a_text_stays():
    assert plain("Here:\n```\nx\n```") == "Here:\n```\nx\n```"


@given(st.lists(st.text("ab (\n", max_size=8), min_size=1, max_size=5))
def test_distances_are_symmetric_in_bounds_and_zero_between_equal_texts(texts):
    distances = text_distances([*texts, texts[0]])
    assert (distances == distances.T).all()
    assert (distances >= 0).all()
    assert (distances <= 1).all()
    assert distances[0, -1] == 0


def test_a_short_text_is_at_zero_from_itself():
    assert text_distances(["pass", "pass"])[0, 1] == 0


def test_equal_texts_share_a_class():
    assert Textual().partition(["a", "b", "a\n"]).labels == (0, 1, 0)
    assert Textual(exact=True).partition(["a", "b", "a\n"]).labels == (0, 1, 2)
