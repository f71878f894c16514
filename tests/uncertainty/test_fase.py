import math
import random

import numpy as np
import pytest
from cases.support import shared
from hypothesis import given
from hypothesis import strategies as st

from consilience.bench import published_fase
from consilience.bench.pools import pools
from consilience.uncertainty import Edge
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.fase import Fase, partition_of, sweep, trees
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.radius import ALPHAS, RULES, VARIANTS, Rule, rule
from consilience.uncertainty.space import items, space_of_distances, space_of_vectors

GROUPS = ([10], [9, 1], [5, 5], [4, 3, 3], [6, 1, 1, 1, 1], [2] * 5, [1] * 10)
"""By true entropy, ascending: the duplicate table of the research notes, and its two ends."""


def grouped(sizes, between=0.05):
    """Distances of groups of identical samples."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return np.where(np.equal.outer(group, group), 0.0, between)


def entropy(distances, chosen, alpha):
    return float(sweep([space_of_distances(distances, chosen)], chosen, [alpha])[0, 0])


def true_entropy(sizes):
    return sum(size / 10 * math.log2(10 / size) for size in sizes) / math.log2(10)


@pytest.mark.parametrize("alpha", [round(0.5 + 0.1 * step, 1) for step in range(16)])
def test_duplicates_are_ordered_as_their_true_entropies_for_every_alpha(alpha):
    found = [entropy(grouped(sizes), RULES["consilience"], alpha) for sizes in GROUPS]
    assert found == pytest.approx([true_entropy(sizes) for sizes in GROUPS])
    assert found == sorted(found)
    assert len(set(found)) == len(GROUPS)


def test_the_published_rule_turns_that_order_around():
    """Reproduced on purpose: 9 + 1 comes out as wholly uncertain, 4 + 3 + 3 as certain."""
    assert entropy(grouped([9, 1]), RULES["authors"], 1.0) == pytest.approx(1.0)
    assert entropy(grouped([4, 3, 3]), RULES["authors"], 1.0) == 0.0


matrices = st.integers(2, 12).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0, 2.1]), min_size=2, max_size=2),
        min_size=n,
        max_size=n,
    )
)


@given(matrices, st.sampled_from(ALPHAS))
def test_the_authors_rule_is_the_published_procedure_on_any_points(points, alpha):
    points = np.array(points)
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1) / 4
    space = space_of_distances(distances, RULES["authors"])
    expected = published_fase.entropy(space.distances, alpha) / math.log2(len(points))
    assert sweep([space], RULES["authors"], [alpha])[0, 0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("count", [2, 3, 10, 60])
def test_the_authors_rule_is_the_published_procedure_from_vectors(count):
    rng = np.random.default_rng(count)
    for _ in range(5):
        vectors = rng.normal(size=(count, 16)).astype(np.float32) + 2
        vectors[count // 2 :] = vectors[rng.integers(count, size=count - count // 2)]
        distances = published_fase.distance_matrix(vectors)
        space = space_of_vectors(vectors, RULES["authors"])
        np.testing.assert_allclose(space.distances, distances, atol=2.1e-6)
        expected = [published_fase.entropy(space.distances, alpha) for alpha in ALPHAS]
        found = sweep([space], RULES["authors"], ALPHAS)[0] * math.log2(count)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_authors_rule_is_the_published_procedure_on_the_open_pools():
    """A tenth of the tasks here; `bench entropy` does all of them."""
    encoder, chosen = HashedEncoder(), RULES["authors"]
    for pool in pools(shared("data")):
        for task in pool.tasks[::40]:
            space = space_of_vectors(encoder.encode(list(task.samples)), chosen)
            expected = [published_fase.entropy(space.distances, alpha) for alpha in ALPHAS[::3]]
            found = sweep([space], chosen, ALPHAS[::3])[0] * math.log2(len(task.samples))
            np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("name", ["consilience", "paper"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "samples", [["x = 1"], ["x = 1"] * 2, ["x = 1"] * 10, [""], ["", "  "], ["def f(:"] * 3]
)
def test_unanimous_samples_are_certain_by_every_rule(name, variant, samples):
    found = Fase(HashedEncoder(), rule(name, variant)).partition(samples)
    assert set(found.labels) == {0}


SOURCES = [
    "def f(x):\n    return x + 1",
    "def g(y):\n    return y + 1",
    "def f(x):\n    return x * 2",
    "def f(:",
    "",
    "print('a')",
    "```python\nprint('a')\n```",
]


@given(
    st.lists(st.sampled_from(SOURCES), min_size=1, max_size=8), st.sampled_from([0.5, 1, 2.0])
)
def test_equal_programs_share_a_class_and_unparsable_ones_stand_apart(samples, alpha):
    labels = Fase(HashedEncoder(), alpha=alpha).partition(samples).labels
    for first, a in zip(samples, labels, strict=True):
        for second, b in zip(samples, labels, strict=True):
            if first == second:
                assert a == b
            elif "def f(:" in {first, second} and set(samples) != {"def f(:"}:
                assert a != b


@given(st.lists(st.sampled_from(SOURCES), min_size=2, max_size=8), st.randoms())
def test_classes_do_not_depend_on_the_order_of_samples(samples, rng):
    order = list(range(len(samples)))
    rng.shuffle(order)
    measure = Fase(HashedEncoder())
    straight = measure.partition(samples).labels
    mixed = measure.partition([samples[i] for i in order]).labels
    for a, i in enumerate(order):
        for b, j in enumerate(order):
            assert (straight[i] == straight[j]) == (mixed[a] == mixed[b])


def test_many_tasks_together_equal_one_by_one():
    rng = random.Random(0)
    tasks = [rng.choices(SOURCES, k=rng.randint(1, 9)) for _ in range(20)]
    measure = Fase(HashedEncoder())
    together = measure.partitions(tasks)
    for task, found in zip(tasks, together, strict=True):
        assert measure.partition(task).labels == found.labels


@pytest.mark.parametrize("name", RULES)
def test_the_sweep_agrees_with_single_cuts(name):
    rng = random.Random(1)
    chosen = RULES[name]
    tasks = [rng.choices(SOURCES, k=8) for _ in range(5)]
    found = embed(
        (text for task in tasks for text in items(task, chosen).texts), HashedEncoder()
    )
    for task in tasks:
        group = items(task, chosen)
        space = space_of_vectors(found.rows(group.texts), chosen, group.members, group.apart)
        (tree,) = trees([space], chosen)
        for alpha, value in zip(ALPHAS, sweep([space], chosen, ALPHAS)[0], strict=True):
            labels = partition_of(space, tree, alpha * tree.unit).labels
            sizes = [labels.count(label) for label in set(labels)]
            expected = sum(size / 8 * math.log2(8 / size) for size in sizes) / 3
            assert value == pytest.approx(expected, abs=1e-9)


def test_the_tree_spans_the_parsable_samples_and_repetitions_hang_at_zero():
    samples = [SOURCES[0], SOURCES[2], SOURCES[1], "def f(:", SOURCES[5]]
    found = Fase(HashedEncoder()).partition(samples)
    assert found.edges[0] == Edge(0, 2, 0.0)
    assert len(found.edges) == 3
    assert found.unparsable == (3,)


def test_texts_that_are_no_python_at_all_are_compared_as_texts():
    found = Fase(HashedEncoder()).partition(["fn main() {}", "fn main() {}", "let x = 1;"])
    assert found.labels == (0, 0, 1)
    assert len(found.edges) == 2


def test_a_fixed_radius_joins_all_that_lie_within_it():
    distances = np.abs(np.subtract.outer([0, 0.1, 0.5], [0, 0.1, 0.5]))
    assert entropy(distances, Rule(fixed=True), 0.1) < entropy(
        distances, Rule(fixed=True), 0.05
    )


def test_a_thousand_samples_are_done_and_agree_with_the_published_procedure():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(1000, 8)).astype(np.float32)
    vectors[300:600] = vectors[:300]
    space = space_of_vectors(vectors, RULES["authors"])
    (tree,) = trees([space], RULES["authors"])
    labels = partition_of(space, tree, 0.7 * tree.unit).labels
    expected = published_fase.cluster(space.distances, 0.7 * tree.unit)
    assert (
        len(set(zip(labels, expected, strict=True))) == len(set(labels)) == len(set(expected))
    )
