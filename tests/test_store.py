import logging
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import StoreError
from consilience.store import Holding, Store, cache_folder, digest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.sqlite"


def test_an_entry_survives_the_process_that_wrote_it(path):
    with Store(path) as store:
        store.put("reply", "a", b"\x00 text")
    with Store(path) as store:
        assert store.get("reply", "a") == b"\x00 text"


def test_kinds_do_not_mix_and_a_missing_key_is_none(path):
    with Store(path) as store:
        store.put("reply", "a", b"1")
        assert store.get("outcome", "a") is None
        assert store.get("reply", "b") is None


def test_get_many_returns_what_is_there_whatever_the_number_of_keys(path):
    with Store(path) as store:
        store.put_many("k", {str(i): str(i).encode() for i in range(0, 3000, 2)})
        found = store.get_many("k", [str(i) for i in range(3000)])
    assert found == {str(i): str(i).encode() for i in range(0, 3000, 2)}


def test_put_many_writes_all_or_nothing(path):
    with Store(path) as store:
        with pytest.raises(StoreError):
            store.put_many("k", {"a": b"1", "b": None})  # type: ignore[dict-item]
        assert store.get("k", "a") is None


def test_info_counts_by_kind_and_clear_takes_one_kind_or_all(path):
    with Store(path) as store:
        store.put_many("reply", {"a": b"123", "b": b"4"})
        store.put("outcome", "a", b"12")
        assert store.info() == (Holding("outcome", 1, 2), Holding("reply", 2, 4))
        assert store.clear("reply") == 2
        assert store.info() == (Holding("outcome", 1, 2),)
        assert store.clear() == 1
        assert store.info() == ()


def test_threads_share_a_store(path):
    with Store(path) as store:

        def write(number: int) -> None:
            for i in range(20):
                store.put("k", f"{number}-{i}", b"x" * i)
                assert store.get("k", f"{number}-{i}") == b"x" * i

        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.info() == (Holding("k", 160, 8 * sum(range(20))),)


WRITER = """
import sys
from consilience.store import Store
with Store(sys.argv[1]) as store:
    for i in range(50):
        store.put("k", f"{sys.argv[2]}-{i}", b"x")
"""


def test_processes_that_begin_a_store_together_all_write_to_it(path):
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, str(n)]) for n in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    with Store(path) as store:
        assert store.info() == (Holding("k", 200, 200),)


KILLED = """
import os, signal, sys
from consilience.store import Store
store = Store(sys.argv[1])
store.put("k", "a", b"kept")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_put_before_a_kill_9_is_there_afterwards(path):
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    with Store(path) as store:
        assert store.get("k", "a") == b"kept"


def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my only copy of these notes\n" * 10)
    with pytest.raises(StoreError, match="is not a store of Consilience") as caught:
        Store(path)
    assert "--store" in caught.value.hint
    assert path.read_text() == "my only copy of these notes\n" * 10
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("application", [0, 77])
def test_another_program_s_database_is_refused_and_left_as_it_is(tmp_path, application):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.executescript(f"PRAGMA application_id = {application}; CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("share", [0.0005, 0.002, 0.3, 0.5, 0.9])
def test_a_store_that_was_cut_off_is_set_aside_not_destroyed(path, share, caplog):
    with Store(path) as store:
        store.put_many("k", {digest(str(i)): b"x" * 500 for i in range(200)})
    whole = path.read_bytes()
    half = whole[: int(len(whole) * share)]
    path.write_bytes(half)
    with caplog.at_level(logging.WARNING), Store(path) as store:
        assert store.info() == ()
        store.put("k", "a", b"again")
    assert path.with_name(path.name + ".damaged-1").read_bytes() == half
    assert "is damaged" in caplog.text
    with Store(path) as store:
        assert store.get("k", "a") == b"again"


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "store"
    path.touch()
    with Store(path) as store:
        assert store.info() == ()


def test_a_folder_in_the_way_is_a_store_error_with_a_hint(tmp_path):
    with pytest.raises(StoreError) as caught:
        Store(tmp_path)
    assert caught.value.hint


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        Store(tmp_path / "file" / "store.sqlite")


def test_a_closed_store_says_so(path):
    store = Store(path)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.get("k", "a")


@given(st.lists(st.text() | st.binary()), st.lists(st.text() | st.binary()))
def test_digest_agrees_exactly_when_the_parts_do(left, right):
    assert (digest(*left) == digest(*right)) == (left == right)


def test_digest_takes_a_lone_surrogate_and_does_not_change_between_releases():
    assert len(digest("\ud800")) == 64
    assert (
        digest("a", b"b") == "8aa48990a8a7627123ff3b7ae2a98c2eb2d99c22ab818b4d4e936d8f40e54690"
    )


def test_the_cache_folder_can_be_moved(monkeypatch, tmp_path):
    monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("CONSILIENCE_CACHE")
    assert cache_folder().name == "consilience"
