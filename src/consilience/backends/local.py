"""Map over work on this machine, with threads.

Threads suffice: what runs in them waits for a model or for a sandbox's process. They are
daemons, so Ctrl-C ends the program at once instead of after the slowest request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Generic

from consilience.backends import Item, Result

_GLANCE = 0.5  # s; a wait without limit cannot be interrupted on Windows


class Threads:
    """A fixed number of threads for each map."""

    def __init__(self, workers: int = 4) -> None:
        self.workers = max(1, workers)

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield the result of each item in order; at most two a worker are ahead.

        When an item fails, those already begun are finished (they may have been paid for), no
        other is begun, and its error is raised in its place. When the consumer stops or is
        interrupted, nothing is waited for.
        """
        if self.workers == 1:
            yield from map(function, items)
            return
        run = _Run(function, items, ahead=2 * self.workers)
        threads = [threading.Thread(target=run.work, daemon=True) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        try:
            yield from run.results()
        except Exception:
            for thread in threads:
                thread.join()
            raise
        finally:
            run.stop()


class _Run(Generic[Item, Result]):
    """The state that the threads of one map share."""

    def __init__(
        self, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
    ) -> None:
        self._function = function
        self._items = iter(items)
        self._ahead = ahead
        self._changed = threading.Condition()
        self._done: dict[int, Future[Result]] = {}
        self._begun = 0
        self._consumed = 0
        self._stopped = False

    def results(self) -> Iterator[Result]:
        """Wait for each result in turn."""
        while (done := self._await()) is not None:
            yield done.result()

    def work(self) -> None:
        """Take items and finish them until there are no more."""
        while (job := self._take()) is not None:
            place, item = job
            try:
                result = self._function(item)
            except BaseException as error:
                self._fail(place, error)
            else:
                self._finish(place, result)

    def stop(self) -> None:
        """Begin no further item."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _await(self) -> Future[Result] | None:
        with self._changed:
            while self._consumed not in self._done:
                if self._stopped and self._consumed >= self._begun:
                    return None
                self._changed.wait(_GLANCE)
            self._consumed += 1
            self._changed.notify_all()
            return self._done.pop(self._consumed - 1)

    def _take(self) -> tuple[int, Item] | None:
        with self._changed:
            while not self._stopped and self._begun - self._consumed >= self._ahead:
                self._changed.wait(_GLANCE)
            if self._stopped:
                return None
            place = self._begun
            try:
                item = next(self._items)
            except StopIteration:
                self.stop()
                return None
            except BaseException as error:  # the source failed, not the function
                self._begun += 1
                self._fail(place, error)
                return None
            self._begun += 1
            return place, item

    def _finish(self, place: int, result: Result) -> None:
        done: Future[Result] = Future()
        done.set_result(result)
        with self._changed:
            self._done[place] = done
            self._changed.notify_all()

    def _fail(self, place: int, error: BaseException) -> None:
        done: Future[Result] = Future()
        done.set_exception(error)
        with self._changed:
            self._done[place] = done
            self.stop()
