"""The flags of verbs that take many tasks: what does the work, and where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path  # noqa: F401  # see below
from typing import Annotated, Any, Literal  # noqa: F401

from cyclopts import Group, Parameter

from consilience.backends.ray import Ray
from consilience.cli.options import ENGINE, Engine, PresetName  # noqa: F401
from consilience.crew import Crew, LocalCrew, RayCrew
from consilience.errors import UsageError
from consilience.judge import Judge
from consilience.settings import Method, Mix, Rule, Settle  # noqa: F401

# The flags that `Placed` inherits are read by the names of their types; cyclopts looks those
# up here, in the module of the class that has them: hence the imports that nothing else uses.

MACHINES = Parameter(group=Group("Machines", sort_key=4))


@Parameter(name="*", group=ENGINE)
@dataclass(frozen=True, slots=True)
class Placed(Engine):
    """An engine, and the machines it runs on."""

    backend: Annotated[Literal["local", "ray"], MACHINES] = "local"
    """local: this machine; ray: a Ray cluster, one of its tasks a programming task."""
    ray_address: Annotated[str | None, MACHINES] = None
    """The cluster, such as 10.0.0.1:6379. Default: RAY_ADDRESS, else this machine's."""
    ray_at_once: Annotated[int | None, MACHINES] = None
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
