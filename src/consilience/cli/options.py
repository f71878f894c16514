"""The flags that verbs share, and what they open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from consilience.backends.ray import Ray
from consilience.crew import Crew, LocalCrew, RayCrew
from consilience.errors import UsageError
from consilience.formats import load_tasks
from consilience.judge import Judge
from consilience.models import Ledger
from consilience.models.budget import PRICE, Budget
from consilience.models.choice import DEFAULT, open_model
from consilience.sandbox.pool import ForkServer
from consilience.settings import LEAN, Method, Mix, Rule, Settings, Settle, preset
from consilience.store import Store, cache_folder
from consilience.task import Task

PresetName = Literal["paper", "standard", "economy"]
ENGINE = Group("Model and evidence", sort_key=2)
Positive = Annotated[int, Parameter(validator=Number(gte=1))]
Amount = Annotated[float, Parameter(validator=Number(gt=0))]
MACHINES = Parameter(group=Group("Machines", sort_key=4))


@Parameter(name="*", group=Group("Which tasks", sort_key=1))
@dataclass(frozen=True, slots=True)
class Selection:
    """Which tasks."""

    limit: Positive | None = None
    """Only the first so many tasks."""
    only: Annotated[
        tuple[str, ...], Parameter(negative=(), consume_multiple=True, show_default=False)
    ] = ()
    """Only the tasks of these ids."""
    entry_point: str | None = None
    """What is to be written (f, Solution.f, Stack), where the task file does not say it."""
    shape: Literal["function", "method", "class", "stdin"] | None = None
    """What it is, where the task file leaves that open; stdin: a program that reads it."""
    project: Path | None = None
    """A folder that programs may import from, read-only. Default: found by the task file."""
    python: Path | None = None
    """The interpreter of your environment: its packages may be imported too."""

    def known(self, path: Path) -> list[Task]:
        """Read all tasks of *path*: candidates may be of any of them.

        Raises:
            InputError: the file cannot be read.
        """
        return load_tasks(
            path,
            entry_point=self.entry_point,
            shape=self.shape,
            project=self.project,
            python=self.python,
        )

    def among(self, tasks: Sequence[Task], path: Path) -> list[Task]:
        """Choose among the *tasks* of *path*.

        Raises:
            UsageError: an id that was asked for is not in the file.
        """
        by_id = {task.id: task for task in tasks}
        for name in self.only:
            if name not in by_id:
                message = f'{path} has no task "{name}".'
                raise UsageError(message, hint=_nearest(name, by_id))
        chosen = [by_id[name] for name in self.only] if self.only else list(tasks)
        return chosen[: self.limit]

    def tasks(self, path: Path) -> list[Task]:
        """Read the tasks of *path* and choose among them."""
        return self.among(self.known(path), path)


@Parameter(name="*", group=ENGINE)
@dataclass(frozen=True, slots=True)
class Engine:
    """Which model, which choices, where to keep replies."""

    model: Annotated[str, Parameter(name=("--model", "-m"))] = DEFAULT
    """An embedded model, a .gguf file, or the name a server knows."""
    base_url: str | None = None
    """An OpenAI-compatible server, such as http://localhost:8000/v1."""
    preset: PresetName = "standard"
    """How much to spend."""
    method: Method | None = None
    """cott (the gate), rstar (majority of general programs), tt (transduction always), cot and
    sol-ver (the model states outputs), syntra (the model chooses among programs)."""
    tau: float | None = None
    """Confidence from which induction is believed."""
    inputs: int | None = None
    """Inputs to test on."""
    mix: Mix | None = None
    """Inputs half chosen by disagreement, or all."""
    n_inductive: int | None = None
    """General programs to draw: they vote."""
    n_transductive: int | None = None
    """Programs to draw for one exact input, where the vote is unsure."""
    cpu_seconds: float | None = None
    """CPU time of one call of one program."""
    examples: bool | None = None
    """Whether the task's own examples are evidence."""
    lean: Annotated[bool, Parameter(negative=(), show_default=False)] = False
    """Spend half in the same preset: two programs an input, and only where the lead is open."""
    settle: Settle | None = None
    """Pay for all doubtful inputs, where candidates differ, or until order or top1 is sure."""
    risk: float | None = None
    """Chance that what was not paid for would have changed what --settle asks for."""
    doubt: float | None = None
    """Chance that the programs not drawn would have decided an input otherwise."""
    rule: Rule | None = None
    """In doubt believe paper (transduction), supported (only if surer), pooled (all votes)."""
    max_tokens: Positive | None = None
    """Ask no more once so many tokens are spent; the answer is then said to be partial."""
    max_cost: Amount | None = None
    """The same in dollars, at --price."""
    max_seconds: Amount | None = None
    """The same in seconds."""
    price: float = PRICE
    """Dollars a million tokens."""
    seed: int = 0
    """Another seed draws other samples; the same one replays them."""
    store: Path | None = None
    """The file that keeps replies, so that nothing is paid twice. Default: in the cache."""
    workers: Positive = 2
    """Tasks judged at once."""
    unsafe_no_sandbox: Annotated[bool, Parameter(negative=(), show_default=False)] = False
    """Run programs without isolation: only for code you trust."""

    def settings(self) -> Settings:
        """Return the preset with what was asked for instead."""
        levers: dict[str, Any] = dict(LEAN) if self.lean else {}
        asked = {
            "method": self.method,
            "tau": self.tau,
            "inputs": self.inputs,
            "mix": self.mix,
            "n_inductive": self.n_inductive,
            "n_transductive": self.n_transductive,
            "cpu_seconds": self.cpu_seconds,
            "examples": self.examples,
            "settle": self.settle,
            "risk": self.risk,
            "doubt": self.doubt,
            "rule": self.rule,
            "seed": self.seed,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        return preset(self.preset, **(levers | given))

    def budget(self) -> Budget | None:
        """Return the limit that was set, from now on; None where there is none."""
        if self.max_tokens is self.max_cost is self.max_seconds is None:
            return None
        return Budget(self.max_tokens, self.max_cost, self.max_seconds, self.price)

    @contextmanager
    def judge(self) -> Iterator[Judge]:
        """Open the model, the sandbox and the store; close them in the end."""
        settings = self.settings()
        with self.sandbox() as sandbox, self.open_store() as store:
            model = open_model(self.model, self.base_url)
            try:
                yield Judge(model, sandbox, store, settings, Ledger(budget=self.budget()))
            finally:
                close = getattr(model, "close", None)
                if close is not None:
                    close()

    @contextmanager
    def sandbox(self) -> Iterator[ForkServer]:
        """Start the sandbox; end it in the end."""
        sandbox = ForkServer(level="none" if self.unsafe_no_sandbox else "strict")
        try:
            yield sandbox
        finally:
            sandbox.close()

    def open_store(self) -> Store:
        """Open the store that was named, or the user's own."""
        return Store(self.store or cache_folder() / "store.sqlite")


@Parameter(name="*", group=ENGINE)
@dataclass(frozen=True, slots=True)
class Unasked(Engine):
    """An engine that asks a model only where one is named."""

    model: Annotated[str, Parameter(name=("--model", "-m"))] = ""
    """An embedded model, a .gguf file, or the name a server knows. Default: none is asked."""

    @contextmanager
    def judge_if_named(self) -> Iterator[Judge | None]:
        """Open a judge; None where no model is named."""
        if self.model:
            with self.judge() as judging:
                yield judging
        else:
            yield None


@Parameter(name="*", group=ENGINE)
@dataclass(frozen=True, slots=True)
class Placed(Engine):
    """An engine, and the machines it runs on."""

    backend: Annotated[Literal["local", "ray"], MACHINES] = "local"
    """local: this machine; ray: a Ray cluster, one of its tasks a programming task."""
    ray_address: Annotated[str | None, MACHINES] = None
    """The cluster, such as 10.0.0.1:6379. Default: RAY_ADDRESS, else this machine's."""
    ray_at_once: Annotated[Positive | None, MACHINES] = None
    """Tasks under way on the cluster. Default: two a core of it."""

    @contextmanager
    def crew(self, judge: Judge) -> Iterator[Crew]:
        """Open the crew that works as *judge* does.

        Raises:
            UsageError: a cluster is described, but not asked for.
        """
        if self.backend == "local":
            if self.ray_address or self.ray_at_once:
                message = "--ray-address and --ray-at-once need --backend ray."
                raise UsageError(message, hint="Add it, or leave them out.")
            yield LocalCrew(judge, self.workers)
            return
        with Ray(self.ray_address, at_once=self.ray_at_once) as ray:
            yield RayCrew(judge, ray)


def _nearest(name: str, known: Sequence[str] | dict[str, Task]) -> str:
    near = get_close_matches(name, list(known), n=3, cutoff=0.3) or list(known)[:3]
    return f"It has {len(known)}, such as {', '.join(near)}."
