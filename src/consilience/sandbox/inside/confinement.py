"""Take the layers on, one after the other, and tell which of them held.

Order matters: the root is built while there is still the right to mount, the user is left
before the capabilities are dropped, and the filter comes last because all the others need calls
it denies.
"""

from __future__ import annotations

import os
import resource
import signal
import stat
import sysconfig
from collections.abc import Callable, Sequence

from . import kernel, landlock, namespaces

LAYERS = ("namespaces", "uid", "capabilities", "no_new_privs", "landlock", "rlimits", "seccomp")
Report = tuple[str, bool, str]
"""Layer, granted, and what the kernel said."""

DEVICES = ("/dev/null", "/dev/urandom", "/dev/zero")
LIBRARIES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
)
SCRATCH = "/tmp"  # noqa: S108 - inside a root of our own
FIRST_UID = 200_000
MEGABYTE = 1 << 20
# Constant for every program; memory and CPU time are set by each child for its own job.
RLIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_NOFILE: 32,
    resource.RLIMIT_STACK: 64 * MEGABYTE,
}
THREADS = 64


class NamespaceError(Exception):
    """The namespaces could not be entered; the process is half moved and of no use."""


def readable_paths(packages: Sequence[str]) -> list[str]:
    """Return what a program must be able to read: standard and shared libraries, packages."""
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    paths = [*library, *packages, *LIBRARIES, *DEVICES]
    paths = [os.path.realpath(path) if path in packages else path for path in paths]
    return _without_nested(list(dict.fromkeys(paths)))


def confine(
    wanted: Sequence[str],
    readable: Sequence[str],
    scratch_mb: int = 0,
    *,
    own: Sequence[str] = (),
    roots: Sequence[str] = (),
) -> tuple[list[Report], int]:
    """Apply every layer in *wanted* but seccomp, which comes after preloading.

    With *scratch_mb*, /tmp is a writable file system of that size, for the namespaces' stack
    only. *own* are those of the readable paths that are the user's, and in *roots* all names
    may be listed.

    Returns the reports and a descriptor of this process' /proc/self/statm, which is out of
    reach afterwards. Raises NamespaceError where namespaces were wanted and refused half way.
    """
    reports: list[Report] = []
    if "namespaces" in wanted:
        statm, report = _enter_namespaces(readable, scratch_mb)
        reports.append(report)
    else:
        statm = _open_statm()
    # Without a root of our own /tmp is the real one, which nobody may write.
    own_scratch = scratch_mb and "namespaces" in wanted
    writable = ["/dev/null", SCRATCH] if own_scratch else ["/dev/null"]
    os.chdir(SCRATCH if own_scratch else "/")
    file_size = max(MEGABYTE, scratch_mb * MEGABYTE)
    # Bound into a root of our own, a path needs no folders above it that others may pass.
    inside = "namespaces" in wanted
    closed = _not_for_others(own) if inside else _closed_to_others(readable)
    steps: dict[str, Callable[[], str]] = {
        "uid": lambda: _leave_root(closed),
        "capabilities": _drop_capabilities,
        "no_new_privs": lambda: str(kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1) or "set"),
        "landlock": lambda: f"ABI {landlock.restrict(readable, writable, roots)}",
        "rlimits": lambda: _limit_resources(file_size),
    }
    reports += [_attempt(name, step) for name, step in steps.items() if name in wanted]
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    return reports, statm


def own_processes(reports: Sequence[Report]) -> bool:
    """Tell whether this user's processes are the worker's alone and can be limited."""
    inside = any(name == "namespaces" and granted for name, granted, _ in reports)
    return inside or os.getuid() >= FIRST_UID


def _attempt(name: str, step: Callable[[], str]) -> Report:
    try:
        return name, True, step()
    except OSError as error:
        return name, False, str(error)


def _enter_namespaces(readable: Sequence[str], scratch_mb: int) -> tuple[int, Report]:
    """Move into the namespaces; returns only in the process that is pid 1 of the new one."""
    try:
        namespaces.enter()
        _continue_as_first_process()
        statm = _open_statm()
        namespaces.build_root(readable, scratch_mb)
    except OSError as error:
        raise NamespaceError(str(error)) from error
    return statm, ("namespaces", True, "mount, pid, network, ipc, host name")


def _open_statm() -> int:
    """Open this process' memory counters; -1 where there is no /proc."""
    try:
        return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _continue_as_first_process() -> None:
    child = os.fork()
    if child == 0:
        return
    # Only the child holds the judge's socket on: when the judge is gone, the child reads its
    # end.
    os.closerange(3, 64)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _leave_root(closed: str) -> str:
    if os.getuid() != 0:
        return f"already uid {os.getuid()}"
    if closed:
        raise OSError(
            1, f"{closed} is closed to other users; root without capabilities instead"
        )
    uid = FIRST_UID + os.getpid() if os.getpid() > 1 else FIRST_UID + _random_offset()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    return f"uid {uid}"


def _random_offset() -> int:
    """Spread workers that all are pid 1 of their own namespace over many user ids."""
    return int.from_bytes(os.urandom(3), "little")


def _drop_capabilities() -> str:
    kernel.drop_capabilities()
    return "all dropped"


def _limit_resources(file_size: int) -> str:
    lower_limit(resource.RLIMIT_FSIZE, file_size)
    for kind, value in RLIMITS.items():
        lower_limit(kind, value)
    return "files, stack, locked memory, cores"


def lower_limit(kind: int, value: int) -> None:
    """Set soft and hard limit to *value*, or to the hard limit in force where that is lower."""
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _closed_to_others(paths: Sequence[str]) -> str:
    """Return the first folder on the way to *paths* that another user could not pass."""
    for path in paths:
        for folder in _with_parents(path):
            mode = os.stat(folder).st_mode if os.path.exists(folder) else stat.S_IXOTH
            if os.path.isdir(folder) and not mode & stat.S_IXOTH:
                return folder
    return ""


def _not_for_others(paths: Sequence[str]) -> str:
    """Return the first of *paths* that another user could not read."""
    for path in paths:
        wanted = stat.S_IROTH | (stat.S_IXOTH if os.path.isdir(path) else 0)
        if os.path.exists(path) and os.stat(path).st_mode & wanted != wanted:
            return path
    return ""


def _with_parents(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part]
    return ["/" + "/".join(parts[: count + 1]) for count in range(len(parts))]


def _without_nested(paths: Sequence[str]) -> list[str]:
    """Drop the paths that lie inside another one."""
    return [
        path
        for path in paths
        if not any(path != other and path.startswith(other + "/") for other in paths)
    ]
