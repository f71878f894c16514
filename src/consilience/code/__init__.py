"""Programs as text: taken out of a reply, their signature, examples and tests read, normalised.

Everything is decided by parsing; nothing here runs a program.
"""

from consilience.code.extraction import Extraction, extract

__all__ = ["Extraction", "extract"]
