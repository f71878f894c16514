"""Every attack has the outcome it should, harms no other call and leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import STACKS, Arena

from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import ForkServer
from consilience.values import Value, equal

REFUSED = {"FileNotFoundError", "OSError", "PermissionError"}
# What call 2 must come to: status, or status and the names of the exceptions that may be
# raised.
EXPECTED: dict[str, dict[str, set[str]]] = {
    "forkbomb": {"raised": REFUSED},
    "membomb": {"memory": set(), "timeout": set()},
    "memswallow": {"memory": set(), "timeout": set()},
    "loop": {"timeout": set()},
    "loop_bare": {"timeout": set()},
    "c_hang": {"timeout": set()},
    "regex_hang": {"timeout": set()},
    "sleep": {"timeout": set()},
    "sig_ignore": {"timeout": set()},
    "thread_outlive": {"ok": set()},
    "thread_bomb": {"raised": {"RuntimeError"}},
    "flood_print": {"ok": set()},
    "flood_fd": {"ok": set()},
    "disk": {"raised": REFUSED},
    "huge_ret": {"too_large": set(), "memory": set(), "timeout": set()},
    "deep_ret": {"too_large": set()},
    "recursion": {"raised": {"RecursionError"}},
    "stack_segv": {"crash": set()},  # up to Python 3.11: see `expected`
    "ctypes_segv": {"crash": set()},
    "abort": {"crash": set()},
    "fd_exhaust": {"ok": set()},
    "shm": {"ok": set()},
    "kill_parent": {"raised": REFUSED},
    "kill_parent_ct": {"ok": set()},
    "kill_all": {"ok": set()},
    "tgkill_parent": {"ok": set()},
    "fcntl_kill": {"ok": set()},
    "read_secret": {"raised": REFUSED},
    "read_etc": {"raised": REFUSED},
    "env_secret": {"raised": {"ZeroDivisionError"}},
    "proc_env": {"raised": REFUSED},
    "del_file": {"raised": REFUSED},
    "del_tree": {"ok": set()},
    "connect": {"raised": REFUSED},
    "subprocess": {"raised": REFUSED},
    "ptrace": {"ok": set()},
    "proc_mem": {"raised": REFUSED},
    "userns": {"ok": set()},
    "daemon": {"raised": REFUSED},
    "rlimit_up": {"memory": set()},
    "cross_talk": {"raised": REFUSED},
}
# A cheat misbehaves at every call: what each comes to, and the payload it may have.
CHEATS: dict[str, tuple[str, str]] = {
    "eq_true": ("ok", '["o","candidate","EQ"]'),
    "eq_int": ("ok", '["S","candidate","EQ",1,999]'),
    "steal": ("ok", "-999"),
    "forge": ("ok", "-999"),
    "forge_fd": ("ok", ""),  # at worst the same as returning those values
    "os_exit0": ("exit", ""),
    "sys_exit0": ("exit", ""),
    "exit_import": ("load_crash", ""),
    "patch_builtins": ("ok", '["S","candidate","F",1,["f","7.0"]]'),
    "atexit": ("ok", "-1"),
    "reduce": ("ok", '["o","candidate","R"]'),
    "manager_rce": ("ok", "-999"),
}
HONEST = "def f(x):\n    return [x, str(x)]\n"
CALLS = [(1,), (2,), (3,)]
TIGHT = Limits(cpu_seconds=0.3, wall_seconds=3.0, memory_mb=256, total_seconds=20.0)


def expected(name: str, python: tuple[int, int]) -> dict[str, set[str]]:
    """Give the right ends of call 2 under the version of Python that runs the programs."""
    if name == "stack_segv" and python >= (3, 12):
        return {"raised": {"RecursionError"}}  # the interpreter guards its C stack itself
    return EXPECTED[name]


def judge(
    name: str, outcomes: list[Outcome], python: tuple[int, int] = sys.version_info[:2]
) -> str:
    """Say what is wrong with an attack's outcomes; empty where all is right."""
    if name in CHEATS:
        return judge_cheat(name, outcomes)
    if name == "patch_wire":
        fine = all(
            o.status == "tampered" or _is(o, x) for o, (x,) in zip(outcomes, CALLS, strict=True)
        )
        return "" if fine else f"neither tampered nor honest: {outcomes}"
    first, second, third = outcomes
    if not (_is(first, 1) and _is(third, 3)):
        return f"an innocent call was harmed: {first}, {third}"
    allowed = expected(name, python)
    if second.status not in allowed:
        return f"call 2 came to {second}"
    if second.status == "raised" and second.error not in allowed["raised"]:
        return f"call 2 raised {second.error}"
    return "" if second.status != "ok" or _is(second, 2) else f"call 2 returned {second.value}"


def judge_cheat(name: str, outcomes: list[Outcome]) -> str:
    status, payload = CHEATS[name]
    if any(outcome.status != status for outcome in outcomes):
        return f"came to {outcomes}"
    if payload and any(o.value is None or o.value.payload != payload for o in outcomes):
        return f"returned {outcomes}"
    equal_to_honest = name != "forge_fd" and any(
        _is(o, x) for o, (x,) in zip(outcomes, CALLS, strict=True)
    )
    return "equal to the honest value" if equal_to_honest else ""


def _is(outcome: Outcome, number: int) -> bool:
    return outcome.ok and outcome.value is not None and equal(outcome.value, Value.of(number))


ALL = (*EXPECTED, *CHEATS, "patch_wire")


@pytest.mark.parametrize("name", ALL)
def test_attack_is_contained(
    name: str, stack_server: ForkServer, arena: Arena, attacks: dict[str, dict[str, str]]
) -> None:
    program = arena.arm(attacks[name]["source"])
    outcomes = stack_server.run([program], "f", CALLS, TIGHT)[0]
    assert judge(name, outcomes) == ""
    assert arena.traces() == []
    honest = stack_server.run([HONEST], "f", CALLS, TIGHT)[0]
    assert [outcome.value for outcome in honest] == [Value.of([x, str(x)]) for (x,) in CALLS]


def test_every_attack_has_an_expectation(attacks: dict[str, dict[str, str]]) -> None:
    assert set(ALL) == set(attacks)


SCRIPT = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
work = json.load(sys.stdin)
print(json.dumps(sys.version_info[:2]))
limits = Limits(**work["limits"])
with ForkServer(workers=1, without=work["without"]) as server:
    for name, program in work["programs"].items():
        for label, source in ((name, program), ("honest", work["honest"])):
            rows = server.run([source], "f", [(1,), (2,), (3,)], limits)[0]
            payloads = [o.value.payload if o.value else None for o in rows]
            told = [[o.status, o.error, payload] for o, payload in zip(rows, payloads)]
            print(json.dumps([label, told]))
"""


@pytest.mark.parametrize("stack", ["namespaces", "landlock"])
def test_attacks_are_contained_when_the_judge_is_no_root(
    stack: str, arena: Arena, attacks: dict[str, dict[str, str]]
) -> None:
    python = _python_for_everybody()
    programs = {name: arena.arm(attacks[name]["source"]) for name in ALL}
    limits = {"cpu_seconds": 0.3, "wall_seconds": 3.0, "memory_mb": 256}
    work = {"programs": programs, "limits": limits, "without": STACKS[stack], "honest": HONEST}
    paths = json.dumps(_paths())
    done = subprocess.run(
        [
            "setpriv",
            "--reuid=54321",
            "--regid=54321",
            "--clear-groups",
            python,
            "-c",
            SCRIPT,
            paths,
        ],
        input=json.dumps(work),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    if "SandboxError" in done.stderr and "confined" in done.stderr:
        pytest.skip(f"an unprivileged user has no {stack} here: {done.stderr[-300:]}")
    version, *rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, _ in rows[::2]] == list(programs), done.stderr
    python_run = (version[0], version[1])
    wrong = {
        name: judge(name, [_outcome(*one) for one in told], python_run)
        for name, told in rows[::2]
    }
    assert {name: why for name, why in wrong.items() if why} == {}
    assert all(told[0][2] == '["l",1,"1"]' for _, told in rows[1::2])
    assert arena.traces() == []


def _outcome(status: str, error: str | None, payload: str | None) -> Outcome:
    value = Value.from_wire(payload) if payload is not None else None
    return Outcome(status, value=value, error=error)  # type: ignore[arg-type]


def _paths() -> list[str]:
    """Return where ours and its dependencies lie."""
    installed = [entry for entry in sys.path if Path(entry).name == "site-packages"]
    return [str(Path(__file__).parents[2] / "src"), *installed]


def _python_for_everybody() -> str:
    """Return an interpreter that another user can run, or skip."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv to become another user; this run is one already")
    for python in (sys.executable, "/usr/bin/python3"):
        probe = f"import subprocess, sys; sys.path[:0] = {_paths()!r}; "
        probe += "import consilience.sandbox.pool; "
        probe += "from consilience.sandbox.process import interpreter; "
        probe += "subprocess.run([interpreter(), '-c', ''], check=True)"
        as_other = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", python]
        done = subprocess.run([*as_other, "-c", probe], capture_output=True, check=False)
        if done.returncode == 0:
            return python
    pytest.skip("no interpreter of Python 3.11 or newer here is open to other users")
