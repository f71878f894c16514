"""The filters, run instruction by instruction on both architectures."""

from __future__ import annotations

import errno
import struct

import pytest

from consilience.sandbox.inside import kernel, seccomp

MACHINES = ("x86_64", "aarch64")
ALLOW, KILL = seccomp.ALLOW, seccomp.KILL
EPERM, ENOSYS = seccomp.DENY, seccomp.MISSING
PID = 4321
# Numbers of calls that no program may make: (x86_64, aarch64).
FORBIDDEN = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "socket": (41, 198),
    "connect": (42, 203),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "pivot_root": (155, 41),
    "shmget": (29, 194),
    "memfd_create": (319, 279),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "unlinkat": (263, 35),
    "chdir": (80, 49),
    "fchmodat": (268, 53),
    "setuid": (105, 146),
    "setrlimit": (160, 164),
    "tkill": (200, 130),
    "kcmp": (312, 272),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
}


def run(code: list[seccomp.Instruction], machine: str, call: int, *arguments: int) -> int:
    """Interpret a filter on a call, as the kernel does."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    words = [value & (2**64 - 1) for value in padded]
    data = struct.pack("<IIQ6Q", call, seccomp.AUDIT_ARCH[machine], 0, *words)
    place = loaded = 0
    while True:
        operation, then, otherwise, value = code[place]
        place += 1
        if operation == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
        elif operation == 0x06:
            return value
        else:
            tests = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}
            place += then if tests[operation] else otherwise


def child(machine: str, call: int, *arguments: int) -> int:
    """Return the stricter answer of both filters, with the pid filled in."""
    code, pid_at = seccomp.child_instructions(machine)
    code[pid_at] = (*code[pid_at][:3], PID)
    answers = [run(one, machine, call, *arguments) for one in (worker(machine), code)]
    return next((answer for answer in answers if answer != ALLOW), ALLOW)


def worker(machine: str) -> list[seccomp.Instruction]:
    return seccomp.worker_instructions(machine)


def number(name: str, machine: str) -> int:
    found = kernel.number(name, machine)
    assert found is not None
    return found


@pytest.mark.parametrize("machine", MACHINES)
def test_everything_that_is_listed_is_allowed(machine: str) -> None:
    for name in seccomp.CANDIDATE_CALLS:
        call = kernel.number(name, machine)
        assert call is None or child(machine, call) == ALLOW, name


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", FORBIDDEN)
def test_the_dangerous_calls_are_refused(name: str, machine: str) -> None:
    call = FORBIDDEN[name][MACHINES.index(machine)]
    assert child(machine, call) == EPERM
    assert run(worker(machine), machine, call) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_worker_may_do_what_is_its_own(machine: str) -> None:
    for name in seccomp.WORKER_CALLS:
        call = number(name, machine)
        assert run(worker(machine), machine, call) == ALLOW
        assert child(machine, call) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_child_makes_threads_but_no_processes(machine: str) -> None:
    clone = number("clone", machine)
    assert child(machine, clone, 0x01200011) == EPERM  # what fork asks for
    assert run(worker(machine), machine, clone, 0x01200011) == ALLOW
    assert child(machine, clone, 0x003D0F00) == ALLOW  # what pthread_create asks for
    assert child(machine, number("clone3", machine)) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_where_they_must(machine: str) -> None:
    def answer(name: str, *arguments: int) -> int:
        return child(machine, number(name, machine), *arguments)

    assert answer("tgkill", PID, PID, 6) == ALLOW
    assert answer("tgkill", PID + 1, PID + 1, 9) == EPERM
    assert answer("prlimit64", 0, 9, 0, 1) == ALLOW
    assert answer("prlimit64", 0, 9, 1 << 40, 0) == EPERM
    assert answer("prlimit64", 0, 9, 8, 0) == EPERM
    assert answer("fcntl", 3, 1) == ALLOW
    assert [answer("fcntl", 3, command) for command in (4, 8, 10, 1031)] == [EPERM] * 4
    assert answer("ioctl", 1, 0x5401) == ALLOW
    assert answer("ioctl", 1, 0x5412) == EPERM  # TIOCSTI types into the terminal
    assert answer("socketpair", 1, 1, 0) == ALLOW
    assert answer("socketpair", 2, 1, 0) == EPERM
    assert answer("sendto", 3, 1, 1, 0, 0) == ALLOW
    assert answer("sendto", 3, 1, 1, 0, 1 << 33) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_other_doors_into_the_kernel_are_shut(machine: str) -> None:
    other = dict(zip(MACHINES, reversed(MACHINES), strict=True))[machine]
    code = worker(machine)
    assert run(code, other, number("read", other)) == KILL
    if machine == "x86_64":
        assert run(code, machine, 0x40000000 | number("read", machine)) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_a_scratch_folder_adds_only_the_writing_calls(machine: str) -> None:
    plain, writing = worker(machine), seccomp.worker_instructions(machine, writing=True)
    differing = {
        call for call in range(500) if run(plain, machine, call) != run(writing, machine, call)
    }
    named = {kernel.number(name, machine) for name in seccomp.WRITING_CALLS}
    assert differing == named - {None}


def test_jumps_are_short_enough_for_the_kernel() -> None:
    for machine in MACHINES:
        code = seccomp.worker_instructions(machine, writing=True)
        code += seccomp.child_instructions(machine)[0]
        assert all(then < 256 and otherwise < 256 for _, then, otherwise, _ in code)


def test_refusals_carry_an_error_that_python_reports_as_such() -> None:
    assert EPERM & 0xFFFF == errno.EPERM
    assert ENOSYS & 0xFFFF == errno.ENOSYS
