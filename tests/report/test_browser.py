"""The pages in a real browser: nothing runs, loads or overflows, and keys reach everything.

Needs Chromium (Debian's package); without it these tests are skipped, and say so.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from report.browser import CHROMIUM, Tab, chromium
from report.verdicts import hostile, verdict, with_trust

from consilience.bench.page import record_page
from consilience.report.page import run_page, verdict_page
from consilience.report.reading import shown

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="NO BROWSER: chromium is not installed, the pages were not looked at",
)
RECORD = Path(__file__).parents[2] / "bench" / "records" / "judge-humaneval.json"
TAB, ENTER = ("Tab", 9), ("Enter", 13)


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    # The browser may still write into its profile while the folder is being removed.
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with folder as profile, chromium(Path(profile)) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "verdict": verdict_page(shown(with_trust())),
        "hostile": verdict_page(shown(hostile())),
        "run": run_page([shown(verdict()), shown(with_trust())], title="run"),
        "record": record_page(json.loads(RECORD.read_text("utf-8")), title="record"),
    }
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("name", ["verdict", "hostile", "run", "record"])
def test_the_browser_complains_of_nothing_at_any_width_in_either_scheme(
    tab: Tab, pages: dict[str, Path], name: str
):
    for width, dark in ((1280, False), (390, True)):
        tab.open(pages[name], width=width, dark=dark)
        assert tab.complaints == []
        assert tab.eval("document.scripts.length") == 0
        assert tab.eval("document.documentElement.scrollWidth") <= width
        page = tab.eval("getComputedStyle(document.body).backgroundColor")
        assert page == ("rgb(20, 24, 31)" if dark else "rgb(255, 255, 255)")


def test_the_policy_stops_what_escaping_would_let_through(tab: Tab, tmp_path: Path):
    page = verdict_page(shown(verdict()))
    evil = (
        "<script>document.title = 'taken'</script><img src='http://127.0.0.1:9/x'>"
        "<p id=evil style='position:fixed'>x</p><style>body{display:none}</style></main>"
    )
    path = tmp_path / "holed.html"
    path.write_text(page.replace("</main>", evil, 1), encoding="utf-8")
    tab.open(path)
    assert tab.eval("document.title") == "floor/1: verdict"
    assert tab.eval("getComputedStyle(document.body).display") == "block"
    assert tab.eval("getComputedStyle(document.getElementById('evil')).position") == "static"
    assert len([said for said in tab.complaints if "Content Security Policy" in said]) >= 4
    assert not any(said.startswith("request") for said in tab.complaints)


def test_keys_reach_every_link_and_every_fold(tab: Tab, pages: dict[str, Path]):
    tab.open(pages["verdict"])
    wanted = tab.eval(
        "[...document.querySelectorAll('a, summary, [tabindex]')].filter(e => !e.closest("
        "'details:not([open])') || e.tagName == 'SUMMARY').length"
    )
    seen = 0
    for _ in range(wanted):
        tab.press(*TAB)
        seen += bool(tab.eval(FOCUSED))
    assert seen == wanted
    tab.eval("[...document.querySelectorAll('details:not([open]) summary')].pop().focus()")
    tab.press(*ENTER)
    assert tab.eval("document.activeElement.parentElement.open") is True


def test_a_column_of_the_matrix_leads_to_its_test_even_where_it_is_folded(
    tab: Tab, pages: dict[str, Path]
):
    tab.open(pages["verdict"])
    tab.eval("document.querySelector('.cells a[href=\"#test-2\"]').click()")
    assert tab.eval("document.querySelector('#test-2').checkVisibility()") is True
    assert tab.eval("document.querySelector('#test-2').closest('details').open") is True


def test_the_print_holds_what_is_folded_on_the_screen(tab: Tab, pages: dict[str, Path]):
    tab.open(pages["verdict"])
    folded = len(tab.pdf())
    assert tab.complaints == []
    tab.eval("document.querySelectorAll('details').forEach(e => e.open = true)")
    opened = len(tab.pdf())
    assert folded > 0.97 * opened


def test_colours_have_contrast_in_both_schemes(tab: Tab, pages: dict[str, Path]):
    for dark in (False, True):
        tab.open(pages["verdict"], dark=dark)
        assert tab.eval(FAINT) == []


FOCUSED = """(() => {
  const e = document.activeElement;
  return e != document.body && getComputedStyle(e).outlineStyle != 'none';
})()"""

FAINT = """(() => {
  const light = colour => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
      .map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!colour.endsWith(', 0)')) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = e => {
    const [a, b] = [getComputedStyle(e).color, behind(e)].map(light);
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  };
  return [...document.querySelectorAll('td, th, p, summary, li, figcaption, small, a, code')]
    .filter(e => e.checkVisibility() && contrast(e) < 4.5).map(e => e.outerHTML.slice(0, 80));
})()"""
"""The text whose contrast with what is behind it is below 4.5, as WCAG 2.2 AA asks."""
