"""What a method knows of itself."""

from __future__ import annotations

import pytest

from consilience.formats.shaped import method_task
from consilience.interfaces.registry import interface

STARTER = "class Solution:\n    def peak(self, nums: List[int], k: int = 0) -> int:\n        "


@pytest.mark.parametrize("body", ["", "return max(nums)\n", "pass\n"])
def test_self_is_no_parameter_with_a_body_or_without(body):
    task = method_task("own/peak", "Return the largest.", STARTER + body)
    found = interface(task).signature(task, task.prompt)
    assert found is not None
    assert [(p.name, p.annotation) for p in found.parameters] == [
        ("nums", "List[int]"),
        ("k", "int"),
    ]
