"""A task, programs for it, and a judge whose model is a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from consilience.judge import Judge
from consilience.models.scripted import Script, ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store


@pytest.fixture(scope="session")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


@pytest.fixture
def judge(sandbox: ForkServer, tmp_path: Path) -> Iterator[Callable[[Script], Judge]]:
    with Store(tmp_path / "store.sqlite") as store:
        settings = preset("economy", inputs=6, n_inductive=6, n_transductive=3)
        yield lambda script: Judge(ScriptedModel(script), sandbox, store, settings)
