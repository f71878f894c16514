"""Examples in LeetCode's words become calls in the order of the signature, or sessions."""

from __future__ import annotations

import pytest

from consilience.code.leetcode import worded_examples
from consilience.code.leetcode_names import LEETCODE_NAMES
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.task import Example, Session, Target, Wants

STARTER = "class Solution:\n    def f(self, nums: List[int], k: int) -> int:\n        "


def test_arguments_stand_in_the_order_of_the_signature() -> None:
    text = "Example 1:\n\nInput: k = 3, nums = [1,2]\nOutput: 0\nExplanation: none.\n\n"
    text += "Example 2:\n\nInput: nums = [],\nk = 1\nOutput: -1\n\nConstraints:\n\n1 <= k\n"
    found = worded_examples(text + STARTER, "Solution.f")
    assert found == (Example(([1, 2], 3), 0), Example(([], 1), -1))


@pytest.mark.parametrize(
    ("given", "result", "args", "expected"),
    [
        ("nums = [true,null], k = false", "true", ([True, None], False), True),
        ('nums = ["a b","c"], k = "x = 1"', '"yes"', (["a b", "c"], "x = 1"), "yes"),
        ("nums = [1] k = 2", "3.5", ([1], 2), 3.5),
        ("[1,2], 3", "[[1],[2]]", ([1, 2], 3), [[1], [2]]),
        ("a = [1], b = 2", "2, nums = [1,_]", ([1], 2), 2),
    ],
)
def test_values_are_read_as_the_site_writes_them(
    given: str, result: str, args: tuple[object, ...], expected: object
) -> None:
    text = f"**Input:** {given}\n**Output:** {result}\n\n{STARTER}"
    assert worded_examples(text, "Solution.f") == (Example(args, expected),)


@pytest.mark.parametrize(
    "text",
    [
        "Input: nums = [1]\nOutput: 2\n",
        "Input: nums = [1, k = 2\nOutput: 2\n",
        "Input: nums = open('x'), k = 2\nOutput: 2\n",
        "Input: nums = [1], k = 2\nOutput: a picture\n",
        "Input is a list.\n",
    ],
)
def test_what_does_not_fit_is_no_example(text: str) -> None:
    assert worded_examples(f"{text}\n{STARTER}", "Solution.f") == ()


def test_operations_become_the_life_of_one_object() -> None:
    text = 'Input\n["Box","put","get"]\n[[2],[1],[]]\nOutput\n[null,null,"x"]\n\nExplanation\nx'
    found = worded_examples(text, "Box")
    steps = ("obj = Box(2)", "obj.put(1)", "obj.get()")
    assert found == (Example(Session(steps), Wants(("", "", "'x'"))),)


def test_nodes_are_built_in_a_session() -> None:
    text = "Input: head = [1,2]\nOutput: [2,1]\n\nclass Solution:\n"
    text += "    def f(self, head: Optional[ListNode]) -> Optional[ListNode]:\n"
    wants = Wants(("linked([2, 1])",))
    session = Session(("Solution().f(linked([1, 2]))",))
    assert worded_examples(text, "Solution.f") == (Example(session, wants),)


def test_what_is_changed_in_place_is_looked_at_afterwards() -> None:
    text = "Input: nums = [1,2], k = 1\nOutput: [2,1]\n\n" + STARTER.replace("int:", "None:")
    steps = ("nums = [1, 2]", "k = 1", "Solution().f(nums, k)", "nums")
    found = worded_examples(text, "Solution.f")
    assert found == (Example(Session(steps), Wants(("", "", "", "[2, 1]"))),)


def test_the_names_of_the_site_are_there_and_build_nodes() -> None:
    program = "class Solution:\n    def f(self, head: Optional[ListNode]) -> List[int]:\n"
    program += "        return [head.val, head.next.val, inf > 1, pow(2, 3, 5)]\n"
    steps = (
        "Solution().f(linked([1, 2]))",
        "repr(linked([1, 2]))",
        "repr(tree([1, None, 2, 3]))",
        "linked([]) is tree([])",
    )
    target = Target("Solution.f", LEETCODE_NAMES)
    with ForkServer(workers=1) as server:
        [[outcome]] = server.run([program], target, [Session(steps)], Limits())
    assert outcome.value is not None
    seen = [step.python() for step in outcome.value.steps]
    assert seen == [[1, 2, True, 3], "linked([1, 2])", "tree([1, None, 2, 3])", True]
