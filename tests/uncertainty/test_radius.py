import numpy as np
import pytest

from consilience.errors import UsageError
from consilience.uncertainty.radius import RULES, VARIANTS, Rule, rule, unit_radii
from consilience.uncertainty.tree import spanning_trees

LINE = np.abs(np.subtract.outer([0.0, 0.1, 0.2, 0.6], [0.0, 0.1, 0.2, 0.6]))
"""Tree .1, .1, .4 with mean .2; the six distances .1 .2 .6 .1 .5 .4 with mean 1.9 / 6."""


def unit(chosen, distances=LINE):
    return float(unit_radii(distances[None], spanning_trees(distances[None]), chosen)[0])


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("pdm-mean", 1.9 / 6),
        ("mst-mean", 0.2),
        ("scaled-pdm-mean", (1 - 1.2 / 1.9) * 1.9 / 6),
        ("scaled-mst-mean", (1 - 1.2 / 1.9) * 0.2),
    ],
)
def test_the_papers_radii_follow_the_formulas(variant, expected):
    assert unit(rule("paper", variant)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("pdm-mean", 3.8 / 16),
        ("mst-mean", 0.2),
        ("scaled-pdm-mean", 2 * (1 - 0.2 * 16 / 3.8) * 3.8 / 16),
        ("scaled-mst-mean", 2 * (1 - 0.2 * 16 / 3.8) * 0.2),
    ],
)
def test_the_published_code_doubles_and_counts_the_diagonal(variant, expected):
    assert unit(rule("authors", variant)) == pytest.approx(expected)


def test_the_papers_radius_is_the_scaled_mode():
    assert unit(RULES["paper"]) == pytest.approx((1 - 1.2 / 1.9) * 0.1, rel=0.2)


def test_the_published_code_falls_back_where_the_tree_is_as_long_as_the_distances():
    constant = 0.3 * (1 - np.eye(4))
    assert unit(RULES["authors"], constant) == 0.001
    assert unit(RULES["paper"], constant) == 0.0


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("value", [0.0, 1e-6, 0.1])
def test_radii_are_finite_for_few_samples_and_constant_distances(name, variant, count, value):
    radius = unit(rule(name, variant), value * (1 - np.eye(count)))
    assert np.isfinite(radius)
    assert radius >= 0


def test_a_fixed_radius_is_alpha_itself():
    assert unit(Rule(fixed=True)) == 1.0


def test_an_unknown_rule_or_variant_names_the_known_ones():
    with pytest.raises(UsageError) as caught:
        rule("papers")
    assert "consilience" in caught.value.hint
    with pytest.raises(UsageError) as caught:
        rule("paper", "mode")
    assert "scaled-mst-mode" in caught.value.hint
