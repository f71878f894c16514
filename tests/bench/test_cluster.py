"""What the page on clusters claims is what the record says; and the server of the rehearsal."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2

from consilience.bench.rehearsal import pool_server
from consilience.bench.throughput import ranking
from consilience.task import Candidate, Reference, Task

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "bench/records/cluster.json").read_text(encoding="utf-8"))
PAGE = " ".join((ROOT / "docs/clusters.md").read_text(encoding="utf-8").split())
PROMPT = 'def double(n: int) -> int:\n    """Return twice n."""\n'
TASK = Task(
    "t/1", PROMPT, "double", reference=Reference("def double(n): return 2 * n", ((1,), (2,)), 2)
)
POOL = {
    "t/1": [
        Candidate("t/1", "def double(n):\n    return n + n"),
        Candidate("t/1", "def double(n):\n    return n * n", 1),
        Candidate("t/1", "def double(n):\n    # the same\n    return n + n", 2),
    ]
}


def test_nothing_was_lost_and_nothing_paid_twice():
    local, away = RECORD["losses"]["local"], RECORD["losses"]["cluster"]
    again = RECORD["losses"]["the same run again"]
    assert len(away["losses"]) == 2
    assert away["same_bytes_as_local"]
    assert again["same_bytes_as_local"]
    assert (away["samples_served"], away["samples_served_twice"]) == (
        local["samples_served"],
        local["samples_served_twice"],
    )
    assert local["samples_served_twice"] == again["samples_served"] == 0


def test_the_page_tells_what_the_record_says():
    losses = RECORD["losses"]
    served = losses["cluster"]["samples_served"]
    assert f"{losses['tasks']} tasks of HumanEval+, {losses['candidates']} candidates" in PAGE
    assert f"{served} samples were served to the run on one machine, {served} to" in PAGE
    assert f"begun {losses['cluster']['tasks_begun']} times" in PAGE


def test_the_server_answers_by_prompt_and_seed_and_counts():
    with pool_server([TASK], POOL, pause=0) as server:
        asked = {"messages": [{"role": "user", "content": PROMPT}], "n": 3, "seed": 5}
        first = httpx2.post(f"{server.url}/chat/completions", json=asked).json()
        later = httpx2.post(
            f"{server.url}/chat/completions", json=asked | {"n": 1, "seed": 7}
        ).json()
        texts = [choice["message"]["content"] for choice in first["choices"]]
        assert later["choices"][0]["message"]["content"] == texts[2]
        assert server.served.total() == 4
        assert sorted(server.served.values()) == [1, 1, 2]
        inputs = server.answer({
            "messages": [{"content": PROMPT + "Write 3 different `assert` statements"}]
        })
        assert "assert double(" in inputs["choices"][0]["message"]["content"]


def test_throughput_counts_equal_programs_once():
    found = ranking([TASK], POOL)
    assert (found["candidates"], found["distinct_candidates"]) == (3, 2)
    assert found["distinct_calls"] == 4
    assert found["cpu_seconds"] > 0


def test_the_sizing_is_reckoned_from_the_records():
    sandbox = json.loads((ROOT / "bench/records/sandbox.json").read_text(encoding="utf-8"))
    program = sandbox["ways"]["consilience"]["cpu_milliseconds_a_program"]
    calls = sandbox["setting"]["calls"]
    assert f"cost {program} ms of CPU" in PAGE
    assert (
        f"= {1000 / program:.0f} programs a core-second, or {calls * 1000 / program:,.0f}"
        in PAGE
    )
    assert f"canonical solutions: {1000 * program:,.0f} core-seconds" in PAGE
    driver = RECORD["driver"]
    task = driver["driver_cpu_milliseconds_a_task"]
    assert f"{task} ms of its CPU a task" in PAGE
    assert f"{driver['driver_cpu_milliseconds_a_question']} ms a question" in PAGE
    mailbox = driver["mailbox_cpu_milliseconds_a_question"]
    assert f"= {1000 / mailbox:.0f} questions a second" in PAGE
    assert f"= {1000 / task:,.0f} tasks a second" in PAGE


def test_what_real_candidates_cost_on_the_page_is_that_of_the_record():
    found = RECORD["rank"]["humaneval_pool_open_licence.jsonl.gz"]
    each = round(1000 * found["cpu_seconds"] / found["distinct_candidates"])
    assert f"1,000,000 x 0.{each} s = {1000 * each:,} core-seconds" in PAGE
    candidates = round(1000 / RECORD["driver"]["driver_cpu_milliseconds_a_task"]) * 10
    assert f"at {each} ms {candidates * each / 1000:,.0f}" in PAGE
