"""Map over work on an existing Ray cluster: one Ray task an item.

What an item does must not be lost with the worker that does it, so work on the cluster may
*call home*: a function that it is given runs here, in the process that maps. What that function
keeps (replies that were paid for) survives any worker, and a key that it holds leaves this
machine for nobody. Ray tries an item again when its worker or its node dies.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Self, TypeVar

from consilience.backends import Item, Result
from consilience.backends.fault import Fault
from consilience.errors import (
    ClusterError,
    ConsilienceError,
    MissingExtraError,
    SandboxError,
)

Question = TypeVar("Question")
Answer = TypeVar("Answer")

NAME = "consilience"
"""How our tasks are called in Ray's own tools, such as `ray list tasks`."""
TRIES_AGAIN = 3
"""How often an item is tried again when its worker or its node died."""
A_CORE = 2
"""Items under way a core: one waits for the model while another computes."""

KNOCK_SECONDS = 10.0


class Ray:
    """A connection to a cluster; leaving it ends what it began there."""

    def __init__(self, address: str | None = None, *, at_once: int | None = None) -> None:
        """Connect.

        Args:
            address: as `ray start` printed it; default: RAY_ADDRESS, else the cluster that this
                machine belongs to. A connection that is open already is used and left open.
            at_once: items under way; default: two a core of the cluster.

        Raises:
            MissingExtraError: ray is not installed.
            ClusterError: no cluster answers, or its versions are not ours.
        """
        self._ray = _ray()
        self._ours = not self._ray.is_initialized()
        if self._ours:
            _connect(self._ray, address)
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        self.at_once = at_once or A_CORE * max(1, cores)
        self._homes: list[_Home[Any, Any]] = []

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield the result of each item in order; at most `at_once` are ahead.

        *function*, items and results must be picklable. When an item fails no other is begun;
        those that were begun are given up once the consumer has the error.

        Raises:
            ClusterError: an item's worker died too often, or cannot import Consilience.
        """
        task = self._ray.remote(name=NAME, num_cpus=1, max_retries=TRIES_AGAIN)(_apply)
        shared = self._ray.put(function)  # goes to each node once, not with each item
        begun: deque[Any] = deque()
        source = _Source(iter(items))
        try:
            while True:
                while len(begun) < self.at_once and (item := source.next()) is not None:
                    begun.append(task.remote(shared, item.value, _version()))
                if not begun:
                    break
                yield self._result(begun.popleft())
            if source.error is not None:
                raise source.error
        finally:
            for reference in begun:
                self._ray.cancel(reference)

    def home(self, function: Callable[[Question], Answer]) -> Callable[[Question], Answer]:
        """Return a picklable function that calls *function* in this process from anywhere.

        A call runs to its end even if the worker that made it dies meanwhile. *function* is
        called by several threads at once.
        """
        home = _Home(self._ray, function, most=4 * self.at_once + 16)
        self._homes.append(home)
        return home.call

    def close(self) -> None:
        """End what was begun on the cluster; the cluster itself goes on."""
        for home in self._homes:
            home.close()
        if self._ours:
            self._ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _result(self, reference: Any) -> Any:
        try:
            result = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise _told(error) from error
        if isinstance(result, Fault):
            raise result.error()
        return result


@dataclass(frozen=True, slots=True)
class _Taken(Generic[Item]):
    value: Item


class _Source(Generic[Item]):
    """Items one by one; the error of the source waits for the results before it."""

    def __init__(self, items: Iterator[Item]) -> None:
        self.error: Exception | None = None
        self._items = items

    def next(self) -> _Taken[Item] | None:
        if self.error is not None:
            return None
        try:
            return _Taken(next(self._items))
        except StopIteration:
            return None
        except Exception as error:
            self.error = error
            return None


class _Home(Generic[Question, Answer]):
    """Answers, in this process, what is asked on the cluster."""

    def __init__(self, ray: Any, function: Callable[[Question], Answer], most: int) -> None:
        self._ray = ray
        self._function = function
        here = ray.get_runtime_context().get_node_id()
        strategies = import_module("ray.util.scheduling_strategies")
        # On this node, so that no other node's death takes it away.
        place = strategies.NodeAffinitySchedulingStrategy(here, soft=False)
        actor = ray.remote(num_cpus=0, max_concurrency=most, scheduling_strategy=place)
        self._box = actor(_Mailbox).remote()
        self.call: Callable[[Question], Answer] = _Call(self._box)
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._ray.kill(self._box)

    def _listen(self) -> None:
        while True:
            try:
                letters = self._ray.get(self._box.take.remote())
            except Exception:  # the box is closed, or Ray is
                return
            for number, question in letters:
                threading.Thread(
                    target=self._answer, args=(number, question), daemon=True
                ).start()

    def _answer(self, number: int, question: Question) -> None:
        try:
            answer: Any = self._function(question)
        except ConsilienceError as error:
            answer = Fault.of(error)
        except BaseException as error:
            answer = error
        self._box.reply.remote(number, answer)


class _Mailbox:
    """An actor between those who ask and the one who answers."""

    def __init__(self) -> None:
        self._letters: asyncio.Queue[tuple[int, Any]] = asyncio.Queue()
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._count = 0

    async def ask(self, question: Any) -> Any:
        """Wait for the answer."""
        self._count += 1
        number = self._count
        answer = self._open[number] = asyncio.get_running_loop().create_future()
        await self._letters.put((number, question))
        try:
            return await answer
        finally:
            del self._open[number]

    async def take(self) -> list[tuple[int, Any]]:
        """Wait for letters and take all that are there."""
        taken = [await self._letters.get()]
        while not self._letters.empty():
            taken.append(self._letters.get_nowait())
        return taken

    async def reply(self, number: int, answer: Any) -> None:
        """Hand over an answer; one who died meanwhile does not get it."""
        asked = self._open.get(number)
        if asked is not None and not asked.done():
            asked.set_result(answer)


@dataclass(frozen=True, slots=True)
class _Call:
    """What work on the cluster is given: it sends a question and waits."""

    box: Any

    def __call__(self, question: Any) -> Any:
        answer = import_module("ray").get(self.box.ask.remote(question))
        if isinstance(answer, Fault):
            raise answer.error()
        if isinstance(answer, BaseException):
            raise answer
        return answer


def _apply(function: Callable[[Item], Result], item: Item, version: str) -> Result | Fault:
    """Do one item, in a worker; an error of ours goes back as data."""
    try:
        if version != _version():
            message = f"A node has Consilience {_version()}, and here is {version}."
            raise ClusterError(message, hint="Install the same version on every node.")
        return function(item)
    except SandboxError as error:
        return Fault.of(error, place=f"node {socket.gethostname()}")
    except ConsilienceError as error:
        return Fault.of(error)


def _version() -> str:
    # By name: the package imports nothing of itself, but its public names lie above this one.
    return str(import_module("consilience").__version__)


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error


def _connect(ray: Any, address: str | None) -> None:
    address = address or os.environ.get("RAY_ADDRESS") or "auto"
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        what = "on this machine" if address == "auto" else f"at {address}"
        message = f"No Ray cluster can be used {what}: {_first(error)}"
        hint = "Start one with `ray start --head`, or name one with --ray-address HOST:PORT."
        raise ClusterError(message, hint=hint) from error


def _knock(address: str) -> None:
    """Fail at once where nothing listens: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if port.isdigit() and "/" not in host:
        with socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS):
            pass


def _told(error: Exception) -> Exception:
    """Say in a sentence what Ray reports in a page; a fault in our own code stays as it is."""
    text = str(error)
    if "No module named 'consilience" in text:
        hint = f"Install consilience=={_version()} for the Python of every node."
        return ClusterError("A node of the cluster has no Consilience.", hint=hint)
    if hasattr(error, "as_instanceof_cause"):
        return error
    message = f"The cluster lost a task {TRIES_AGAIN + 1} times: {_first(error)}"
    return ClusterError(message, hint="What was paid is stored: run the same command again.")


def _first(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:200]
