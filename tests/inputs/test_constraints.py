import pytest

from consilience.inputs.constraints import constraints
from consilience.inputs.formulas import evaluate


@pytest.mark.parametrize(
    ("said", "name", "low", "high"),
    [
        ("1 <= nums.length <= 50", "|nums|", 1, 50),
        ("1 <= nums[i] <= 10^4", "nums", 1, 10_000),
        (r"1\leq N \leq 2\times 10^5", "N", 1, 200_000),
        ("1 ≤ a_i ≤ 10^9", "a", 1, 10**9),
        (r"$0 \leq k < n \leq 10^5$", "n", 1, 100_000),
        (r"($1 \leq n \leq 150\,000$)", "n", 1, 150_000),
        ("0 <= x < 2^31", "x", 0, 2**31 - 1),
        ("1 <= k <= min(10, 3)", "k", 1, 3),
        (r"1 \leq |S| \leq 100", "|S|", 1, 100),
        ("2 <= rows[i].length <= 4", "|rows0|", 2, 4),
        ("0 <= links[i][0], links[i][1] < 9", "linksColumn1", 0, 8),
        ("N is an integer between 3 and 5, inclusive.", "N", 3, 5),
        ("T is a string of length between 2 and 30, inclusive.", "|T|", 2, 30),
        ("P and Q are strings of length 4.", "|Q|", 4, 4),
        (r"1 \leq a_k \leq 7, 2 \leq b_k \leq 9", "b", 2, 9),
    ],
)
def test_bounds_are_read_in_every_spelling(said, name, low, high):
    found = constraints(said)
    assert (found.low(name, {}), found.high(name, {})) == (low, high)


def test_a_bound_may_rest_on_other_names():
    found = constraints("1 <= k <= nums.length\n0 <= q[i] < n * (n - 1) / 2")
    assert found.high("k", {"|nums|": 4}) == 4
    assert found.high("q", {"n": 5}) == 9
    assert found.high("k", {}) is None


def test_a_number_beside_a_size_is_brought_over():
    found = constraints("edges.length == n - 1")
    assert found.high("|edges|", {"n": 5}) == 4
    assert found.low("n", {"|edges|": 4}) == 5


def test_what_equals_a_known_size_is_known():
    assert ("n", 3) in constraints("n == nums.length").equal({"|nums|": 3})


def test_relations_between_drawn_numbers_hold_or_not():
    found = constraints(r"A_i < B_i" + "\n" + r"T + A \leq N" + "\nk divides |w|")
    assert found.hold({"A": 1, "B": 2, "T": 3, "N": 4})
    assert not found.hold({"A": 2, "B": 2})
    assert not found.hold({"A": 2, "T": 3, "N": 4})
    assert not found.hold({"k": 2, "|w|": 3})


def test_only_the_section_of_constraints_counts():
    text = "Stop when x == 3.\n\nConstraints:\n\n1 <= x <= 9\n\nExample 1:\nInput: x <= 1"
    assert constraints(text).high("x", {}) == 9
    assert constraints(text).low("x", {}) == 1


def test_what_holds_for_some_item_only_bounds_none():
    text = "0 <= nums[i] <= 9\nThere is at least one i such that nums[i] == 0."
    assert constraints(text).high("nums", {}) == 9


def test_parity_neighbours_and_lists_of_words_are_read():
    found = constraints("N is odd.\nnums.length % 2 == 0\nA_i \\neq A_{i+1}\nC is B or W.")
    assert found.parity == {"N": 1, "|nums|": 0}
    assert found.uneven == {"A"}
    assert found.words["C"] == ("B", "W")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2N", 8),
        ("N(N-1)/2", 6),
        ("10^{2}", 100),
        ("NM", 12),
        ("max(N,M)", 4),
        ("N^M^9^9", None),
    ],
)
def test_small_expressions_are_computed(expression, value):
    assert evaluate(expression, {"N": 4, "M": 3}) == value


def test_what_is_no_small_expression_is_none():
    assert evaluate("__import__('os')", {}) is None
    assert evaluate("N", {}) is None
