import pytest
import stamina


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "CONSILIENCE_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def no_waiting():
    stamina.set_testing(True, attempts=8)
    yield
    stamina.set_testing(False)
