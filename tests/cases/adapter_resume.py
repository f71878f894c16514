"""Cases of resuming: append to a file that a crash left torn."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from consilience.formats.jsonl import append_rows, read_rows


def check_resume(given: dict[str, Any], expected: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        path.write_bytes(given["file_bytes_utf8"].encode())
        append_rows(path, given["then_append"])
        ids = [row.fields["id"] for row in read_rows(path)]
    assert ids == expected["ids_read_back"]
    assert len(ids) - len(set(ids)) == expected["duplicates"]


ADAPTERS = {"resume": check_resume}
