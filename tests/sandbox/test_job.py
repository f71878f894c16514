"""The judge believes nothing of a child's lines but their form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.sandbox.job import MAX_LINE, MAX_TOTAL, Transcript
from consilience.values import Value

LOADED = b"L\tok\t0\t-\n"


def read(data: bytes, stop: int = 3) -> Transcript:
    transcript = Transcript(0, stop)
    transcript.feed(data)
    return transcript


def test_well_formed_lines_become_outcomes() -> None:
    lines = (
        b'0\tok\t12\t1\t["l",1]\n1\traised\t3\t0\t["ValueError","no"]\n2\ttimeout\t9\t0\t-\n'
    )
    transcript = read(LOADED + lines + b"D\t5\n")
    first, second, third = transcript.outcomes
    assert (first.value, first.micros, first.mutated) == (Value.of([1]), 12, True)
    assert (second.error, second.message, third.status) == ("ValueError", "no", "timeout")
    assert (transcript.printed, transcript.closed, transcript.fault) == (5, True, None)


@pytest.mark.parametrize(
    "line",
    [
        b"1\tok\t1\t0\t1\n",
        b"0\tgood\t1\t0\t1\n",
        b"0\tok\t-1\t0\t1\n",
        b"0\tok\t1\t2\t1\n",
        b"0\tok\t1\t0\t1.5\n",
        b'0\tok\t1\t0\t["zz",1]\n',
        b"0\tok\t1\t0\t" + b"[" * 5000 + b"\n",
        b"0\tok\t1\t0\t\xff\n",
        b"0\tok\n",
        b'0\traised\t1\t0\t["a b",1]\n',
        b'0\traised\t1\t0\t{"a":1}\n',
        b"0\tok\t9999999999999999\t0\t1\n",
        b"L\tok\t0\t-\n",
        b"L\tnonsense\t0\t-\n",
        b"\n",
    ],
)
def test_a_malformed_line_is_a_fault(line: bytes) -> None:
    transcript = read(LOADED + line + b"0\tok\t1\t0\t1\n")
    assert transcript.fault == "protocol"
    assert transcript.outcomes == []


def test_more_lines_than_calls_are_a_fault() -> None:
    transcript = read(LOADED + b"0\tok\t1\t0\t1\n1\tok\t1\t0\t1\n", stop=1)
    assert (len(transcript.outcomes), transcript.fault) == (1, "protocol")


def test_an_endless_line_is_too_large() -> None:
    assert read(b"x" * (MAX_LINE + 1)).fault == "too_large"


def test_a_flood_of_lines_is_stopped() -> None:
    transcript = Transcript(0, 1)
    for _ in range(MAX_TOTAL // (1 << 20) + 1):
        transcript.feed(b"x\n" * (1 << 19))
    assert transcript.fault is not None


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=8))
def test_any_bytes_in_any_pieces_are_taken_alike(data: bytes, cuts: list[int]) -> None:
    whole = read(LOADED + data)
    pieces = Transcript(0, 3)
    rest = LOADED + data
    for cut in cuts:
        pieces.feed(rest[:cut])
        rest = rest[cut:]
    pieces.feed(rest)
    assert (whole.outcomes, whole.fault) == (pieces.outcomes, pieces.fault)
