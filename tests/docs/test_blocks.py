"""Every code block of README and docs runs, as printed; those that cannot are counted."""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.blocks import Block, Command, blocks, commands, fits

from consilience.cli import main
from docs import stage

PAGES = [stage.ROOT / "README.md", *sorted((stage.ROOT / "docs").glob("*.md"))]
SHOWN = {"text", "json", "toml", "yaml"}
"""Languages that are read and not run: with a title they are files, else they are figures."""
A_COMMAND = re.compile(r"^(\$ |consilience |pip |curl |python3? |make |docker )", re.MULTILINE)
"""What a block of text begins a line with, when it is meant to be typed."""
NOT_RUN = {
    "clusters.md": Counter({"needs a cluster": 1}),
    "first-walk.md": Counter({"installs and downloads": 2, "needs a server": 1}),
    "README.md": Counter({"installs and downloads": 1}),
    "cott-experiment.md": Counter({
        "needs the pools, and hours": 1,
        "needs the pools and the weights": 1,
    }),
    "fase-experiment.md": Counter({"writes into docs": 1}),
    "service.md": Counter({"installs": 1, "by tests/service": 3}),
    "shapes.md": Counter({"needs the data sets, and minutes": 1}),
    "start.md": Counter({"installs": 1, "downloads 491 MB": 1}),
    "trust.md": Counter({"needs the pools, and hours": 1}),
}
"""All blocks that are not run, and why: a new one has to be written down here."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with stage.server() as address:
        yield address


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_blocks_of_a_page_run(
    path: Path,
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    stage.furnish(tmp_path)
    stage.direct(monkeypatch, url, tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(path):
        if block.exempt:
            continue
        if block.title:
            write(block, tmp_path)
        elif block.language == "python":
            exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)
        elif block.language == "console":
            for command in commands(block):
                obey(command, block, capsys)
        else:
            where = f"{block.page}:{block.line}"
            assert block.language in SHOWN, f"{where}: {block.language}?"
            typed = path.name != "cli.md" and A_COMMAND.search(block.text)
            assert not typed, f"{where}: make it a console, or say why it is not run"


def test_what_is_not_run_is_written_down():
    found = {
        path.name: Counter(block.exempt for block in blocks(path) if block.exempt)
        for path in PAGES
    }
    assert {name: reasons for name, reasons in found.items() if reasons} == NOT_RUN


def write(block: Block, folder: Path) -> None:
    """Keep a block with a title as the file of that name."""
    target = folder / block.title
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(block.text, encoding="utf-8")


def obey(command: Command, block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Run one command line and hold what it prints against the page."""
    where = f"{block.page}:{block.line}: {command.words}"
    words, target = stage.split(command.words)
    capsys.readouterr()
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        os.environ.setdefault(name, value)
        return
    if words[0] == "python":
        status = script(words[1:])
    else:
        assert words[0] == "consilience", f"{where}: mark it <!-- not run: why -->"
        status = main(words[1:])
    out, err = capsys.readouterr()
    assert status == command.status, f"{where}\n{out}\n{err}"
    if target is not None:
        target.write_text(out, encoding="utf-8")
    elif command.printed.strip():
        assert fits(out, command.printed), f"{where}\n{out}"


def script(words: list[str]) -> int:
    """Run one of our own scripts, such as those of demo/, as the command would."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        patch.syspath_prepend(str(Path(words[0]).parent.resolve()))
        runpy.run_path(words[0], run_name="__main__")
    return 0


def test_the_reader_of_blocks_sees_titles_marks_and_indents(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        '- item\n\n  ```python title="a.py"\n  x = 1\n  ```\n\n<!-- not run: why -->\n'
        "```console\n$ one  # exit 2\nout\n$ two  # said\n```\n"
    )
    first, second = blocks(page)
    assert (first.title, first.text) == ("a.py", "x = 1\n")
    assert (second.exempt, second.line) == ("why", 8)
    assert [(c.words, c.status, c.printed) for c in commands(second)] == [
        ("one", 2, "out"),
        ("two", 0, ""),
    ]
    assert fits("a\nb\nc", "a\n...\nc")
    assert not fits("a", "b")
    assert json.loads("{}") == {}
