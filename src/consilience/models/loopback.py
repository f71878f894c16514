"""Carry requests to a server in this process, and break them off when asked to.

The usual transport cannot do the latter: closing a socket does not wake the thread that reads
from it, and llama.cpp would go on generating an answer for which nobody waits.
"""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import suppress

import httpx2


class Loopback(httpx2.BaseTransport):
    """One plain HTTP connection a request; proxies of the environment are not asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[http.client.HTTPConnection] = set()
        self._closed = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send *request* and wait for the whole answer, however long that takes."""
        connection = http.client.HTTPConnection(request.url.host, request.url.port)
        try:
            self._enter(connection)
            target = request.url.raw_path.decode("ascii")
            connection.request(request.method, target, request.read(), dict(request.headers))
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise httpx2.ReadError(
                str(error) or "it was broken off", request=request
            ) from error
        finally:
            self._leave(connection)
        return httpx2.Response(answer.status, headers=answer.getheaders(), content=content)

    def close(self) -> None:
        """Break off every request that is on its way."""
        with self._lock:
            self._closed = True
            for connection in self._open:
                with suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def _enter(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if self._closed:
                raise OSError("the server was closed")
            connection.connect()
            self._open.add(connection)

    def _leave(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._open.discard(connection)
        connection.close()
