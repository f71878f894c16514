import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import find_peaks
from scipy.stats import gaussian_kde

from consilience.uncertainty.density import GRID, interior_peaks, kernel_density, modes

weights = (
    st
    .lists(st.floats(0.01, 1.0) | st.sampled_from([0.1, 0.2]), min_size=2, max_size=40)
    .filter(lambda each: max(each) - min(each) > 1e-4)
    .map(sorted)
)


@given(weights)
def test_the_density_is_scipys_with_scotts_bandwidth(values):
    points = np.linspace(min(values), max(values), 50)
    ours = kernel_density(np.array(values), points)
    theirs = gaussian_kde(values)(points)
    np.testing.assert_allclose(ours / ours.max(), theirs / theirs.max(), rtol=1e-8, atol=1e-12)


@given(weights)
def test_the_mode_is_the_maximiser_and_the_outer_ones_are_scipys_outer_peaks(values):
    row = np.array([values])
    points = np.linspace(min(values), max(values), GRID)
    density = gaussian_kde(values)(points)
    step = points[1] - points[0]
    at = round((modes(row)[0] - points[0]) / step)
    assert density[at] == pytest.approx(density.max(), rel=1e-9)
    peaks, _ = find_peaks(density)
    if len(peaks) >= 2 and _clear(density):
        assert modes(row, "left")[0] == pytest.approx(points[peaks[0]], abs=1.5 * step)
        assert modes(row, "right")[0] == pytest.approx(points[peaks[-1]], abs=1.5 * step)


def _clear(density):
    """Tell whether no rise or fall of the curve is mere rounding."""
    return np.abs(np.diff(density)).min() > 1e-12 * density.max()


@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=30))
def test_interior_peaks_are_scipys_plateaus_included(values):
    curve = np.array(values, dtype=float)
    assert interior_peaks(curve).tolist() == find_peaks(curve)[0].tolist()


@pytest.mark.parametrize("weight", [0.0, 0.1, 0.123457, 1e-6])
@pytest.mark.parametrize("count", [1, 3, 9])
def test_constant_weights_are_their_own_mode(weight, count):
    for peak in ("highest", "left", "right"):
        found = modes(np.full((2, count), weight), peak)
        np.testing.assert_allclose(found, weight, rtol=1e-12)
