import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.backends import Backend
from consilience.backends.local import Threads


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(), max_size=30), st.integers(1, 6))
def test_results_come_in_the_order_of_the_items(items, workers):
    backend: Backend = Threads(workers)

    def slow_for_some(item: int) -> int:
        time.sleep(0.001 * (item % 3))
        return item * 2

    assert list(backend.map(slow_for_some, items)) == [item * 2 for item in items]


def test_workers_work_at_the_same_time():
    barrier = threading.Barrier(4, timeout=10)
    assert sorted(Threads(4).map(lambda _: barrier.wait(), range(4))) == [0, 1, 2, 3]


def test_only_a_bounded_number_of_items_is_taken_ahead():
    taken = []

    def source():
        for i in range(1000):
            taken.append(i)
            yield i

    results = Threads(2).map(lambda i: i, source())
    assert next(results) == 0
    time.sleep(0.1)
    assert len(taken) <= 6
    results.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_error_comes_in_its_place_and_nothing_more_is_begun(workers):
    begun = []

    def fails_at_five(i: int) -> int:
        begun.append(i)
        if i == 5:
            raise ValueError(i)
        return i

    results = Threads(workers).map(fails_at_five, range(1000))
    assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="5"):
        next(results)
    assert len(begun) < 20


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_of_the_source_is_raised_after_what_came_before_it(workers):
    def source():
        yield 1
        yield 2
        raise KeyError("source")

    results = Threads(workers).map(lambda i: i, source())
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(KeyError):
        next(results)


def test_what_was_begun_is_finished_before_an_error_is_raised():
    finished = []
    both = threading.Barrier(2, timeout=10)

    def work(i: int) -> None:
        both.wait()
        if i == 0:
            raise ValueError("first")
        time.sleep(0.2)
        finished.append(i)

    with pytest.raises(ValueError, match="first"):
        list(Threads(2).map(work, range(2)))
    assert finished == [1]


def test_a_consumer_that_leaves_waits_for_nothing():
    release = threading.Event()
    results = Threads(2).map(lambda i: i if i == 0 else release.wait(20), range(10))
    assert next(results) == 0
    start = time.monotonic()
    results.close()
    assert time.monotonic() - start < 1
    release.set()


def test_an_empty_source_gives_nothing():
    assert list(Threads(3).map(str, [])) == []
