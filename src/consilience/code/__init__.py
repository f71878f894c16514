"""Programs as text: taken out of a reply, their signature, examples and tests read, normalised.

Everything is decided by parsing; nothing here runs a program.
"""

from consilience.code.examples import assertions, examples
from consilience.code.extraction import Extraction, extract
from consilience.code.literals import read_literal
from consilience.code.normal import normalise
from consilience.code.signature import Parameter, Signature, signature

__all__ = [
    "Extraction",
    "Parameter",
    "Signature",
    "assertions",
    "examples",
    "extract",
    "normalise",
    "read_literal",
    "signature",
]
