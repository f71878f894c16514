"""What a script is to read and to print is found in statements as their sites write them."""

from __future__ import annotations

import pytest

from consilience.code.printed_samples import printed_samples
from consilience.task import Stdin

STATEMENT = "Add two numbers.\n\nInput\n\nTwo numbers.\n\nOutput\n\nTheir sum.\n\n"


def pairs(text: str) -> list[tuple[str, str]]:
    found = []
    for example in printed_samples(text):
        assert isinstance(example.probe, Stdin)
        found.append((example.probe.text, example.expected.printed_text))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "Sample Input 1\n\n3\r\n4 5\n\nSample Output 1\n\n9\r\n\nBecause 4 and 5 are 9.",
        "The sum.Sample Input 1:\n3\n4 5\n\nSample Output 1:\n\n9\n\n\nNote\n\nThat is all.",
        "Examples\n\nInput\n\n3\n4 5\n\nOutput\n\n9\n\nNote\n\nNo more.",
        "Example\ninputCopy\n3\n4 5\noutputCopy\n9\nNote\nNo more.",
        "### Example Input\n\n```\n3\n4 5\n```\n\n### Example Output\n\n```text\n9\n```\n",
        "Input:\n```\n3\n4 5\n```\nOutput:\n```\n9\n```\n",
        "**Example 1:**\n\n**Input:**\n\n    3\n    4 5\n\n**Output:**\n\n    9\n",
        "Sample Input\n<pre>3\n4 5</pre>\nSample Output\n<pre>9</pre>\n",
    ],
)
def test_a_sample_is_read_however_a_site_writes_it(text: str) -> None:
    assert pairs(STATEMENT + text) == [("3\n4 5\n", "9\n")]


def test_each_sample_is_read_and_explanations_are_not() -> None:
    text = "Sample Input 1\n\n1 2\n\nSample Output 1\n\n3\n\nIt is 3.\n\n"
    text += "Sample Input 2\n\n5 5\n\nSample Output 2\n\n10"
    assert pairs(STATEMENT + text) == [("1 2\n", "3\n"), ("5 5\n", "10\n")]


@pytest.mark.parametrize(
    "text",
    [
        STATEMENT,
        "Input: two numbers\nOutput: their sum",
        "This is an interactive problem.\nSample Input 1\n\n1\n\nSample Output 1\n\n2",
        "Sample Output 1\n\n2",
        "",
    ],
)
def test_a_description_of_the_format_is_no_sample(text: str) -> None:
    assert pairs(text) == []


def test_blank_lines_between_lines_of_a_copied_page_are_left_out() -> None:
    spread = "Sample Input 1:\n2\n\n1 2\n\n3 4\n\n\n\nSample Output 1:\n\n3\n7\n"
    assert pairs(spread) == [("2\n1 2\n3 4\n", "3\n7\n")]
    numbered = "Sample Input 1\n\n2\n\n1\n5\n\n1\n6\n\nSample Output 1\n\n5\n6"
    assert pairs(numbered) == [("2\n1\n5\n1\n6\n", "5\n6\n")]


@pytest.mark.parametrize("before", ["Cases are divided by a blank line.\n", ""])
def test_blank_lines_that_belong_to_the_input_stay(before: str) -> None:
    text = "Sample Input 1\n\n2\n\n1 2\n3 4\n\n5 6\n\n7\n\nSample Output 1\n\n3"
    assert pairs(before + text) == [("2\n\n1 2\n3 4\n\n5 6\n\n7\n", "3\n")]


def test_an_answer_without_text_is_told_from_its_explanation() -> None:
    text = "Sample Input 1\n\naab\n\nSample Output 1\n\nb\n\nThe pair goes.\n\n"
    text += "Sample Input 2\n\naa\n\nSample Output 2\n\n\n\nNothing is left."
    assert pairs(text) == [("aab\n", "b\n"), ("aa\n", "")]


def test_an_answer_in_any_case_is_held_as_programs_are_seen() -> None:
    text = "Print YES or NO, in any case.\nSample Input 1\n\n4\n\nSample Output 1\n\nYES"
    assert pairs(text) == [("4\n", "yes\n")]
