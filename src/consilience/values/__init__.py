"""Values of programs: as data, equal as a careful person would say.

What a program returned never comes here as an object. It comes as text in wire form (`wire`),
is compared in canonical form (`canonical`, `equality`) and read back as plain data (`plain`).
"""

from consilience.values.canonical import Level
from consilience.values.equality import DEFAULT_TOLERANCE, EXACT, Tolerance, classes, equal
from consilience.values.plain import source
from consilience.values.value import Value
from consilience.values.wire import InvalidWireError

__all__ = [
    "DEFAULT_TOLERANCE",
    "EXACT",
    "InvalidWireError",
    "Level",
    "Tolerance",
    "Value",
    "classes",
    "equal",
    "source",
]
