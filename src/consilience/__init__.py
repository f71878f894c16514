"""Tell which of a language model's programs to trust, how far, and why."""

__version__ = "0.1.0"
