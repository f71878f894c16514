"""Namespaces: a root of its own, read-only, with no other process, network or host name."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

from . import kernel

NEW_MOUNT, NEW_UTS, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC = 1, 2, 4, 8
REMOUNT, BIND, RECURSIVE, PRIVATE = 32, 4096, 16384, 1 << 18
DETACH = 2
STAGING = "/tmp"  # noqa: S108 - only a mount point, inside a mount namespace of our own


def enter() -> None:
    """Leave the host's namespaces; the pid namespace holds from the next fork on.

    Raises OSError where the kernel or its policy refuses.
    """
    kinds = NEW_MOUNT | NEW_PID | NEW_NET | NEW_IPC | NEW_UTS
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        kernel.checked(kernel.libc.unshare(ctypes.c_int(kinds)), "unshare")
        return
    kernel.checked(kernel.libc.unshare(ctypes.c_int(kinds | NEW_USER)), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def build_root(paths: Sequence[str], scratch_mb: int = 0) -> None:
    """Make a root that holds only *paths*, read-only at their own places, and move into it.

    /tmp is empty and read-only; with *scratch_mb* it may be written, up to that size.
    """
    _mount("none", "/", None, RECURSIVE | PRIVATE)
    kept = [path for path in dict.fromkeys(paths) if os.path.lexists(path)]
    links = {path: os.readlink(path) for path in kept if os.path.islink(path)}
    # Opened first: the staging mount may hide some of them.
    handles = {
        path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in kept if path not in links
    }
    folders = {path for path in handles if os.path.isdir(path)}
    _mount("tmpfs", STAGING, "tmpfs", NO_SUID | NO_DEVICES, "size=1m,mode=0755")
    _make_folder("/tmp")  # noqa: S108 - the one that candidates see
    if scratch_mb:  # before the others: an environment may lie in /tmp
        size = f"size={scratch_mb}m,nr_inodes=4096,mode=1777"
        flags = NO_SUID | NO_DEVICES | NO_EXEC
        _mount("tmpfs", STAGING + "/tmp", "tmpfs", flags, size)  # noqa: S108 - as above
    for path, target in links.items():
        _make_folder(os.path.dirname(path))
        os.symlink(target, STAGING + path)
    for path, handle in handles.items():
        _bind(path, handle, folder=path in folders)
    _pivot()


def _bind(path: str, handle: int, *, folder: bool) -> None:
    if folder:
        _make_folder(path)
    else:
        _make_folder(os.path.dirname(path))
        os.close(os.open(STAGING + path, os.O_CREAT | os.O_WRONLY, 0o644))
    _mount(f"/proc/self/fd/{handle}", STAGING + path, None, BIND | RECURSIVE)
    os.close(handle)
    flags = BIND | REMOUNT | READ_ONLY | NO_SUID
    if not path.startswith("/dev/"):
        flags |= NO_DEVICES
    _remount(STAGING + path, flags)


def _remount(path: str, flags: int) -> None:
    """Set *flags*, keeping what an unprivileged namespace may not take off (as noexec)."""
    try:
        _mount("none", path, None, flags)
    except PermissionError:
        kept = os.statvfs(path).f_flag & (NO_SUID | NO_DEVICES | NO_EXEC | 1024 | 2048 | 4096)
        locked = kept & (NO_SUID | NO_DEVICES | NO_EXEC)
        locked |= kept & (1024 | 2048)  # noatime and nodiratime carry the same bits
        _mount("none", path, None, flags | locked | (1 << 21 if kept & 4096 else 0))


def _pivot() -> None:
    os.mkdir(STAGING + "/.old")
    new, old = STAGING.encode(), (STAGING + "/.old").encode()
    kernel.syscall("pivot_root", ctypes.c_char_p(new), ctypes.c_char_p(old))
    os.chdir("/")
    kernel.checked(kernel.libc.umount2(b"/.old", DETACH), "umount")
    os.rmdir("/.old")
    _mount("none", "/", None, REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES)


def _mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    arguments = (
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        data.encode() or None,
    )
    kernel.checked(kernel.libc.mount(*arguments), f"mount {target}")


def _make_folder(path: str) -> None:
    os.makedirs(STAGING + path, mode=0o755, exist_ok=True)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
