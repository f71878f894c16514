"""The pool keeps order, loses no result, and leaves nothing behind whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.errors import SandboxError, UsageError
from consilience.sandbox import Limits
from consilience.sandbox.inside.confinement import LAYERS
from consilience.sandbox.isolation import ATTEMPTS, probe
from consilience.sandbox.pool import Care, ForkServer
from consilience.sandbox.process import Setup, WorkerProcess
from consilience.store import Store
from consilience.values import Value

IDENTITY = "def f(x):\n    return x\n"
SLOW = "import time\ndef f(x):\n    time.sleep(x)\n    return x\n"
LOOP = "def f(x):\n    while x == 2: pass\n    return x\n"
TIGHT = Limits(cpu_seconds=0.2, wall_seconds=0.5, memory_mb=256, total_seconds=20.0)


def test_rows_come_in_the_order_of_the_programs(server: ForkServer) -> None:
    programs = [f"def f(x): return x + {step}" for step in range(12)]
    rows = server.run(programs, "f", [(1,), (2,)])
    values = [[outcome.value for outcome in row] for row in rows]
    assert values == [[Value.of(1 + step), Value.of(2 + step)] for step in range(12)]


def test_equal_programs_are_run_once(server: ForkServer) -> None:
    noted = "def f(x):\n    # a remark\n    return x\n"
    first, second = server.execute([IDENTITY, noted], "f", [(1,)])
    assert first is second


def test_no_program_and_no_input_give_no_rows(server: ForkServer) -> None:
    assert server.run([], "f", [(1,)]) == []
    assert server.run([IDENTITY], "f", []) == [[]]


def test_arguments_that_are_no_plain_data_are_refused(server: ForkServer) -> None:
    with pytest.raises(UsageError, match="Input 1 is not plain data"):
        server.run([IDENTITY], "f", [(1,), (object(),)])


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: (
            st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner)
        ),
        max_leaves=12,
    )
)
def test_plain_data_comes_back_as_it_went(server: ForkServer, thing: object) -> None:
    outcome = server.run([IDENTITY], "f", [(thing,)])[0][0]
    assert outcome.value == Value.of(thing)
    assert not outcome.mutated


def test_a_large_job_reaches_a_child_that_starts_late() -> None:
    with ForkServer(workers=1, level="none") as slow:
        [worker] = slow._idle[slow._setup]
        pid = worker._process.pid
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.7, os.kill, (pid, signal.SIGCONT)).start()
        begun = time.monotonic()
        [execution] = slow.execute(
            ["def f(x):\n    return len(x)\n"], "f", [("a" * 3_000_000,)]
        )
    assert execution.outcomes[0].value == Value.of(3_000_000)
    assert execution.deaths == 0
    assert time.monotonic() - begun < 15


def test_a_death_costs_only_its_own_call(server: ForkServer) -> None:
    program = "import os\ndef f(x):\n    if x % 3 == 2: os._exit(x)\n    return x\n"
    execution = server.execute([program], "f", [(x,) for x in range(9)])[0]
    told = [outcome.status for outcome in execution.outcomes]
    assert told == ["ok", "ok", "exit"] * 3
    assert [o.message for o in execution.outcomes if o.message] == [
        f"exit code {code}" for code in (2, 5, 8)
    ]


def test_the_whole_time_of_a_program_is_limited(server: ForkServer) -> None:
    limits = Limits(cpu_seconds=0.2, wall_seconds=5.0, total_seconds=0.6)
    outcomes = server.run([SLOW], "f", [(0.4,)] * 5, limits)[0]
    assert [outcome.status for outcome in outcomes][:1] == ["ok"]
    assert {outcome.status for outcome in outcomes[2:]} <= {"skipped", "timeout"}


def test_a_time_out_beside_others_is_confirmed_alone(server: ForkServer) -> None:
    rows = server.run(
        [LOOP, *(f"def f(x): return {n}" for n in range(8))], "f", [(1,), (2,)], TIGHT
    )
    assert [outcome.status for outcome in rows[0]] == ["ok", "timeout"]
    assert all(outcome.ok for row in rows[1:] for outcome in row)


def test_outcomes_are_stored_and_not_made_again(tmp_path: Path) -> None:
    program = "import os\ndef f(x): return os.urandom(8)\n"
    with Store(tmp_path / "store.db") as store, ForkServer(workers=1, store=store) as server:
        first = server.run([program], "f", [(1,)])
        assert server.run([program], "f", [(1,)]) == first
        assert server.run([program], "f", [(2,), (1,)])[0][1] == first[0][0]
        other = Limits(cpu_seconds=3.0)
        assert server.run([program], "f", [(1,)], other) != first


def test_a_second_seed_finds_unstable_outcomes(server: ForkServer) -> None:
    program = "def f(x): return tuple({'pear', 'fig', 'plum', x}) if x else x\n"
    execution = server.execute([program], "f", [("kiwi",), ("",)], care=Care(second_seed=True))[
        0
    ]
    assert execution.unstable == (0,)


def test_isolated_calls_carry_no_state(server: ForkServer) -> None:
    program = "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n\n"
    inputs = [(1,), (2,)]
    together = server.run([program], "f", inputs)[0]
    apart = server.execute([program], "f", inputs, care=Care(isolate_calls=True))[0].outcomes
    assert [outcome.value for outcome in together] == [Value.of(1), Value.of(2)]
    assert [outcome.value for outcome in apart] == [Value.of(1), Value.of(1)]


def test_a_scratch_folder_is_private_to_a_program(server: ForkServer) -> None:
    program = (
        "import os, tempfile\ndef f(x):\n    before = os.listdir('/tmp')\n"
        "    with open('/tmp/left', 'w') as file: file.write(x)\n"
        "    os.makedirs('/tmp/a/b', exist_ok=True)\n    return before\n"
    )
    try:
        rows = [
            server.execute([text], "f", [("hi",)], care=Care(scratch_mb=4))[0].outcomes
            for text in (program, program + "# again\n")
        ]
    except SandboxError as error:
        pytest.skip(str(error))
    assert [row[0].value for row in rows] == [Value.of([]), Value.of([])]
    assert server.run([program], "f", [("hi",)])[0][0].error in {"PermissionError", "OSError"}


def test_a_closed_pool_says_so() -> None:
    server = ForkServer(workers=1)
    server.close()
    with pytest.raises(SandboxError, match="closed"):
        server.run([IDENTITY], "f", [(1,)])


@pytest.mark.parametrize("without", [("seccomp",), ("landlock", "namespaces"), ("rlimits",)])
def test_strict_is_refused_where_a_wall_is_missing(without: tuple[str, ...]) -> None:
    with pytest.raises(SandboxError, match="cannot be confined") as refusal:
        ForkServer(workers=1, without=without)
    assert "consilience doctor" in refusal.value.hint


def test_level_none_confines_nothing_and_ends_what_programs_start() -> None:
    program = (
        "import os, time\ndef f(x):\n    if os.fork() == 0: time.sleep(99)\n"
        "    return os.path.exists('/etc/passwd')\n"
    )
    with ForkServer(workers=1, level="none") as server:
        assert server.level == "none"
        pid = worker_pid(server)
        assert server.run([program], "f", [(1,)])[0][0].value == Value.of(True)
        assert wait_for(lambda: not descendants(pid) - {pid})


def test_probe_names_every_layer_and_attempt() -> None:
    reports = {report.name: report for report in probe()}
    assert set(LAYERS) | set(ATTEMPTS) <= set(reports)
    assert all(report.detail for report in reports.values())


def test_workers_are_recycled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consilience.sandbox.pool.RECYCLE", 3)
    with ForkServer(workers=1) as server:
        pids = set()
        for number in range(7):
            pids |= {worker_pid(server)} if any(server._idle.values()) else set()
            assert server.run([IDENTITY], "f", [(number,)])[0][0].ok
        assert len(pids) > 1


def test_many_threads_may_share_a_pool(server: ForkServer) -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        rows = server.run([f"def f(x): return x + {number}"], "f", [(1,)] * 5)
        if [outcome.value for outcome in rows[0]] != [Value.of(1 + number)] * 5:
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("without", [(), ("namespaces",)])
def test_a_worker_outlives_the_thread_that_needed_it(without: tuple[str, ...]) -> None:
    programs = [f"def f(x): return x + {number}" for number in range(6)]
    others = children()
    with ForkServer(workers=2, without=without) as server:
        thread = threading.Thread(target=lambda: server.run(programs, "f", [(1,)]))
        thread.start()
        thread.join()
        started = children() - others
        assert started
        assert not [pid for pid in started if ") Z " in Path(f"/proc/{pid}/stat").read_text()]


def children() -> set[str]:
    tasks = Path(f"/proc/{os.getpid()}/task")
    return {pid for file in tasks.glob("*/children") for pid in file.read_text().split()}


@pytest.mark.parametrize("victim", ["launcher", "worker"])
def test_a_killed_worker_loses_no_result_and_leaves_no_orphan(victim: str) -> None:
    with ForkServer(workers=1) as server:
        top = worker_pid(server)
        line = sorted(descendants(top))
        target = top if victim == "launcher" else line[-1]
        everyone = descendants(top)
        killer = threading.Timer(0.4, lambda: os.kill(target, signal.SIGKILL))
        killer.start()
        outcomes = server.run([SLOW], "f", [(0.2,), (0.8,), (0.1,)])[0]
        killer.join()
        assert [outcome.status for outcome in outcomes] == ["ok", "ok", "ok"]
        assert wait_for(lambda: not any(alive(pid) for pid in everyone))


def test_a_killed_judge_leaves_no_orphan(tmp_path: Path) -> None:
    script = (
        "import sys, threading\nsys.path.insert(0, sys.argv[1])\n"
        "from consilience.sandbox.pool import ForkServer\n"
        f"server = ForkServer(workers=2)\nprogram = {SLOW!r}\n"
        "print('ready', flush=True)\n"
        "server.run([program, program + 'y = 1'], 'f', [(15,)])\n"
    )
    source = str(Path(__file__).parents[2] / "src")
    with subprocess.Popen(
        [sys.executable, "-c", script, source], stdout=subprocess.PIPE, text=True
    ) as judge:
        assert judge.stdout is not None
        assert judge.stdout.readline() == "ready\n"
        assert wait_for(lambda: len(descendants(judge.pid)) >= 5)
        everyone = descendants(judge.pid) - {judge.pid}
        judge.kill()
    assert wait_for(lambda: not any(alive(pid) for pid in everyone))


def test_a_worker_grows_neither_in_descriptors_nor_in_memory() -> None:
    worker = WorkerProcess(Setup(LAYERS))
    worker.close()
    with ForkServer(workers=1) as server:
        server.run([IDENTITY], "f", [(0,)])
        pid = max(descendants(worker_pid(server)))
        before = usage(pid)
        for number in range(150):
            server.run([f"def f(x): return {number}"], "f", [(0,)])
        after = usage(pid)
    assert after[0] == before[0]
    assert after[1] - before[1] < 512


def worker_pid(server: ForkServer) -> int:
    """Return the process that the judge started for its idle worker."""
    (worker,) = [one for idle in server._idle.values() for one in idle][:1]
    return worker._process.pid


def descendants(pid: int) -> set[int]:
    """Return *pid* and every process below it."""
    found = {pid}
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found |= descendants(int(child))
    return found


def alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return False
    return fields[0] not in {"Z", "X"}


def usage(pid: int) -> tuple[int, int]:
    """Return how many descriptors and how many KiB of memory a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), int(resident.split()[1])


def wait_for(condition: object, seconds: float = 8.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False
