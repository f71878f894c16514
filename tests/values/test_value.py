"""What a value tells of itself by its text."""

from __future__ import annotations

import pytest

from consilience.values import Value, equal


@pytest.mark.parametrize("key", ["x", "F", "g", "o", "W", "!", "S"])
def test_a_dict_with_a_key_like_a_tag_is_plain_data(key: str) -> None:
    value = Value.of({key: 1})
    assert not value.opaque
    assert value.comparable
    assert not value.in_words
    assert equal(value, Value.of({key: 1.0}))
