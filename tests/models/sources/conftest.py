from collections.abc import Iterator

import pytest
from loopback_web import Web


@pytest.fixture
def web() -> Iterator[Web]:
    opened = Web()
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _settings(monkeypatch, tmp_path):
    for name in (
        "PIP_EXTRA_INDEX_URL",
        "PIP_FIND_LINKS",
        "PIP_CERT",
        "UV_INDEX_URL",
        "HF_TOKEN",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def index(web, monkeypatch) -> Web:
    """The registry, named as this user's only index."""
    monkeypatch.setenv("PIP_INDEX_URL", f"{web.url}/simple/")
    return web
