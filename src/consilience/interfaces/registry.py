"""The shapes by name: to add one, write its module and name it here."""

from __future__ import annotations

from collections.abc import Mapping

from consilience.interfaces import Interface
from consilience.interfaces.classes import Class
from consilience.interfaces.function import Function
from consilience.interfaces.method import Method
from consilience.interfaces.script import Script
from consilience.task import Shape, Task

INTERFACES: Mapping[Shape, Interface] = {
    "function": Function(),
    "method": Method(),
    "class": Class(),
    "script": Script(),
}


def interface(task: Task) -> Interface:
    """Return what the shape of *task* knows of itself."""
    return INTERFACES[task.shape]
