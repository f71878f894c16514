"""Shapes are read from annotations and learned from values."""

import pytest

from consilience.inputs import shapes
from consilience.inputs.shapes import MisfitError, fit, from_annotation


@pytest.mark.parametrize(
    ("annotation", "fits", "misfits"),
    [
        ("int", [1, -5], [True, 1.0, "1", None]),
        ("float", [1.0, 1], [True, "1"]),
        ("List[int]", [[], [1]], [[True], ["a"], (1,), None]),
        ("typing.List[List[str]]", [[["a"]], [[]]], [["a"]]),
        ("Optional[int]", [None, 1], ["a"]),
        ("int | None", [None, 1], ["a"]),
        ("Union[int, List[str]]", [1, ["a"]], ["a", [1]]),
        ("Tuple[int, str]", [(1, "a")], [(1,), ("a", 1), [1, "a"]]),
        ("tuple[int, ...]", [(), (1, 2)], [("a",)]),
        ("Dict[str, List[int]]", [{}, {"a": [1]}], [{1: [1]}, {"a": 1}]),
        ("Set[int]", [set(), {1}], [[1], {"a"}]),
        ("'List[int]'", [[1]], [1]),
        ("Sequence[int]", [[1], (1,)], [5, ["a"]]),
        ("Literal['a', 'b']", ["a"], [1]),
        ("Any", [1, None, [1]], []),
        ("np.ndarray", [1, [1]], []),
        ("Callable[[int], int]", [1], []),
        ("not python (", [1], []),
        (None, [1, None], []),
    ],
)
def test_an_annotation_admits_what_it_names(annotation, fits, misfits):
    shape = from_annotation(annotation)
    for value in fits:
        assert fit(value, shape) == value
    for value in misfits:
        with pytest.raises(MisfitError):
            fit(value, shape)


def test_a_learned_shape_takes_in_all_it_was_learned_from():
    values = [[1, 2], [], ["a"], (1, "a"), (2, "b"), {"k": 1.5}, None]
    shape = shapes.union(values)
    for value in values:
        assert fit(value, shape) == value
    with pytest.raises(MisfitError):
        fit([1.5], shapes.of([1]))


def test_a_bare_annotation_is_filled_in_by_what_was_learned():
    shape = shapes.refine(from_annotation("list"), shapes.of([1]))
    with pytest.raises(MisfitError):
        fit(["a"], shape)
