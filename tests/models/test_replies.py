"""Replies handed on in a file replay a run: nothing is asked again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.cli import main
from consilience.errors import InputError
from consilience.models import replies
from consilience.models.scripted import ScriptedModel
from consilience.models.stored import StoredModel
from consilience.store import Store


@pytest.fixture
def paid(tmp_path: Path) -> Iterator[Store]:
    """A store with three replies, and something that is none."""
    with Store(tmp_path / "paid.sqlite") as store:
        model = ScriptedModel(lambda prompt, index: f"{prompt} {index} ü", name="m")
        StoredModel(model, store).complete("p", n=3)
        store.put("outcome", "k", b"x")
        yield store


@pytest.mark.parametrize("name", ["replies.jsonl", "replies.jsonl.gz"])
def test_who_gets_the_file_pays_nothing(paid: Store, tmp_path: Path, name: str):
    assert replies.write(paid, tmp_path / name) == 3
    silent = ScriptedModel(lambda *_: "something else", name="m")
    with Store(tmp_path / "fresh.sqlite") as fresh:
        assert replies.read(tmp_path / name, fresh) == 3
        drawn = StoredModel(silent, fresh).complete("p", n=3)
        assert [reply.text for reply in drawn] == [f"p {i} ü" for i in range(3)]
        assert silent.requests == []
        again = tmp_path / f"again-{name}"
        replies.write(fresh, again)
        assert again.read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('{"reply": {"text": "a"}}', '"key" is missing'),
        ('{"key": "short", "reply": {"text": "a"}}', '"key" is not the key of a reply'),
        ('{"key": "' + "0" * 64 + '", "reply": {"text": 1}}', '"reply" is not a reply'),
    ],
)
def test_a_file_with_a_fault_changes_nothing(
    paid: Store, tmp_path: Path, line: str, place: str
):
    file = tmp_path / "replies.jsonl"
    replies.write(paid, file)
    file.write_text(file.read_text() + line + "\n")
    with Store(tmp_path / "fresh.sqlite") as fresh:
        with pytest.raises(InputError, match=rf"replies.jsonl:4: {place}"):
            replies.read(file, fresh)
        assert fresh.info() == ()


def test_the_verbs_export_and_import(
    paid: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, fresh = tmp_path / "replies.jsonl.gz", tmp_path / "fresh.sqlite"
    assert main(["cache", "export", str(file), "--store", str(paid.path)]) == 0
    assert main(["cache", "import", str(file), "--store", str(fresh)]) == 0
    said = capsys.readouterr().out
    assert f"3 replies written to {file}" in said
    assert f"3 replies put into {fresh}" in said
