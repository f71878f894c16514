"""Hand the replies of a store on in one file, so that others replay a run without its model."""

from __future__ import annotations

from pathlib import Path

import msgspec

from consilience.formats.jsonl import Row, read_rows, write_lines
from consilience.models import Reply
from consilience.models.stored import KIND
from consilience.store import Store

_KEY_DIGITS = 64


def write(store: Store, path: Path) -> int:
    """Write all replies of *store* to *path* (.jsonl or .jsonl.gz); return how many.

    The same replies give the same bytes.
    """
    rows = [
        msgspec.json.encode({"key": key, "reply": msgspec.Raw(value)})
        for key, value in store.items(KIND)
    ]
    write_lines(path, rows)
    return len(rows)


def read(path: Path, store: Store) -> int:
    """Put the replies that `write` wrote to *path* into *store*; return how many.

    Raises:
        InputError: a line is no reply; then nothing is put.
    """
    replies = dict(map(_entry, read_rows(path)))
    store.put_many(KIND, replies)
    return len(replies)


def _entry(row: Row) -> tuple[str, bytes]:
    key = row.text("key")
    if len(key) != _KEY_DIGITS:
        raise row.fault("key", "is not the key of a reply")
    try:
        reply = msgspec.convert(row.fields.get("reply"), Reply)
    except msgspec.ValidationError as error:
        raise row.fault("reply", f"is not a reply ({error})") from None
    return key, msgspec.json.encode(reply)
