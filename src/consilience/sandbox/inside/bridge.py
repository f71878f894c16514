"""Carry a worker's sockets over one pair of pipes, for a worker in a container.

Sockets cannot be passed into a container, pipes can. Both ends run the same loop: the judge's
end holds the place of the worker, the container's end holds that of the judge. A frame is a
kind, the number of the job that it belongs to, a length, and bytes: `M` is a message of the
control socket, `J` opens a job, `D` is data of a job's socket, `E` its end.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct

from . import worker

HEADER = struct.Struct(">cII")
CHUNK = 1 << 16


def main() -> None:
    """Be the container's end: fork a worker, and carry its sockets over stdin and stdout."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        ours.close()
        nowhere = os.open("/dev/null", os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        worker.main(theirs.detach())
    theirs.close()
    Bridge(ours, 0, 1).run()
    os._exit(0)


class Bridge:
    """One end: a control socket on this side, a pair of pipes to the other."""

    def __init__(self, control: socket.socket, incoming: int, outgoing: int) -> None:
        self._control, self._incoming, self._outgoing = control, incoming, outgoing
        self._job: socket.socket | None = None
        self._number = 0

    def run(self) -> None:
        """Carry both ways until either side hangs up."""
        with contextlib.suppress(OSError, EOFError):
            while True:
                self._step()
        self._close_job()
        self._control.close()

    def _step(self) -> None:
        watched: list[socket.socket | int] = [self._control, self._incoming]
        if self._job:
            watched.append(self._job)
        ready, _, _ = select.select(watched, [], [])
        if self._incoming in ready:
            self._from_pipe()
        elif self._job in ready:
            self._from_job()
        else:
            self._from_control()

    def _from_control(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._control, CHUNK, 1)
        if not message:
            raise EOFError
        if descriptors:
            self._open_job(socket.socket(fileno=descriptors[0]), self._number + 1)
            self._send(b"J")
        else:
            self._send(b"M", message)

    def _from_job(self) -> None:
        if self._job is None:
            return
        try:
            data = self._job.recv(CHUNK)
        except OSError:
            data = b""
        self._send(b"D" if data else b"E", data)
        if not data:
            self._close_job()

    def _from_pipe(self) -> None:
        kind, number, size = HEADER.unpack(self._read(HEADER.size))
        body = self._read(size)
        if kind == b"M":
            self._control.send(body)
        elif kind == b"J":
            ours, theirs = socket.socketpair()
            self._open_job(ours, number)
            socket.send_fds(self._control, [b"J"], [theirs.fileno()])
            theirs.close()
        elif number == self._number and self._job:
            self._to_job(kind, body)

    def _to_job(self, kind: bytes, body: bytes) -> None:
        if kind == b"E" or self._job is None:
            self._close_job()
            return
        with contextlib.suppress(OSError):  # it may be gone already: its end will tell
            self._job.sendall(body)

    def _open_job(self, job: socket.socket, number: int) -> None:
        self._close_job()
        self._job, self._number = job, number

    def _close_job(self) -> None:
        if self._job:
            self._job.close()
        self._job = None

    def _send(self, kind: bytes, body: bytes = b"") -> None:
        data = HEADER.pack(kind, self._number, len(body)) + body
        while data:
            data = data[os.write(self._outgoing, data) :]

    def _read(self, size: int) -> bytes:
        parts, left = [], size
        while left:
            part = os.read(self._incoming, left)
            if not part:
                raise EOFError
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
