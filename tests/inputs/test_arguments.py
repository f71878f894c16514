from consilience.code import signature
from consilience.inputs.arguments import large_arguments, mutate_arguments

SOURCE = "def f(nums: list[int], k: int, queries: list[list[int]]) -> int: ..."
STATEMENT = """Given an array nums and queries where queries[i] = [l_i, r_i].

Constraints:

2 <= nums.length <= 10^5
1 <= nums[i] <= 50
1 <= k <= nums.length
1 <= queries.length <= 10^5
queries[i].length == 2
0 <= l_i <= r_i < nums.length
"""
POOL = [([3, 1, 2], 2, [[0, 1]]), ([5, 5], 1, [[0, 0], [0, 1]])]


def drawn(pool=POOL, source=SOURCE, statement=STATEMENT, count=40, make=mutate_arguments):
    return make(pool, signature(source, "f"), statement, count=count, seed=0)


def test_all_constraints_are_kept():
    made = drawn()
    assert len(made) == 40
    for nums, k, queries in made:
        assert len(nums) >= 2
        assert all(1 <= number <= 50 for number in nums)
        assert 1 <= k <= len(nums)
        assert queries
        assert all(0 <= left <= right < len(nums) for left, right in queries)


def test_large_arguments_keep_them_too():
    made = drawn(count=3, make=large_arguments)
    assert len(made) == 3
    assert max(len(nums) for nums, _, _ in made) >= 4_000
    for nums, k, queries in made:
        assert 1 <= k <= len(nums)
        assert all(0 <= left <= right < len(nums) for left, right in queries)


def test_two_lists_of_one_length_stay_so():
    said = "Constraints:\n1 <= a.length <= 9\na.length == b.length\n0 <= a[i], b[i] <= 5"
    made = drawn([([1, 2], [3, 4])], "def f(a: list[int], b: list[int]): ...", said)
    assert made
    assert all(len(a) == len(b) for a, b in made)


def test_a_tree_has_one_edge_less_than_nodes():
    said = "A tree with n nodes.\nConstraints:\n2 <= n <= 99\nedges.length == n - 1"
    pool = [(3, [[0, 1], [1, 2]])]
    for n, edges in drawn(pool, "def f(n: int, edges: list[list[int]]): ...", said):
        assert len(edges) == n - 1
        assert {node for edge in edges for node in edge} == set(range(n))


def test_squares_stay_square_with_their_diagonal():
    said = "Constraints:\nn == cost.length == cost[i].length\n1 <= n <= 9\n0 <= cost[i][j] <= 7"
    pool = [([[0, 1], [2, 0]],), ([[0, 1, 3], [5, 0, 6], [1, 1, 0]],)]
    for (cost,) in drawn(pool, "def f(cost: list[list[int]]): ...", said):
        assert all(len(row) == len(cost) for row in cost)
        assert all(cost[i][i] == 0 for i in range(len(cost)))


def test_letters_are_those_of_the_statement():
    said = "Constraints:\n1 <= s.length <= 20\ns consists of lowercase English letters."
    made = drawn([("xy",)], "def f(s: str): ...", said)
    assert {letter for (s,) in made for letter in s} <= set("abcxy")
    assert all(1 <= len(s) <= 20 for (s,) in made)


def test_parity_and_divisors_are_kept():
    said = "Constraints:\n2 <= n <= 60\nn is even.\n1 <= k <= n\nk divides n."
    for n, k in drawn([(4, 2)], "def f(n: int, k: int): ...", said):
        assert n % 2 == 0
        assert n % k == 0


def test_without_bounds_the_examples_are_mutated():
    assert len(drawn([([1],), ([2, 3],)], "def f(a: list[int]): ...", "", 10)) == 10
    assert drawn([([1],)], "def f(a: list[int]): ...", "", 3, large_arguments) == []
