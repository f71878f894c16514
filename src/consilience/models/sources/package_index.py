"""Find a wheel by project and version, as pip would: simple API (JSON and HTML), folders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

import httpx2
import msgspec

from consilience.models.sources import SourceError

_JSON = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


@dataclass(frozen=True, slots=True)
class Link:
    """A wheel that an index offers."""

    url: str
    sha256: str | None = None
    """As the index states it; null where it does not."""

    @property
    def filename(self) -> str:
        """The last piece of the path."""
        return unquote(urlsplit(self.url).path).rpartition("/")[2]

    @property
    def file(self) -> Path | None:
        """The file on this machine, for a file: address."""
        parts = urlsplit(self.url)
        return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def find(
    client: httpx2.Client, indexes: tuple[str, ...], folders: tuple[str, ...], wheel: str
) -> Link:
    """Find *wheel*, given as "project==version".

    Raises:
        SourceError: no index and no folder has it; says what each answered.
    """
    project, _, version = wheel.partition("==")
    reasons: list[str] = []
    for link in _in_folders(folders):
        if _is(link, project, version):
            return link
    for index in indexes:
        try:
            links = _listed(client, f"{index.rstrip('/')}/{normal(project)}/")
        except (SourceError, httpx2.HTTPError, OSError) as error:
            reasons.append(f"{_shown(index)}: {error or type(error).__name__}")
            continue
        for link in links:
            if _is(link, project, version):
                return link
        reasons.append(f"{_shown(index)}: no wheel of that version")
    message = f"{wheel} is not to be had ({'; '.join(reasons) or 'no index'})."
    raise SourceError(message)


def normal(project: str) -> str:
    """Normalise a project's name as the simple API demands."""
    return re.sub(r"[-_.]+", "-", project).lower()


def _is(link: Link, project: str, version: str) -> bool:
    pieces = link.filename.split("-")
    right = link.filename.endswith(".whl") and len(pieces) >= 5
    return right and normal(pieces[0]) == normal(project) and pieces[1] == version


def _in_folders(folders: tuple[str, ...]) -> Iterator[Link]:
    for folder in folders:
        place = Link(folder).file or Path(folder)
        if place.is_dir():
            yield from (Link(file.resolve().as_uri()) for file in sorted(place.glob("*.whl")))


def _listed(client: httpx2.Client, page: str) -> list[Link]:
    """Read the page of a project, from the web or from a folder laid out like it."""
    if (folder := Link(page).file) is not None:
        return html_links((folder / "index.html").read_text("utf-8"), page)
    response = client.get(page, headers={"Accept": _ACCEPT})
    if response.is_error:
        message = f"refused with {response.status_code}"
        raise SourceError(message)
    # Files on the index's own host need its credentials again; another host must not see them.
    base = str(
        response.url.copy_with(userinfo=urlsplit(page).netloc.rpartition("@")[0].encode())
    )
    if _JSON in response.headers.get("content-type", ""):
        return json_links(response.content, base)
    return html_links(response.text, base)


def json_links(content: bytes, base: str) -> list[Link]:
    """Read a page in JSON (PEP 691)."""
    try:
        page: dict[str, Any] = msgspec.json.decode(content, type=dict[str, Any])
        return [
            Link(_joined(base, file["url"]), file.get("hashes", {}).get("sha256"))
            for file in page["files"]
        ]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError) as error:
        message = "its answer is not a page of the simple API"
        raise SourceError(message) from error


def html_links(content: str, base: str) -> list[Link]:
    """Read a page in HTML (PEP 503)."""
    anchors = _Anchors()
    anchors.feed(content)
    links = []
    for reference in anchors.references:
        address, fragment = urldefrag(_joined(base, reference))
        algorithm, _, value = fragment.partition("=")
        links.append(Link(address, value if algorithm == "sha256" else None))
    return links


def _joined(base: str, reference: str) -> str:
    """Resolve *reference*; on the host of *base* it inherits the credentials of *base*."""
    joined = urljoin(base, reference)
    here, there = urlsplit(base), urlsplit(joined)
    same = (here.hostname, here.port) == (there.hostname, there.port)
    if same and "@" in here.netloc and "@" not in there.netloc:
        return there._replace(netloc=here.netloc).geturl()
    return joined


def _shown(index: str) -> str:
    """Name an index without its credentials."""
    parts = urlsplit(index)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        reference = dict(attrs).get("href")
        if tag == "a" and reference:
            self.references.append(reference)
