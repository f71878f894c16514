"""Download a file such that no byte is asked for twice, and check what came."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import httpx2

from consilience.errors import WeightsError
from consilience.models.sources import Progress, SourceError

CONNECT_SECONDS = 5.0
"""Short: a host that is blocked must not keep anyone waiting before the next source."""
READ_SECONDS = 60.0
BARREN_TRIES = 4
"""Tries in a row that brought nothing new."""


def client(verify: str | bool = True, proxy: str | None = None) -> httpx2.Client:
    """Open a client for downloads; a *verify* that is text names a file of certificates."""
    timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    context = httpx2.create_ssl_context(verify) if isinstance(verify, str) else verify
    return httpx2.Client(follow_redirects=True, timeout=timeout, verify=context, proxy=proxy)


def download(
    client: httpx2.Client, request: httpx2.Request, target: Path, progress: Progress
) -> None:
    """Bring *target* to its full length, from whatever length it has.

    Raises:
        SourceError: the server refuses, or the connection brings nothing new any more.
    """
    barren = 0
    while True:
        before = _length(target)
        try:
            _take_up(client, request, target, progress)
        except httpx2.RequestError as error:
            barren = 0 if _length(target) > before else barren + 1
            absent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            if barren >= BARREN_TRIES or (absent and before == 0):
                reason = str(error) or type(error).__name__
                message = f"{request.url.host} does not answer: {reason}."
                raise SourceError(message) from error
            time.sleep(0.2 * 2**barren)
        else:
            return


def check(file: Path, sha256: str, name: str, hint: str = "") -> None:
    """Compare *file* with its pin.

    Raises:
        WeightsError: names the file, what was expected and what was found.
    """
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != sha256:
        message = f"{name} is not what was pinned: expected sha256 {sha256}, found {found}."
        raise WeightsError(
            message, hint=hint or "It was not used; the source has been altered."
        )


def _length(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _take_up(
    client: httpx2.Client, request: httpx2.Request, target: Path, progress: Progress
) -> None:
    have = _length(target)
    # Not compressed: a range of a compressed body could not be joined to what is there.
    headers = {**request.headers, "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    with client.stream(request.method, request.url, headers=headers) as response:
        if response.status_code == 416 and have:
            _settle(response, target, have)
            return
        if response.is_error:
            message = f"{request.url.host} refused with {response.status_code}."
            raise SourceError(message)
        if response.status_code != 206:
            have = 0
        total = have + int(response.headers.get("content-length", 0))
        label = request.url.path.rpartition("/")[2]
        with target.open("ab" if have else "wb") as opened:
            for chunk in response.iter_raw():
                opened.write(chunk)
                have += len(chunk)
                progress(label, have, total)


def _settle(response: httpx2.Response, target: Path, have: int) -> None:
    """Tell a finished file, which leaves nothing to ask for, from one that is too long."""
    if response.headers.get("content-range", "").rpartition("/")[2] != str(have):
        target.unlink()
        message = "what was there did not fit"
        raise httpx2.ReadError(message, request=response.request)
