"""Landlock: the process may read what is named and nothing else, whoever it runs as."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Sequence

from . import kernel

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
READ = EXECUTE | READ_FILE | READ_DIR
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
# What may be said about a path that is no folder.
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
BEFORE_REFER = (1 << 13) - 1
NEWER = {2: 1 << 13, 3: TRUNCATE, 5: IOCTL_DEVICE}
TCP_BIND_AND_CONNECT = 3
SCOPE_SOCKETS_AND_SIGNALS = 3


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return the kernel's Landlock ABI, 0 where there is none.

    Asks the kernel itself: /sys/kernel/security/lsm is absent on machines that have Landlock.
    """
    try:
        nothing, size, ask = ctypes.c_void_p(0), ctypes.c_size_t(0), ctypes.c_uint32(1)
        return max(0, kernel.syscall("landlock_create_ruleset", nothing, size, ask))
    except OSError:
        return 0


def restrict(
    readable: Sequence[str], writable: Sequence[str] = (), listed: Sequence[str] = ()
) -> int:
    """Confine this process to *readable* and *writable* for good; return the ABI used.

    Of *listed* folders the names can be read, not what is in the files.

    Raises OSError where the kernel has no Landlock or refuses.
    """
    abi = version()
    if abi < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    handled = BEFORE_REFER | sum(bit for since, bit in NEWER.items() if abi >= since)
    ruleset = _create(abi, handled)
    for path in readable:
        _allow(ruleset, path, READ & handled)
    for path in listed:
        _allow(ruleset, path, READ_DIR)
    for path in writable:
        _allow(ruleset, path, handled)
    kernel.syscall("landlock_restrict_self", ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)
    return abi


def _create(abi: int, handled: int) -> int:
    network = TCP_BIND_AND_CONNECT if abi >= 4 else 0
    scoped = SCOPE_SOCKETS_AND_SIGNALS if abi >= 6 else 0
    attributes = _Attributes(handled, network, scoped)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    arguments = (ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    return kernel.syscall("landlock_create_ruleset", *arguments)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        access &= ON_FILES
    rule = _Rule(access, parent)
    kind, flags = ctypes.c_int(1), ctypes.c_uint32(0)
    fd = ctypes.c_int(ruleset)
    kernel.syscall("landlock_add_rule", fd, kind, ctypes.byref(rule), flags)
    os.close(parent)
