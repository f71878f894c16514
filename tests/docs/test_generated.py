"""Pages that are made are as they would be made now, and no link leads nowhere."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.blocks import blocks

from consilience.cli import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TOOL = runpy.run_path(str(ROOT / "tools" / "pages.py"))
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.skipif(
    not (ROOT / "bench" / "records" / "cott-mbpp-qwen.jsonl.gz").exists(),
    reason="no votes here: the source distribution leaves the largest records out",
)
def test_what_is_made_from_help_docstrings_and_records_is_up_to_date():
    for path, text in TOOL["made"]().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: python tools/pages.py"


def test_every_verb_has_its_help_on_the_page():
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for verb in TOOL["verbs"](TOOL["app"]):
        assert f"## consilience {' '.join(verb)}\n" in page


def test_flags_that_pages_name_exist():
    demos = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "demo").glob("*.py"))
    known = (DOCS / "cli.md").read_text(encoding="utf-8") + demos
    for path in [ROOT / "README.md", *DOCS.glob("*.md")]:
        prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for flag in re.findall(r"`(--[a-z][a-z-]+)", prose):
            assert flag in known, f"{path.name}: {flag}"


def links() -> Iterator[tuple[str, str]]:
    for path in DOCS.glob("*.md"):
        prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in _LINK.findall(prose):
            if not target.startswith(("http:", "https:")):
                yield path.name, target


def anchors(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", head).strip().lower() for head in heads]
    return {re.sub(r"[-\s]+", "-", head) for head in plain}


def test_no_link_leads_nowhere():
    for page, target in links():
        name, _, anchor = target.partition("#")
        there = DOCS / (name or page)
        if anchor in {"only-light", "only-dark"}:
            continue
        assert there.exists(), f"{page}: {target}"
        if anchor:
            assert anchor in anchors(there), f"{page}: {target}"


def test_every_page_is_in_the_navigation():
    text = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    held = re.findall(r'"([\w-]+\.md)"', text)
    pages = {path.name for path in DOCS.glob("*.md")}
    assert tomllib.loads(text)
    assert len(held) == len(set(held))
    assert pages == set(held), "the nav of zensical.toml names every page, and no other"


def test_the_pictures_are_well_formed_and_named_for_those_who_do_not_see_them():
    for picture in DOCS.glob("pictures/*.svg"):
        assert 'aria-label="' in picture.read_text(encoding="utf-8")
    for path in DOCS.glob("*.md"):
        assert "![](" not in path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize("words", [["--version"], ["bench", "--help"]])
def test_words_that_the_docs_name_but_no_block_runs(
    words: list[str], capsys: pytest.CaptureFixture[str]
):
    assert main(words) == 0
    assert capsys.readouterr().out.strip()


def test_equations_are_numbered_as_in_the_papers():
    text = "".join(b.text for name in ("cott.md", "fase.md") for b in blocks(DOCS / name))
    assert set(re.findall(r"\((\d)\)", text)) >= {"1", "2", "3", "4"}
