"""The system-call filters: a long allow-list for the worker, a short tightening for each child.

The worker needs a few calls more than a candidate (fork, wait, kill...). It takes the allow-list
of both on itself once; each child then only adds the filter that takes the difference away. That
is as strong as one filter and several times cheaper to install a child.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence

from . import kernel

Instruction = tuple[int, int, int, int]

ALLOW = 0x7FFF0000
KILL = 0x80000000
DENY = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
CLONE_THREAD = 0x00010000
SET_MODE_FILTER = 1

CANDIDATE_CALLS = (
    *("access", "alarm", "arch_prctl", "brk", "clock_getres", "clock_gettime", "clock_nanosleep"),
    *("close", "dup", "dup2", "dup3", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait"),
    *("eventfd2", "exit", "exit_group", "faccessat", "faccessat2", "fstat", "futex"),
    *("get_robust_list", "getcpu", "getcwd", "getdents64", "getegid", "geteuid", "getgid"),
    *("getitimer", "getpgrp", "getpid", "getppid", "getrandom", "getrlimit", "getrusage"),
    *("gettid", "gettimeofday", "getuid", "lseek", "lstat", "madvise", "membarrier", "mincore"),
    *("mmap", "mprotect", "mremap", "msync", "munmap", "nanosleep", "newfstatat", "openat"),
    *("pause", "pipe2", "poll", "ppoll", "pread64", "pselect6", "read", "readlink"),
    *("readlinkat", "readv", "recvfrom", "restart_syscall", "rseq", "rt_sigaction"),
    *("rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_getparam"),
    *("sched_getscheduler", "sched_yield", "select", "set_robust_list", "setitimer"),
    *("sigaltstack", "stat", "statx", "sysinfo", "times", "uname", "write", "writev"),
)
WRITING_CALLS = (
    *("chdir", "fdatasync", "fsync", "ftruncate", "mkdir", "mkdirat", "pwrite64", "rename"),
    *("renameat", "renameat2", "rmdir", "statfs", "fstatfs", "unlink", "unlinkat"),
)
"""What programs with a scratch folder may call besides."""
WORKER_CALLS = ("kill", "pidfd_open", "prctl", "recvmsg", "seccomp", "sendmsg", "wait4")
# F_DUPFD, GETFD, SETFD, GETFL, DUPFD_CLOEXEC: F_SETOWN with F_SETSIG could make the kernel signal
# the judge.
FCNTL_COMMANDS = (0, 1, 2, 3, 1030)
# TCGETS, TIOCGWINSZ, FIOCLEX, FIONREAD, FIONBIO
IOCTL_REQUESTS = (0x5401, 0x5413, 0x5451, 0x541B, 0x5421)
AF_UNIX = 1


class Filter:
    """A BPF program in the form that the kernel takes, and the place of the pid inside it."""

    __slots__ = ("_arguments", "_buffer", "_pid_at", "_program")

    def __init__(self, instructions: Sequence[Instruction], pid_at: int | None = None) -> None:
        raw = b"".join(struct.pack("HBBI", *one) for one in instructions)
        self._buffer = ctypes.create_string_buffer(raw, len(raw))
        self._program = _Program(len(instructions), ctypes.addressof(self._buffer))
        self._pid_at = pid_at
        # All arguments are made beforehand: each first touch of memory costs a child a copied page.
        number = ctypes.c_long(kernel.number("seccomp") or 0)
        mode, flags = ctypes.c_ulong(SET_MODE_FILTER), ctypes.c_ulong(0)
        self._arguments = (number, mode, flags, ctypes.byref(self._program))

    def install(self, pid: int = 0) -> None:
        """Put the filter on this process; needs no_new_privs."""
        if self._pid_at is not None:
            struct.pack_into("I", self._buffer, self._pid_at * 8 + 4, pid)
        kernel.checked(kernel.libc.syscall(*self._arguments), "seccomp")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def worker_filter(machine: str = kernel.MACHINE, *, writing: bool = False) -> Filter:
    """Return the allow-list of the worker: what candidates may call, and what it needs itself."""
    return Filter(worker_instructions(machine, writing=writing))


def child_filter(machine: str = kernel.MACHINE) -> Filter:
    """Return the filter that takes from a child what only the worker may do."""
    instructions, pid_at = child_instructions(machine)
    return Filter(instructions, pid_at)


def worker_instructions(machine: str, *, writing: bool = False) -> list[Instruction]:
    """Assemble the allow-list; everything that is not named is refused with EPERM."""
    code = _prologue(machine)
    allowed = (*CANDIDATE_CALLS, *WORKER_CALLS, "clone", "prlimit64")
    if writing:
        allowed += WRITING_CALLS
    # The calls of hot loops come first; the kernel caches constant answers in any case.
    for call in _numbers(allowed, machine):
        code += [_equal(call, 0, 1), _return(ALLOW)]
    code += _only_values("fcntl", 1, FCNTL_COMMANDS, machine)
    code += _only_values("ioctl", 1, IOCTL_REQUESTS, machine)
    code += _only_values("socketpair", 0, (AF_UNIX,), machine)
    code += _only_null("sendto", 4, machine)
    code += [_equal(_must("tgkill", machine), 0, 1), _return(ALLOW)]
    code += [_equal(_must("clone3", machine), 0, 1), _return(MISSING)]
    return [*code, _return(DENY)]


def child_instructions(machine: str) -> tuple[list[Instruction], int]:
    """Assemble the tightening, and tell at which instruction the child's own pid goes."""
    code = _prologue(machine)
    for call in _numbers(WORKER_CALLS, machine):
        code += [_equal(call, 0, 1), _return(DENY)]
    thread = [_load(_low(0)), (0x45, 1, 0, CLONE_THREAD), _return(DENY), _return(ALLOW)]
    code += [_equal(_must("clone", machine), 0, len(thread)), *thread]
    code += _only_null("prlimit64", 2, machine)
    pid_at = len(code) + 2
    code += _only_values("tgkill", 0, (0,), machine)
    return [*code, _return(ALLOW)], pid_at


def _prologue(machine: str) -> list[Instruction]:
    """Kill what comes through another architecture's door; leave the call's number loaded."""
    code = [_load(4), _equal(AUDIT_ARCH[machine], 1, 0), _return(KILL), _load(0)]
    if machine == "x86_64":
        code += [(0x35, 0, 1, X32_BIT), _return(MISSING)]
    return code


def _only_values(
    call: str, argument: int, values: Sequence[int], machine: str
) -> list[Instruction]:
    """Allow *call* only where the low word of *argument* is one of *values*."""
    count = len(values)
    tests = [_equal(value, count - place, 0) for place, value in enumerate(values)]
    body = [_load(_low(argument)), *tests, _return(DENY), _return(ALLOW)]
    return [_equal(_must(call, machine), 0, len(body)), *body]


def _only_null(call: str, argument: int, machine: str) -> list[Instruction]:
    """Allow *call* only where the pointer *argument* is null."""
    low = _low(argument)
    body = [_load(low), _equal(0, 0, 2), _load(low + 4), _equal(0, 1, 0)]
    body += [_return(DENY), _return(ALLOW)]
    return [_equal(_must(call, machine), 0, len(body)), *body]


def _numbers(names: Sequence[str], machine: str) -> list[int]:
    known = (kernel.number(name, machine) for name in names)
    return [call for call in known if call is not None]


def _must(name: str, machine: str) -> int:
    call = kernel.number(name, machine)
    if call is None:
        raise OSError(errno.ENOSYS, f"{name} has no known number on {machine}")
    return call


def _load(offset: int) -> Instruction:
    return (0x20, 0, 0, offset)


def _equal(value: int, then: int, otherwise: int) -> Instruction:
    return (0x15, then, otherwise, value)


def _return(action: int) -> Instruction:
    return (0x06, 0, 0, action)


def _low(argument: int) -> int:
    """Offset of an argument's low word in seccomp_data (little-endian machines)."""
    return 16 + 8 * argument
