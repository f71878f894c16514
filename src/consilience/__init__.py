"""Tell which of a language model's programs to trust, how far, and why."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from consilience.api import improve, judge, load, rank, synthesize_tests
    from consilience.errors import ConsilienceError
    from consilience.judge import Verdict
    from consilience.models.endpoint import Endpoint
    from consilience.models.local import LocalModel
    from consilience.sampling import sample
    from consilience.task import Candidate, Task, TestSuite
    from consilience.uncertainty.semantic import semantic_entropy

__all__ = [
    "Candidate",
    "ConsilienceError",
    "Endpoint",
    "LocalModel",
    "Task",
    "TestSuite",
    "Verdict",
    "improve",
    "judge",
    "load",
    "rank",
    "sample",
    "semantic_entropy",
    "synthesize_tests",
]

_HOMES = {
    "Candidate": "task",
    "ConsilienceError": "errors",
    "Endpoint": "models.endpoint",
    "LocalModel": "models.local",
    "Task": "task",
    "TestSuite": "task",
    "Verdict": "judge",
    "improve": "api",
    "judge": "api",
    "load": "api",
    "rank": "api",
    "sample": "sampling",
    "semantic_entropy": "uncertainty.semantic",
    "synthesize_tests": "api",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Package(ModuleType):
    """Keep `consilience.judge` the function: the module of that name must not hide it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
