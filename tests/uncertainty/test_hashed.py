import subprocess
import sys

import numpy as np

from consilience.uncertainty.hashed import HashedEncoder


def test_vectors_have_unit_length_and_an_empty_text_is_zero():
    vectors = HashedEncoder(64).encode(["x = 1", "", "def f(:"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1], atol=1e-6)


def test_vectors_do_not_depend_on_the_hash_seed():
    code = (
        "from consilience.uncertainty.hashed import HashedEncoder as H;"
        "print(H(8).encode(['f(x)']))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(seen) == 1


def test_similar_programs_are_nearer_than_others():
    first, near, far = HashedEncoder().encode([
        "def f(x):\n    return x + 1",
        "def f(y):\n    return y + 1",
        "while True:\n    import os",
    ])
    assert first @ near > first @ far


def test_deep_nesting_is_no_obstacle():
    assert np.isfinite(HashedEncoder().encode(["-" * 150 + "1", "x" + ".y" * 400])).all()
