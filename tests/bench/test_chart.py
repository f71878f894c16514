"""Charts are well-formed SVG, hold their text as text, and have the same bytes again."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from consilience.bench.chart import (
    Axis,
    Bar,
    Box,
    Series,
    bar_chart,
    box_chart,
    grid,
    histogram,
    line_chart,
    reliability_chart,
    stacked_chart,
)

LINES = [
    Series("a <b> & c", [(0.1, 0.2), (1.0, None), (2.0, 0.4)], [(0.1, 0.3), None, (0.2, 0.6)]),
    Series("dots", [(0.5, -0.1)], marked=True, line=False),
]
CHARTS = {
    "line": lambda: line_chart(LINES, title="rho & <alpha>", x="alpha", y="rho"),
    "bar": lambda: bar_chart(
        [Bar("tree", 2e-5, 1e-5, 4e-5, "graph"), Bar("none", None)],
        title="time",
        x=Axis("seconds", log=True),
    ),
    "negative": lambda: bar_chart([Bar("a", -0.2, -0.3, 0.1)], title="t"),
    "stacked": lambda: stacked_chart({"a": {"right": 3, "wrong": 4}, "b": {}}, title="t"),
    "box": lambda: box_chart(
        [Box.of("a", [1.0, 2.0], "g"), Box.of("b", [])], title="t", mark=1
    ),
    "histogram": lambda: histogram([0.1, 0.2, 0.2], title="t", bins=3),
    "reliability": lambda: reliability_chart([(0.1, 0.2, 0.0, 0.5)], title="t"),
    "flat": lambda: line_chart([Series("a", [(1.0, 1.0), (2.0, 1.0)])], title="t"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_well_formed_and_has_the_same_bytes_again(name):
    chart = CHARTS[name]()
    assert ET.fromstring(chart).tag.endswith("svg")
    assert CHARTS[name]() == chart
    assert "nan" not in chart
    assert "inf" not in chart


def test_words_are_escaped_and_stay_text():
    chart = CHARTS["line"]()
    assert "a &lt;b&gt; &amp; c" in chart
    texts = [node.text for node in ET.fromstring(chart).iter() if node.tag.endswith("text")]
    assert "rho & <alpha>" in texts


def test_what_is_undefined_is_said_and_breaks_the_line():
    assert ">undefined<" in CHARTS["bar"]()
    path = next(line for line in CHARTS["line"]().splitlines() if 'stroke-width="1.8"' in line)
    assert CHARTS["line"]().count("M") > 1
    assert path.count("stroke=") == 1


def test_a_grid_holds_its_charts_side_by_side():
    chart = grid([make() for make in CHARTS.values()], columns=2, title="all")
    root = ET.fromstring(chart)
    inner = [node for node in root if node.tag.endswith("svg")]
    assert [node.get("x") for node in inner[:3]] == ["0", "640", "0"]
    assert len(inner) == len(CHARTS)


def test_ticks_are_round_and_within_the_axis():
    assert Axis(low=0.0, high=1.0).ticks() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert Axis(log=True).over([2e-5, 30.0]).ticks() == [
        1e-5,
        1e-4,
        1e-3,
        0.01,
        0.1,
        1,
        10,
        100,
    ]
