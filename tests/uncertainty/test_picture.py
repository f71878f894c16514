from xml.etree import ElementTree as ET

import pytest

from consilience.errors import UsageError
from consilience.uncertainty import Edge, Partition
from consilience.uncertainty.entropy import bits
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.picture import entropy_by_radius, svg
from consilience.uncertainty.semantic import semantic_entropy

SAMPLES = [
    "def f(x):\n    return x + 1",
    "def f(x):\n    return x + 1  # one",
    "def f(x):\n    return x + 2",
    "def f(x):\n    while x:\n        x -= 1\n    return x",
    "def f(:",
    "def f(:",
]


def drawn(samples, **options):
    return semantic_entropy(samples, encoder=HashedEncoder(), **options)


@pytest.mark.parametrize(
    "samples", [SAMPLES, SAMPLES[:1], SAMPLES[:2], SAMPLES[4:], SAMPLES[:4]]
)
def test_the_picture_is_well_formed_and_names_every_sample(samples):
    root = ET.fromstring(svg(drawn(samples)))
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    for index in range(len(samples)):
        assert any(text.startswith(f"sample {index}") for text in texts)


def test_unparsable_samples_are_told_in_the_picture():
    assert svg(drawn(SAMPLES)).count("(no Python)") == 2


def test_the_curve_steps_from_distinct_programs_to_one_class():
    curve = entropy_by_radius(drawn(SAMPLES))
    assert curve[0] == (0.0, bits([2, 1, 1, 2]))
    assert curve[-1][1] == bits([4, 2])
    assert [value for _, value in curve] == sorted((v for _, v in curve), reverse=True)


def test_the_curve_has_the_entropy_at_the_radius():
    found = drawn(SAMPLES[:4], alpha=1.0)
    at = [value for radius, value in entropy_by_radius(found) if radius <= found.radius]
    assert at[-1] == pytest.approx(found.bits)


def test_a_measure_without_a_tree_cannot_be_drawn():
    with pytest.raises(UsageError):
        svg(drawn(SAMPLES[:4], measure="textual"))


def test_text_in_the_picture_is_escaped():
    class Odd:
        name = "<&>"

        def partition(self, samples):
            return Partition("<&>", (0, 0), edges=(Edge(0, 1, 0.1),), radius=0.2)

    assert "&lt;&amp;&gt;" in svg(semantic_entropy(["a", "b"], measure=Odd()))
