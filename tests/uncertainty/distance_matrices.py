"""Distance matrices for property tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consilience.uncertainty.distance import cleaned


def matrices(largest=9, *, smallest=1):
    """Distances with many ties and zeros."""
    sizes = st.integers(smallest, largest)
    return sizes.flatmap(
        lambda n: hnp.arrays(
            np.float64, (n, n), elements=st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0])
        ).map(cleaned)
    )
