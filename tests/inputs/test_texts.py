import subprocess
import sys

from consilience.inputs.texts import large_texts, mutate_texts

ROW = r"""Given are N heights.

Input

The input is given from Standard Input in the following format:
N K
H_1 H_2 \ldots H_N

Constraints

- 2 \leq N \leq 2 \times 10^5
- 1 \leq K < N
- 0 \leq H_i \leq 9

Sample Input 1

3 1
4 0 9
"""
TREE = r"""Given is a tree.

Input

The input is given from Standard Input in the following format:
N
u_1 v_1
\vdots
u_{N-1} v_{N-1}

Constraints

- 2 \leq N \leq 100
- 1 \leq u_i, v_i \leq N
- The given graph is a tree.
"""
GRID = r"""A maze.

Input

The input is given from Standard Input in the following format:
H W
S_1
\vdots
S_H

Constraints

- 3 \leq H, W \leq 9
- S_i is a string of length W consisting of # , . and X.
"""

CASES = r"""Cut the ropes.

Input

The first line contains a single integer $t$ ($1 \le t \le 100$) — the number of test cases.

The first line of each test case contains two integers $n$ and $k$ ($1 \le k < n \le 50$).

The second line of each test case contains $n$ integers $c_1, c_2, \ldots, c_n$
($0 \le c_i \le 9$) — the lengths.

Output

One number a case.
"""


def rows(texts):
    return [[line.split() for line in text.splitlines()] for text in texts]


def test_counts_and_bounds_are_kept():
    made = mutate_texts(["3 1\n4 0 9\n"], count=40, seed=0, statement=ROW)
    assert len(made) == len(set(made)) == 40
    for (n, k), heights in rows(made):
        assert len(heights) == int(n)
        assert 1 <= int(k) < int(n)
        assert all(0 <= int(height) <= 9 for height in heights)


def test_sentences_tell_the_layout_too():
    made = rows(mutate_texts(["1\n3 2\n1 0 9\n"], count=20, seed=0, statement=CASES))
    assert len(made) == 20
    for (cases,), *lines in made:
        assert len(lines) == 2 * int(cases)
        for (n, k), row in zip(lines[::2], lines[1::2], strict=True):
            assert 1 <= int(k) < int(n) == len(row)
            assert all(0 <= int(each) <= 9 for each in row)


def test_most_texts_are_small():
    made = rows(mutate_texts(["3 1\n4 0 9\n"], count=40, seed=0, statement=ROW))
    assert sum(int(head[0]) <= 8 for head, _ in made) >= 25
    assert any(len(set(heights)) == 1 for _, heights in made)


def test_large_texts_are_as_large_as_is_reasonable():
    made = rows(large_texts(["3 1\n4 0 9\n"], count=4, seed=0, statement=ROW))
    assert len(made) == 4
    assert max(len(heights) for _, heights in made) == 20_000
    assert all(len(heights) == int(head[0]) for head, heights in made)


def test_trees_are_trees():
    for (n,), *edges in rows(mutate_texts(["3\n1 2\n2 3\n"], count=20, seed=1, statement=TREE)):
        group = list(range(int(n) + 1))
        for u, v in edges:
            a, b = group[int(u)], group[int(v)]
            assert a != b
            group = [a if each == b else each for each in group]
        assert len(edges) == int(n) - 1


def test_grids_keep_their_border_and_marks():
    pool = ["3 4\n####\n#X.#\n####\n", "4 4\n####\n#.##\n#.X#\n####\n"]
    for (h, w), *grid in rows(mutate_texts(pool, count=20, seed=1, statement=GRID)):
        lines = [line for (line,) in grid]
        assert len(lines) == int(h)
        assert {len(line) for line in lines} == {int(w)}
        assert set(lines[0] + lines[-1]) == {"#"}
        assert "".join(lines).count("X") == 1


def test_without_a_layout_the_tokens_of_samples_are_varied():
    made = mutate_texts(["2\n10 20\nab\n"], count=10, seed=0)
    assert made
    assert all(text.splitlines()[0] == "2" for text in made)
    assert large_texts(["2\n10 20\nab\n"], count=3, seed=0) == []


def test_a_layout_alone_will_do_and_nothing_comes_of_nothing():
    assert len(mutate_texts([], count=5, seed=0, statement=ROW)) == 5
    assert mutate_texts([], count=5, seed=0) == []


def test_the_hash_seed_changes_nothing():
    code = (
        "from consilience.inputs.texts import mutate_texts;"
        f"print(mutate_texts(['1 1\\nX\\n'], count=9, seed=3, statement={GRID!r}))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
