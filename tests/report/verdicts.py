"""Verdicts as `judge --json` prints them, for pages: a plain one, and one that means harm."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.semantic import semantic_entropy

RIGHT = "def find(a, b):\n    return a // b\n"
TRUNCATES = "def find(a, b):\n    return int(a / b)\n"
REFUSES = "def find(a, b):\n    if a < 0:\n        raise ValueError\n    return a // b\n"
SLEEPS = "def find(a, b):\n    while b > 9: pass\n    return a // b\n"
LABELS = ["right.py", "truncates.py", "refuses.py", "sleeps.py"]
CODES = [RIGHT, TRUNCATES, REFUSES, SLEEPS]
HOSTILE = (
    "</style></pre></title><script>fetch('http://127.0.0.1:9/x')</script>"
    "<img src=x onerror=alert(1)>"
)
HIDDEN = "a\x00b\u202ec\u2066d\u200be\x1b[31mf\ud800g\U000e0041h\rI"


def made(call: str, expected: str, route: str = "inductive", **more: Any) -> dict[str, Any]:
    """Make a test that all four candidates pass, but for what *more* says."""
    votes, total = more.pop("votes", 8), more.pop("total", 10)
    given = route == "given"
    return {
        "call": call,
        "origin": "example" if given else "seed",
        "expected": expected,
        "route": route,
        "confidence": 1.0 if given else votes / total,
        "votes": 0 if given else votes,
        "total": 0 if given else total,
        "inductive_confidence": None if given else 0.5,
        "reliable": True,
        "alternatives": [],
        "passed": [True] * 4,
        "got": [expected] * 4,
        "status": ["ok"] * 4,
    } | more


TESTS = [
    made("find(7, 2)", "3", "given"),
    made("find(9, 2)", "4", votes=10),
    made("find(8, 3)", "2", votes=9, alternatives=[{"value": "3", "votes": 1}]),
    made(
        "find(10, -2)", "-5", "transductive", votes=5, total=5,
        passed=[True, True, True, None], status=["ok", "ok", "ok", "infrastructure"],
        got=["-5", "-5", "-5", "infrastructure"],
    ),
    made(
        "find(-7, 2)", "-4", "transductive", votes=4, total=5,
        alternatives=[{"value": "-3", "votes": 1}],
        passed=[True, False, False, True], status=["ok", "ok", "raised", "ok"],
        got=["-4", "-3", "raised ValueError", "-4"],
    ),
    made(
        "find(-9, 44)", "-1", votes=4, reliable=False,
        alternatives=[{"value": "0", "votes": 3}, {"value": "-2", "votes": 1}],
        passed=[True, False, False, False], status=["ok", "ok", "raised", "timeout"],
        got=["-1", "0", "raised ValueError", "timeout"],
    ),
]  # fmt: skip


def verdict(**changes: Any) -> dict[str, Any]:
    """Return a whole verdict: four candidates, six tests, all routes and kinds of outcome."""
    passed = [sum(t["passed"][i] is True for t in TESTS) for i in range(4)]
    order = sorted(range(4), key=lambda i: -passed[i])
    ranks = {0: 1.0, 1: 2.5, 2: 2.5, 3: 2.5}
    return {
        "schema": "consilience.verdict/1",
        "task": "floor/1",
        "entry_point": "find",
        "prompt": 'def find(a: int, b: int):\n    """Return the quotient, rounded down."""\n',
        "model": "scripted",
        "preset": "economy",
        "method": "cott",
        "tau": 0.8,
        "isolation": "strict",
        "winner": {"index": 0, "label": "right.py"},
        "reason": "right.py passes 6 of 6 tests, more than any other.",
        "ranking": [
            {"rank": ranks[i], "index": i, "label": LABELS[i], "passed": passed[i], "tests": 6,
             "score": passed[i] / 6}
            for i in order
        ],
        "deciding": [
            {"rival": "truncates.py", "index": 1, "tests": [4, 5]},
            {"rival": "refuses.py", "index": 2, "tests": [4, 5]},
            {"rival": "sleeps.py", "index": 3, "tests": [5]},
        ],
        "tests": TESTS,
        "dropped": [{"call": "find(1, 0)", "reason": "no program returned a value"}],
        "usage": {
            "inputs": {"prompt_tokens": 400, "completion_tokens": 300, "estimated": False},
            "transduction": {"prompt_tokens": 2_000, "completion_tokens": 900,
                             "estimated": True},
        },
        "cost": {"prompt_tokens": 2_400, "completion_tokens": 1_200, "dollars": 0.00036,
                 "dollars_per_million": 0.1},
        "candidates": [{"label": n, "code": c} for n, c in zip(LABELS, CODES, strict=True)],
        "entropy": asdict(semantic_entropy(CODES, encoder=HashedEncoder())),
    } | changes  # fmt: skip


def hostile() -> dict[str, Any]:
    """Return a verdict in which every text tries to get out of the page, or to hide."""
    evil = HOSTILE + HIDDEN
    found = verdict(
        task=evil,
        entry_point=evil,
        reason=evil,
        prompt=evil,
        model=evil,
        preset=evil,
        method=evil,
        winner={"index": 0, "label": evil},
        dropped=[{"call": evil, "reason": evil}],
        usage={evil: {"prompt_tokens": 1, "completion_tokens": 1}},
        candidates=[{"label": evil, "code": evil + "x" * 200_000 + "\n" * 90_000}] * 4,
    )
    found["ranking"] = [row | {"label": evil} for row in found["ranking"]]
    found["deciding"] = [rival | {"rival": evil} for rival in found["deciding"]]
    found["tests"] = [
        each
        | {"call": evil, "expected": evil, "got": [evil] * 4, "route": evil}
        | {"alternatives": [{"value": evil, "votes": 1}]}
        for each in found["tests"]
    ]
    found["entropy"] |= {"measure": evil, "notes": [evil]}
    found["entropy"]["bridge"] = {"first": 0, "second": 1, "distance": 0.5, "diff": evil}
    return found


def with_trust() -> dict[str, Any]:
    """Return a verdict that a cascade came to: with trust, its reasons, and its stages."""
    found = verdict(
        trust={"value": 0.83, "stage": "tests", "probabilities": [0.83, 0.2, 0.3, 0.1],
               "evidence": [], "calibration": "trust.json", "notes": ["few samples"]},
        course={
            "stopped": "tests", "level": 0.8, "settled": True,
            "steps": [
                {"stage": "text", "trust": 0.4, "calls": 0, "prompt_tokens": 0,
                 "completion_tokens": 0},
                {"stage": "tests", "trust": 0.83, "calls": 9, "prompt_tokens": 2_400,
                 "completion_tokens": 1_200},
            ],
            "ahead": None,
        },
        reasons={
            "against": [{"index": 1, "for": 2, "against": 0, "same": False, "test": 4}],
            "moved": [
                {"name": "tests passed", "value": 1.0, "logit": 2.1, "told": "it passes all"},
                {"name": "same text", "value": 0.0, "logit": -0.4, "told": "none is the same"},
            ],
            "disputed": {"test": 5, "groups": [[0], [1], [2], [3]]},
            "bridge": {"one": 0, "other": 1, "like_one": 1, "like_other": 1,
                       "diff": ["-    return a // b", "+    return int(a / b)"]},
        },
    )  # fmt: skip
    odds = found["trust"]["probabilities"]
    found["ranking"] = [row | {"trust": odds[row["index"]]} for row in found["ranking"]]
    return found
