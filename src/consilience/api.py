"""The functions of the public API: they open what was not given, and close it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from consilience.cascade import Cascade
from consilience.errors import UsageError
from consilience.formats import load_tasks
from consilience.improve import Improvement, Plan
from consilience.improve.workshop import PLAN
from consilience.improve.workshop import improve as repair
from consilience.judge import Judge, Verdict, weigh
from consilience.models import ChatModel
from consilience.sandbox import Sandbox
from consilience.sandbox.pool import ForkServer
from consilience.settings import PRESETS, Settings
from consilience.store import Store, cache_folder
from consilience.task import Candidate, Task, TestSuite
from consilience.trust import RankBy, Stage

STANDARD = PRESETS["standard"]


def load(
    path: str | Path,
    *,
    entry_point: str | None = None,
    shape: str | None = None,
    project: str | Path | None = None,
    python: str | Path | None = None,
) -> dict[str, Task]:
    """Read the tasks of a file, by id.

    HumanEval, EvalPlus, LiveCodeBench, ClassEval; a .py file with a function or class to write;
    a statement as text. *entry_point* and *shape* say what a file leaves open; *project* and
    *python* which folder and which environment programs may import from, read-only.
    """
    tasks = load_tasks(
        path, entry_point=entry_point, shape=shape, project=project, python=python
    )
    return {task.id: task for task in tasks}


def judge(  # noqa: PLR0913 - all but three are keywords, and none depends on another
    task: Task,
    candidates: Sequence[Candidate | str],
    model: ChatModel | None = None,
    *,
    settings: Settings = STANDARD,
    sandbox: Sandbox | None = None,
    store: Store | None = None,
    level: float | None = None,
    until: Stage | None = None,
    rank_by: RankBy | None = None,
) -> Verdict:
    """Say which candidate to trust, how far, and why, without a reference solution.

    Args:
        task: what they were asked to solve.
        candidates: programs, as text or as `Candidate`.
        model: anything with `complete`; it writes the tests. Without one, the candidates are
            judged by what they are and by what they do alone.
        settings: a preset of `settings.PRESETS`, or one of your own.
        sandbox: where programs run; by default one is started, and ended again.
        store: where replies are kept; by default the user's own.
        level: stop as soon as the winner is right with this probability.
        until: the last stage that may run; by default tests where there is a model.
        rank_by: what ranks where tests are written: trust, which is all evidence, or the tests
            alone, as CoTT does; by default trust, with the preset `paper` the tests.
    """
    until = until or ("behaviour" if model is None else "tests")
    with ExitStack() as stack:
        judging = None
        if model is not None:
            judging = stack.enter_context(_opened(model, settings, sandbox, store))
            sandbox = judging.sandbox
        elif sandbox is None:
            sandbox = stack.enter_context(ForkServer())
        cascade = Cascade(sandbox, settings, judging, level, until, rank_by)
        return cascade(task, _named(task, candidates))


def improve(  # noqa: PLR0913 - all but three are keywords, as those of `judge`
    task: Task,
    candidate: Candidate | str,
    model: ChatModel,
    *,
    plan: Plan = PLAN,
    suite: TestSuite | None = None,
    settings: Settings = STANDARD,
    sandbox: Sandbox | None = None,
    store: Store | None = None,
) -> Improvement:
    """Repair a program by the reliable tests that it fails.

    The result never passes fewer reliable tests than *candidate*; where it fails none, or none
    can be relied on, it is *candidate* itself.

    Args:
        task: what it was asked to solve.
        candidate: a program, as text or as `Candidate`.
        model: anything with `complete`; it writes the repairs, and the tests where there are
            none.
        plan: how much to try.
        suite: tests to repair by; by default they are written first.
        settings: a preset of `settings.PRESETS`, or one of your own.
        sandbox: where programs run; by default one is started, and ended again.
        store: where replies are kept; by default the user's own.
    """
    [program] = _named(task, [candidate])
    with _opened(model, settings, sandbox, store) as judging:
        return repair(judging, task, program, plan=plan, suite=suite)


def synthesize_tests(
    task: Task,
    model: ChatModel,
    *,
    settings: Settings = STANDARD,
    sandbox: Sandbox | None = None,
    store: Store | None = None,
) -> TestSuite:
    """Write tests for *task*, each with the votes for its expected output."""
    with _opened(model, settings, sandbox, store) as judging:
        return judging.tests(task)


def rank(
    candidates: Sequence[Candidate | str], suite: TestSuite, *, sandbox: Sandbox | None = None
) -> Verdict:
    """Rank *candidates* by the tests of *suite*: no model is asked."""
    with ExitStack() as stack:
        if sandbox is None:
            sandbox = stack.enter_context(ForkServer())
        return weigh(suite, _named(suite.task, candidates), sandbox, STANDARD)


@contextmanager
def _opened(
    model: ChatModel, settings: Settings, sandbox: Sandbox | None, store: Store | None
) -> Iterator[Judge]:
    with ExitStack() as stack:
        if sandbox is None:
            sandbox = stack.enter_context(ForkServer())
        if store is None:
            store = stack.enter_context(Store(cache_folder() / "store.sqlite"))
        yield Judge(model, sandbox, store, settings)


def _named(task: Task, candidates: Sequence[Candidate | str]) -> list[Candidate]:
    if not candidates:
        message = f"There are no candidates for {task.id}."
        raise UsageError(message, hint="Draw some: consilience.sample(task, model, n=10).")
    return [
        Candidate(task.id, given, place, f"candidate {place}")
        if isinstance(given, str)
        else given
        for place, given in enumerate(candidates)
    ]
