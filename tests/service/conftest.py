"""A service in this process: the real queue, journal and sandbox, and a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from service_stand import BOUNDS, Service, answer

from consilience.models import Ledger
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.service.jobs import Queue
from consilience.service.journal import Journal
from consilience.service.work import Work
from consilience.settings import preset
from consilience.store import Store


@pytest.fixture(scope="session")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as server:
        yield server


@pytest.fixture
def service(sandbox: ForkServer, tmp_path: Path) -> Iterator[Service]:
    model = ScriptedModel(answer, name="scripted")
    settings = preset("economy", inputs=4, n_inductive=4)
    with Store(tmp_path / "store.sqlite") as store:
        work = Work(model, sandbox, store, settings, Ledger())
        journal = Journal(tmp_path / "jobs.sqlite")
        queue = Queue(work.do, journal, BOUNDS)
        yield Service(work, model, queue)
        queue.close()
        journal.close()
