"""The judge's side: workers in parallel, each program once, every call an outcome."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

from consilience.code import normalise as normal_form
from consilience.errors import SandboxError
from consilience.sandbox import Level, Limits, Outcome, container
from consilience.sandbox.execution import Execution, ProgramRun
from consilience.sandbox.flavour import with_packages, with_project
from consilience.sandbox.inside.confinement import LAYERS
from consilience.sandbox.isolation import LayerReport, start
from consilience.sandbox.job import Job, pack_inputs
from consilience.sandbox.memory import OutcomeMemory
from consilience.sandbox.process import HarnessError, Setup, WorkerDiedError, WorkerProcess
from consilience.sandbox.script import ScriptRun
from consilience.sandbox.turns import Turns
from consilience.store import Store
from consilience.task import Probe, Stdin, Target
from consilience.values import equal

UNSURE = frozenset({"timeout", "skipped"})
"""What a program that had the machine for itself may well do otherwise."""
RECYCLE = 2000
"""Programs after which a worker is replaced by a fresh one."""
SECOND_SEED = 1


@dataclass(frozen=True, slots=True)
class Care:
    """What more than running each call once may be asked for."""

    isolate_calls: bool = False
    """A fresh process a call: shows which programs carry state from one call to the next."""
    second_seed: bool = False
    """Run all twice, with other hash and random seeds, and tell which outcomes changed."""
    scratch_mb: int = 0
    """Give programs a writable /tmp of this size, empty at their start; needs namespaces."""


class ForkServer:
    """Runs untrusted programs in confined workers that fork a child a program.

    Safe to share between threads. At level `strict` it refuses with a SandboxError where the
    self-test of a worker finds a hole. Time-outs are confirmed: the first call of a program
    that ran out of time is run again while nothing else runs, and counts only if it does so
    again.
    """

    def __init__(  # noqa: PLR0913 - all are keywords, and none depends on another
        self,
        *,
        workers: int | None = None,
        level: Level = "strict",
        without: Sequence[str] = (),
        image: str = "",
        store: Store | None = None,
        confirm_timeouts: bool = True,
        normalise: Callable[[str], str] = normal_form,
    ) -> None:
        """Start one worker, to prove the level; the others start as they are needed.

        Args:
            workers: how many programs run at once; the number of cores where None.
            level: `none` confines nothing and is only for code that you trust.
            without: layers to go without, of `inside.confinement.LAYERS`.
            image: of the containers at level `container`; an official Python one where empty.
            store: where outcomes are kept, so that no call is made twice.
            confirm_timeouts: run the first time-out of a program again, alone.
            normalise: programs with the same normal form are run once.
        """
        self._level: Level = level
        layers = LAYERS if level != "none" else ("rlimits",)
        self._setup = Setup(tuple(layer for layer in layers if layer not in without))
        if level == "container":
            inner = tuple(layer for layer in self._setup.layers if layer != "namespaces")
            self._setup = replace(self._setup, layers=inner, container=container.command(image))
        self._normalise, self._confirm = normalise, confirm_timeouts
        self._memory = OutcomeMemory(store, level) if store else None
        self._count = workers or os.cpu_count() or 1
        self._idle: dict[Setup, list[WorkerProcess]] = defaultdict(list)
        self._lock, self._turns = threading.Lock(), Turns()
        self._closed = False
        first, self.reports = start(self._setup, level)
        self._setup = first.setup
        self._idle[self._setup].append(first)

    reports: tuple[LayerReport, ...]
    """What each layer and each attempt of the first worker's self-test found."""

    @property
    def level(self) -> Level:
        """The isolation that was proved."""
        return self._level

    def run(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
    ) -> list[list[Outcome]]:
        """Drive *target* of each program by each input: a row a program."""
        executions = self.execute(programs, target, inputs, limits)
        return [list(execution.outcomes) for execution in executions]

    def execute(
        self,
        programs: Sequence[str],
        target: Target | str,
        inputs: Sequence[Probe],
        limits: Limits | None = None,
        care: Care | None = None,
    ) -> list[Execution]:
        """Like `run`, with what each program used and printed, and with more care where asked.

        Programs that are equal after normalisation are run once and share their execution.
        """
        care = care or Care()
        keys = self._keys(programs)
        sources = dict(zip(reversed(keys), reversed(programs), strict=True))
        packed = pack_inputs(inputs)
        target = Target(target) if isinstance(target, str) else target
        scripts = any(isinstance(probe, Stdin) for probe in inputs)
        job = Job("", target, packed, 0, len(packed), limits or Limits(), script=scripts)
        jobs = {key: replace(job, code=source) for key, source in sources.items()}
        setup = self._setup_of(target)
        done = self._spread(jobs, care, setup)
        if care.second_seed:
            jobs = {key: replace(job, seed=SECOND_SEED) for key, job in jobs.items()}
            again = self._spread(jobs, care, setup)
            done = {key: _compare(done[key], again[key]) for key in done}
        return [done[key] for key in keys]

    @contextmanager
    def lend(self, program: str, preload: Sequence[str] = ()) -> Iterator[WorkerProcess]:
        """Lend a worker of the kind that *program* needs; one that fails is not taken back."""
        job = Job(program, Target(""), (), 0, 0, Limits())
        setup = self._setup_for(job, Care(), self._setup)
        setup = replace(setup, preload=(*setup.preload, *preload))
        worker = self._acquire(setup)
        try:
            yield worker
        except BaseException:
            worker.close()
            raise
        self._release(worker)

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            self._closed = True
            idle = [worker for workers in self._idle.values() for worker in workers]
            self._idle.clear()
        for worker in idle:
            worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keys(self, programs: Sequence[str]) -> list[str]:
        """Return a key a program, equal where running one of them is enough."""
        texts = set(programs)
        alone = len(texts) == 1 and self._memory is None
        keys = {text: text if alone else self._normalise(text) for text in texts}
        return [keys[text] for text in programs]

    def _spread(self, jobs: dict[str, Job], care: Care, setup: Setup) -> dict[str, Execution]:
        """Run the jobs on as many workers as there are, each taking the next that is left."""
        done: dict[str, Execution] = {}
        failures: list[BaseException] = []
        queue = _Shared(iter(jobs.items()))

        def drain() -> None:
            try:
                for key, job in queue:
                    done[key] = self._remembered(key, job, care, setup)
            except BaseException as error:
                failures.append(error)

        count = min(self._count, len(jobs))
        threads = [threading.Thread(target=drain, daemon=True) for _ in range(count - 1)]
        for thread in threads:
            thread.start()
        drain()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return done

    def _remembered(self, key: str, job: Job, care: Care, base: Setup) -> Execution:
        """Run only the calls whose outcome is not in the store."""
        setup = self._setup_for(job, care, base)
        if self._memory is None or care.isolate_calls:
            return self._confirmed(job, setup, care)
        known = self._memory.recall(key, job, setup)
        missing = [place for place, outcome in enumerate(known) if outcome is None]
        if not missing:
            return Execution(tuple(outcome for outcome in known if outcome))
        rest = job.only(missing)
        execution = self._confirmed(rest, setup, care)
        self._memory.keep(key, rest, setup, execution.outcomes)
        for place, outcome in zip(missing, execution.outcomes, strict=True):
            known[place] = outcome
        return replace(execution, outcomes=tuple(outcome for outcome in known if outcome))

    def _setup_of(self, target: Target) -> Setup:
        """Return what all programs of one run have, as the project's files are now."""
        setup = with_project(self._setup, target.project)
        if not setup.container or setup is self._setup:
            return setup
        # A container has a Python of its own, for which what is installed here is not made.
        shown = container.showing(setup.container, setup.visible)
        return replace(setup, container=shown, packages=(), python="")

    def _setup_for(self, job: Job, care: Care, base: Setup) -> Setup:
        if base.container:  # what is installed here is not there, and seeds are its own
            return base
        setup = with_packages(base, f"{job.target.context}\n{job.code}")
        wanted = job.target.scratch_mb if "namespaces" in base.layers else 0
        return replace(setup, hash_seed=job.seed, scratch_mb=care.scratch_mb or wanted)

    def _confirmed(self, job: Job, setup: Setup, care: Care) -> Execution:
        """Run the job; where calls ran out of time beside others, try the first one again."""
        with self._turns.shared() as turn:
            execution = self._execute(job, setup, care)
        late = [place for place, one in enumerate(execution.outcomes) if one.status in UNSURE]
        if not late or turn.alone or not self._confirm:
            return execution
        with self._turns.exclusive():
            first = self._execute(job.only(late[:1]), setup, care).outcomes
            if first[0].status == "timeout":
                return execution
            rest = self._execute(job.only(late[1:]), setup, care).outcomes
        outcomes = list(execution.outcomes)
        for place, outcome in zip(late, first + rest, strict=True):
            outcomes[place] = outcome
        return replace(execution, outcomes=tuple(outcomes))

    def _execute(self, job: Job, setup: Setup, care: Care) -> Execution:
        reason = ""
        for _ in range(2):
            worker = self._acquire(setup)
            try:
                run = ScriptRun(job) if job.script else ProgramRun(job, care.isolate_calls)
                execution = run.on(worker)
            except (WorkerDiedError, HarnessError) as error:
                worker.close()
                reason = str(error)
            except BaseException:
                worker.close()
                raise
            else:
                self._release(worker)
                return execution
        lost = Outcome("infrastructure", message=f"twice: {reason}"[:200])
        return Execution((lost,) * job.stop)

    def _acquire(self, setup: Setup) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise SandboxError("This sandbox is closed.")
            if self._idle[setup]:
                return self._idle[setup].pop()
        worker, _ = start(setup, self._level)
        return worker

    def _release(self, worker: WorkerProcess) -> None:
        with self._lock:
            full = self._closed or worker.jobs >= RECYCLE
            full = full or len(self._idle[worker.setup]) >= self._count
            if not full:
                self._idle[worker.setup].append(worker)
                return
        worker.close()


class _Shared:
    """An iterator that several threads may draw from."""

    def __init__(self, items: Iterator[tuple[str, Job]]) -> None:
        self._items = items
        self._lock = threading.Lock()

    def __iter__(self) -> _Shared:
        return self

    def __next__(self) -> tuple[str, Job]:
        with self._lock:
            return next(self._items)


def _compare(first: Execution, second: Execution) -> Execution:
    """Mark in *first* the inputs whose outcome *second* does not repeat."""
    pairs = zip(first.outcomes, second.outcomes, strict=True)
    unstable = [place for place, (one, other) in enumerate(pairs) if not _same(one, other)]
    return replace(first, unstable=tuple(unstable))


def _same(one: Outcome, other: Outcome) -> bool:
    if one.value is None or other.value is None:
        return (one.status, one.error) == (other.status, other.error)
    return one.value.payload == other.value.payload or equal(one.value, other.value)
