"""A cluster of two nodes on this machine: order, errors, calls home, and a worker killed."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from consilience.errors import ClusterError, QuotaError

pytest.importorskip("ray", reason="ray is not installed: the cluster is NOT tested")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own

from consilience.backends.ray import Ray, _connect  # noqa: E402
from consilience.bench.nodes import local_cluster  # noqa: E402

RUN = "import sys; from consilience.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:  # nodes must find this module, too
        found = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, found)))
        with local_cluster() as started:
            yield started


@pytest.fixture
def ray(cluster: Any) -> Iterator[Ray]:
    with Ray(cluster.address) as connected:
        yield connected


def twice(number: int) -> int:
    time.sleep(0.01 * (number % 3))
    return 2 * number


def fails_at_five(number: int) -> int:
    if number == 5:
        raise QuotaError("No credit.", hint="Pay.")
    return number


def dies_once(folder: str, number: int) -> int:
    mark = Path(folder, str(number))
    if number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_in_the_order_of_the_items_and_from_both_nodes(ray: Ray):
    assert list(ray.map(twice, range(20))) == [2 * number for number in range(20)]
    assert ray.at_once == 4


def test_an_error_comes_in_its_place_with_its_class_and_hint(ray: Ray):
    results = ray.map(fails_at_five, range(100))
    assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(QuotaError, match="No credit") as caught:
        next(results)
    assert caught.value.hint == "Pay."


def test_work_calls_home(ray: Ray):
    asked: list[int] = []

    def here(number: int) -> int:
        asked.append(number)
        return fails_at_five(number) + 100

    call = ray.home(here)
    assert list(ray.map(call, [1, 2, 3])) == [101, 102, 103]
    assert sorted(asked) == [1, 2, 3]
    with pytest.raises(QuotaError, match="No credit"):
        list(ray.map(call, [5]))


def test_an_item_whose_worker_was_killed_is_done_again(ray: Ray, tmp_path: Path):
    work = functools.partial(dies_once, str(tmp_path))
    assert list(ray.map(work, range(4))) == [0, 1, 2, 3]


def test_an_item_that_always_kills_its_worker_is_a_cluster_error(ray: Ray):
    with pytest.raises(ClusterError, match="lost a task 4 times"):
        list(ray.map(os._exit, [1]))


def test_an_address_where_nothing_listens_is_told_at_once(ray: Ray):
    import ray as real  # noqa: PLC0415

    with pytest.raises(ClusterError, match="No Ray cluster can be used at"):
        _connect(real, "127.0.0.1:1")


def test_rank_says_the_same_here_and_on_the_cluster(cluster: Any, tmp_path: Path):
    tasks, samples, suite = (tmp_path / f"{name}.jsonl" for name in ("tasks", "samples", "s"))
    prompt = 'def double(n: int) -> int:\n    """Return twice n."""\n'
    task = {"task_id": "own/1", "prompt": prompt, "entry_point": "double"}
    lines = ["def double(n):\n    return n ** 2", "def double(n):\n    return n + n"]
    rows = [{"task_id": "own/1", "solution": line} for line in lines]
    head = {"kind": "task", "schema": "consilience/suite/1", **task}
    test = {"kind": "test", "args": ["t", 3], "origin": "seed", "expected": 6}
    test |= {"route": "inductive", "confidence": 1.0, "votes": 5, "total": 5}
    test |= {"alternatives": [], "reliable": True, "inductive_confidence": 1.0}
    head |= {"examples": [], "metadata": {}}
    for path, wanted in ((tasks, [task]), (samples, rows), (suite, [head, test])):
        path.write_text("".join(json.dumps(row) + "\n" for row in wanted), encoding="utf-8")
    words = ["rank", tasks, samples, "--tests", suite, "--json"]
    command = [sys.executable, "-c", RUN, *map(str, words)]
    away = ["--backend", "ray", "--ray-address", cluster.address]
    local = subprocess.run(command, capture_output=True, check=True)
    there = subprocess.run([*command, *away], capture_output=True, check=False)
    assert there.stdout == local.stdout, there.stderr.decode()
    assert json.loads(there.stdout)["winner"]["label"] == "sample 1"
